/*
 * The states of core/files/files_at.h: which version of which file each entry
 * has. Nothing here locks.
 */
#ifndef SESSFS_WAY_H
#define SESSFS_WAY_H

#include "core/files/slots.h"
#include "core/files/texts.h"
#include "core/session/derived.h"

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

#endif
