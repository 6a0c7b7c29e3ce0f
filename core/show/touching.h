/*
 * The table of core/show/touches.h, and filling it: what entries and notes say,
 * line by line, in file order.
 */
#ifndef SESSFS_TOUCHING_H
#define SESSFS_TOUCHING_H

#include "core/base/idtable.h"
#include "core/session/derived.h"
#include "core/session/dialect.h"
#include "core/show/touch_path.h"
#include "core/show/touches.h"

/* -- touch_table.c: folders, and touches in them; no lock, and nothing read */

struct touch_table {
	struct buf texts; /* buf_keep() */
	struct touch_folder *folders;
	uint32_t n_folders;
	size_t folders_cap;
	uint32_t *dirs; /* folders that have others in them */
	uint32_t n_dirs;
	size_t dirs_cap;
	struct touch *list;
	uint32_t n;
	size_t cap;
	struct idtable by_name;	  /* folders */
	struct idtable by_number; /* touches, by folder and number */
	struct idtable by_entry;  /* touches, by entry and nth */
};

/* Begin with the first folder, in a zeroed table. 0, -ENOMEM or -EFBIG. */
int touch_table_begin(struct touch_table *t);
void touch_table_free(struct touch_table *t);

/* Has it room for another touch, whatever its path is? */
bool touch_table_has_room(const struct touch_table *t);

/*
 * Add a touch of the file at a path in its one spelling. *new has its entry,
 * act and `failed`. It is left out if the entry has too many. Errors as above:
 * then the table may have a part of it.
 */
int touch_table_add(struct touch_table *t, struct span path,
		    const struct touch *new);

/*
 * A touch, in by_number or by_entry; a folder in another one; and that of a
 * path. TOUCH_NONE if there is none.
 */
uint32_t touch_table_find(const struct touch_table *t, const struct idtable *in,
			  uint32_t a, uint32_t b);
uint32_t touch_table_folder(const struct touch_table *t, uint32_t around,
			    struct span name);

uint32_t touch_table_path(const struct touch_table *t, struct span path);

/* Append what a folder is called in the one around it. */
void touch_table_add_name(const struct touch_table *t, uint32_t folder,
			  struct buf *out);

/*
 * The next folder in one, or TOUCH_NONE. *at is the position, from 0: the
 * number of the folder before, plus 1.
 */
uint32_t touch_table_next(const struct touch_table *t, uint32_t folder,
			  uint32_t *at);

/*
 * What a folder is called in files/: as the file on disk. "@", "~" and ".." are
 * "%40", "%7E" and "%2E.", so that "@" and "@/~" are as in by-file/; what looks
 * like one of those begins with one more "%". What no file can be called is as
 * in by-file/. And the folder that is called so, or TOUCH_NONE.
 */
void touch_table_add_real_name(const struct touch_table *t, uint32_t folder,
			       struct buf *out);
uint32_t touch_table_real(const struct touch_table *t, uint32_t around,
			  struct span name);

int touch_table_add_path(const struct touch_table *t, uint32_t folder,
			 struct buf *out);

/* -- filling it */

/* A call whose touches are not all known, or may turn out to have failed. */
struct touching_call {
	uint32_t id; /* in the table's texts */
	uint32_t entry;
	uint32_t block; /* of the entry's blocks */
	uint32_t from;	/* its touches */
	uint32_t to;
	uint32_t note; /* 1 + the last note of it; 0: none */
	/* Of a result that came before all touches. */
	bool answered;
	uint32_t line;
	uint32_t result_block;
	bool noted; /* its touches are the note's */
	bool shell;
	bool failed;
};

/* A cache of the session (derived.h). */
struct touching {
	struct derived derived;
	struct touch_table table;
	struct buf cwd;
	struct buf dir; /* of the entry that is looked at */
	struct touching_call *calls;
	size_t n_calls;
	size_t calls_cap;
	struct idtable by_call; /* calls by their ids: of each the newest */
	/* Of calls that have touches, by the entries that have them. */
	struct touch_result *results;
	size_t n_results;
	size_t results_cap;
	uint32_t *shells; /* entries that call a shell, or have its result */
	size_t n_shells;
	size_t shells_cap;
	/* How many were looked at. */
	bool has_begun;
	uint32_t entries;
	uint32_t notes;
};

/*
 * Add the touches of all entries and notes that were not looked at. 0, or
 * -errno: then it may have a part of a line's touches, and has to be freed.
 * Begin with a zeroed struct.
 */
int touching_grow(struct touching *t, const struct session *s);
void touching_free(void *touching);

#endif
