/*
 * Filling the table of core/show/touches.h: what entries and notes say, line by
 * line, in file order.
 */
#ifndef SESSFS_TOUCHING_H
#define SESSFS_TOUCHING_H

#include "core/session/derived.h"
#include "core/session/dialect.h"
#include "core/show/touch_table.h"

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
