#include "core/dialects/pi/state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"

void *pi_state_new(void)
{
	return calloc(1, sizeof(struct pi_state));
}

void pi_state_free(void *state)
{
	pi_state_clear(state);
	free(state);
}

void pi_state_clear(struct pi_state *p)
{
	free(p->skipped);
	*p = (struct pi_state){ 0 };
}

uint32_t pi_values(const struct session *s)
{
	const struct pi_state *p = s->now.state;
	return p ? p->values : 0;
}

struct id_space pi_id_space(const struct session *s)
{
	const struct pi_state *p = s->now.state;
	return p && p->has_space ? p->space : ids_space(s);
}

int pi_skip(struct session *s)
{
	struct pi_state *p = pi_state(s);
	if (array_reserve(&p->skipped, &p->cap_skipped, p->n_skipped, 1) < 0)
		return -ENOMEM;
	p->skipped[p->n_skipped++] = p->values;
	return 0;
}

void pi_count(struct session *s)
{
	pi_state(s)->values++;
}

static bool position_before(const void *skipped, size_t i, const void *at)
{
	return ((const uint32_t *)skipped)[i] < *(const uint32_t *)at;
}

/* How many of the skipped positions come before this one. */
static uint32_t skipped_before(const struct pi_state *p, uint32_t at)
{
	return (uint32_t)array_search(p->skipped, p->n_skipped, position_before,
				      &at);
}

uint32_t pi_entry_at_place(const struct session *s, double place)
{
	const struct pi_state *p = s->now.state;
	if (!p || !(place >= 0) || place >= INDEX_LIMIT ||
	    floor(place) != place)
		return INDEX_NONE;
	uint32_t at = (uint32_t)place;
	uint32_t before = skipped_before(p, at);
	if ((before < p->n_skipped && p->skipped[before] == at) ||
	    at - before >= s->now.index.n)
		return INDEX_NONE;
	return at - before;
}
