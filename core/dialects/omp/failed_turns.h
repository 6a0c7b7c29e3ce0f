/*
 * Calls and results in a context, and what oh-my-pi takes off it before it
 * sends it (session-context.ts, buildSessionContext; 18.3.4):
 *
 *   - tool calls without a result in the context, and turns of which nothing is
 *     left then
 *   - failed turns, from the last to the first, with the later results of their
 *     calls, unless a note of interrupted thinking follows
 *
 * The agent writes ids as strings. All others count as one id.
 */
#ifndef SESSFS_OMP_FAILED_TURNS_H
#define SESSFS_OMP_FAILED_TURNS_H

#include "core/dialects/kit/sending.h"

/* piece.kind */
enum omp_kind {
	OMP_OTHER,
	OMP_ASSISTANT,
	OMP_RESULT,
	OMP_INTERRUPTED, /* a note of interrupted thinking */
	OMP_COMPACTION,
};

/* piece.flags of an assistant's turn */
#define OMP_FAILED 1   /* with an error, or aborted */
#define OMP_SAYS 2     /* it has more than calls */
#define OMP_STRIPPED 4 /* some of its calls have no result */
#define OMP_NOTED 8    /* a note of interrupted thinking follows */

/* Add a turn, or the result of a call. 0 or -errno. */
int omp_add_turn(struct sending *x, struct piece p, struct json message);
int omp_add_result(struct sending *x, struct piece p, struct json call);

/* Has the n-th call of a turn a result? */
bool omp_is_answered(const struct sending *x, const struct piece *turn,
		     uint32_t n);

/* Passes. */
sending_pass omp_strip_unanswered_calls;
sending_pass omp_take_off_failed_turns;
sending_pass omp_find_interrupted_turns;

#endif
