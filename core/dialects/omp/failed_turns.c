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
#include "core/dialects/omp/omp.h"

#include <errno.h>
#include <stdlib.h>

/* sent_id.flags; sent_id.own is the first failed turn with it, plus 1. */
#define ANSWERED 1

int omp_add_turn(struct sending *x, struct piece p, struct json message)
{
	p.kind = OMP_ASSISTANT;
	int err = sending_add(x, p);
	uint32_t place = x->n - 1;
	JSON_EACH_WHILE(!err, block, json_get(message, "content")) {
		JSON_FIELDS(f, block, type, id);
		if (json_is(f.type, SPAN("toolCall")))
			err = sending_add_call(x, f.id);
		else if (!json_is(f.type, SPAN("redactedThinking")))
			x->list[place].flags |= OMP_SAYS;
	}
	return err;
}

int omp_add_result(struct sending *x, struct piece p, struct json call)
{
	p.kind = OMP_RESULT;
	int err = sending_add(x, p);
	if (!err)
		err = sending_add_call(x, call);
	if (!err)
		sending_known(x, &x->list[x->n - 1], 0)->flags |= ANSWERED;
	return err;
}

bool omp_is_answered(const struct sending *x, const struct piece *turn,
		     uint32_t n)
{
	return n < turn->n_calls && sending_known(x, turn, n)->flags & ANSWERED;
}

int omp_strip_unanswered_calls(struct sending *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct piece *p = &x->list[i];
		uint32_t answered = 0;
		for (uint32_t n = 0; n < p->n_calls; n++)
			answered += omp_is_answered(x, p, n);
		if (answered == p->n_calls)
			continue;
		p->flags |= OMP_STRIPPED;
		p->dropped = answered == 0 && !(p->flags & OMP_SAYS);
	}
	return 0;
}

/* Is it a result that a failed turn before it has taken along? */
static bool is_taken_along(const struct sending *x, uint32_t i)
{
	const struct piece *p = &x->list[i];
	return p->kind == OMP_RESULT && sending_known(x, p, 0)->own > 0 &&
	       sending_known(x, p, 0)->own <= i;
}

int omp_take_off_failed_turns(struct sending *x)
{
	/* What is left after a piece, the next one last. */
	uint32_t *left = calloc((size_t)x->n + 1, sizeof(*left));
	uint32_t n_left = 0;
	if (!left)
		return -ENOMEM;
	for (uint32_t i = x->n; i-- > 0;) {
		struct piece *p = &x->list[i];
		while (n_left > 0 && is_taken_along(x, left[n_left - 1]))
			n_left--;
		bool noted = n_left > 0 &&
			     x->list[left[n_left - 1]].kind == OMP_INTERRUPTED;
		p->dropped = p->dropped || (p->flags & OMP_FAILED && !noted);
		if (!p->dropped)
			left[n_left++] = i;
		else if (p->flags & OMP_FAILED)
			for (uint32_t n = 0; n < p->n_calls; n++)
				sending_known(x, p, n)->own = i + 1;
	}
	for (uint32_t i = 0; i < x->n; i++)
		x->list[i].dropped = x->list[i].dropped || is_taken_along(x, i);
	free(left);
	return 0;
}

int omp_find_interrupted_turns(struct sending *x)
{
	bool noted = false;
	for (uint32_t i = x->n; i-- > 0;) {
		struct piece *p = &x->list[i];
		if (p->dropped)
			continue;
		if (noted)
			p->flags |= OMP_NOTED;
		noted = p->kind == OMP_INTERRUPTED;
	}
	return 0;
}
