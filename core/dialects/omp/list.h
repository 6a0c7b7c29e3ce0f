/*
 * The list of messages of which oh-my-pi makes a context, and how it is cleaned
 * up before it is sent (session-context.ts, buildSessionContext; 18.2.0):
 *
 *   - tool calls that have no result in the list go, and turns of which nothing
 *     is left then;
 *   - turns that failed go, from the last to the first, with the results of
 *     their calls that come later, unless the note of what was being thought
 *     comes next.
 *
 * An item is known by what of its message matters for that; the message itself
 * is its caller's. Ids of calls are the same where JavaScript's Set says so:
 * equal strings, numbers and so on, but objects are all different. The cost is
 * linear.
 */
#ifndef SESSFS_OMP_LIST_H
#define SESSFS_OMP_LIST_H

#include "core/base/idtable.h"
#include "core/json/json.h"

/* No item, no place. */
#define OMP_NOWHERE UINT32_MAX

/* What a message is to those around it. */
enum omp_role {
	OMP_OTHER,
	OMP_ASSISTANT,
	OMP_RESULT,
	OMP_INTERRUPTED, /* the note of interrupted thinking */
};

struct omp_item {
	/* The caller's. */
	uint32_t place;
	uint8_t kind;

	uint8_t role; /* enum omp_role */
	bool failed;  /* the turn, with an error or aborted */

	/* Set by the list. */
	bool stripped; /* some of its calls have no result */
	uint32_t calls;
	uint32_t n_calls;
	uint32_t n_blocks; /* others, which stay when calls go */
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

/* What is on it, in order; NULL at the end. */
const struct omp_item *omp_list_first(const struct omp_list *l);
const struct omp_item *omp_list_next(const struct omp_list *l,
				     const struct omp_item *item);

/* Is it followed by the note of interrupted thinking? */
bool omp_list_is_noted(const struct omp_list *l, const struct omp_item *item);

/* Has the n-th call of a turn a result? */
bool omp_list_is_answered(const struct omp_list *l, const struct omp_item *item,
			  uint32_t n);

#endif
