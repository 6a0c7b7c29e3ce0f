/*
 * The states of core/files/files_at.h: which version of which file each entry
 * has. Nothing here locks.
 */
#ifndef SESSFS_WAY_H
#define SESSFS_WAY_H

#include "core/files/slots.h"
#include "core/files/texts.h"
#include "core/session/derived.h"
#include "core/show/touches.h"

/* What was found of an entry. */
struct way_state {
	bool done;
	/* By a folder's number: way_version(), way_count(). */
	struct slots_set files;
	uint32_t first; /* the first version from this entry on, less one */
	uint32_t n;	/* how many there are */
	uint32_t depth;
	uint32_t shell; /* the depth of the last call of a shell; 0: none */
};

/* A cache of the session (derived.h). */
struct way {
	struct derived derived;
	struct way_state *states; /* by entry */
	size_t n;
	size_t cap;
	struct slots slots;
	struct texts texts;
};

/* The version of the file that a folder is, or 0. */
uint32_t way_version(const struct way *w, const struct way_state *at,
		     uint32_t folder);

/* How many known files are below it. */
uint32_t way_count(const struct way *w, const struct way_state *at,
		   uint32_t folder);

/*
 * The state at an entry, which is found first if need be. Valid until the next
 * call. After an error free all.
 */
int way_at(struct way *w, const struct session *s, uint32_t entry,
	   const struct way_state **at);

void way_free(void *way);

/* -- what entries make of files */

/* A state that is found (way.c): where texts come from, and where they go. */
struct step;

/* The text of a file, begun; the caller frees it. 0 or -errno. */
int step_load(struct step *f, uint32_t folder, struct file_text *t);

/* Keep it, by the entry of a call, and free it. 0 or -errno. */
int step_keep(struct step *f, uint32_t folder, uint32_t call,
	      struct file_text *t);

/*
 * result.c: what the result of a call makes of files (dialect_filing). 0 or
 * -errno.
 */
int result_apply(const struct session *s, const struct touch_result *r,
		 struct step *to);

/*
 * The same of a line that tells what the agent has saved, on the way to an
 * entry: a note, or for NULL the entry itself.
 */
int result_apply_saved(const struct session *s, uint32_t entry,
		       const struct note_place *at, struct step *to);

#endif
