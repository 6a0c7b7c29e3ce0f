/*
 * The Pi family's own part of the contents, now.state. A dialect of the family
 * that needs more has a struct pi_state as the first member of its own state,
 * and frees it with pi_state_clear().
 *
 * Version 1 is linear (now.linear): entries have no ids and follow each other.
 * A compaction there names the first entry it keeps by its position among the
 * values, the header being 0. `values` counts them, `skipped` lists in
 * ascending order the positions that are no entries.
 */
#ifndef SESSFS_PI_STATE_H
#define SESSFS_PI_STATE_H

#include "core/dialects/kit/ids.h"
#include "core/session/session.h"

struct pi_state {
	uint32_t values; /* lines that the agent parses */
	uint32_t *skipped;
	uint32_t n_skipped;
	size_t cap_skipped;
	bool has_space;
	struct id_space space; /* the header's id */
};

void *pi_state_new(void);
void pi_state_free(void *state);
void pi_state_clear(struct pi_state *p);

static inline struct pi_state *pi_state(struct session *s)
{
	return s->now.state;
}

/* The lines that the agent parses, so far. */
uint32_t pi_values(const struct session *s);

/* ids_space() of the session, from memory once there is a header. */
struct id_space pi_id_space(const struct session *s);

/* Count a value that is no entry as skipped; pi_count() follows. */
int pi_skip(struct session *s);
void pi_count(struct session *s);

/* The entry at a position among the values; INDEX_NONE if there is none. */
uint32_t pi_entry_at_place(const struct session *s, double place);

#endif
