/*
 * The list of messages of a context, and its cleanup before oh-my-pi sends it
 * (session-context.ts, buildSessionContext; 18.3.4):
 *
 *   - Tool calls without a result in the list are removed, and so are turns
 *     of which nothing is left.
 *   - Failed turns are removed, from the last to the first, with the later
 *     results of their calls, unless a note of interrupted thinking follows.
 *
 * An item has the properties of a message that matter here; the caller keeps
 * the message. Two ids of calls are equal if JavaScript's Set finds them equal:
 * strings and numbers by value, while objects are all different. Takes linear
 * time.
 */
#ifndef SESSFS_OMP_CALLS_H
#define SESSFS_OMP_CALLS_H

#include "core/base/idtable.h"
#include "core/json/json.h"

/* The role of a message in the cleanup. */
enum omp_role {
	OMP_OTHER,
	OMP_ASSISTANT,
	OMP_RESULT,
	OMP_INTERRUPTED, /* a note of interrupted thinking */
};

struct omp_item {
	/* The caller's. */
	uint32_t place;
	uint8_t kind;

	uint8_t role; /* enum omp_role */
	bool failed;  /* a turn with an error, or aborted */

	/* Set by the list. */
	bool stripped; /* some of its calls have no result */
	uint32_t calls;
	uint32_t n_calls;
	uint32_t n_blocks; /* blocks other than calls */
	uint32_t group;	   /* a result's */
	uint32_t before;
	uint32_t after;
	uint32_t next_result;
};

struct omp_list {
	/* private: lists of structs are kept in buffers */
	struct buf items;
	struct buf calls; /* numbers of groups */
	struct buf groups;
	struct buf keys;
	struct idtable by_key;
	uint32_t first;
	uint32_t last;
};

void omp_list_init(struct omp_list *l);
void omp_list_free(struct omp_list *l);

/* Add a message, a turn with its blocks, or a result of a call. -ENOMEM. */
int omp_list_add(struct omp_list *l, struct omp_item item);
int omp_list_add_turn(struct omp_list *l, struct omp_item item,
		      struct json message);
int omp_list_add_result(struct omp_list *l, struct omp_item item,
			struct json call);

void omp_list_clean(struct omp_list *l);

/* The items in order; NULL at the end. */
const struct omp_item *omp_list_first(const struct omp_list *l);
const struct omp_item *omp_list_next(const struct omp_list *l,
				     const struct omp_item *item);

/* Does a note of interrupted thinking follow it? */
bool omp_list_has_note(const struct omp_list *l, const struct omp_item *item);

/* Does the n-th call of a turn have a result? */
bool omp_list_is_answered(const struct omp_list *l, const struct omp_item *item,
			  uint32_t n);

#endif
