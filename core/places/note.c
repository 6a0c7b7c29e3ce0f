#include "core/places/private.h"

bool place_note(struct place *at, struct buf *out)
{
	const struct place_state *state = at->state;
	pthread_rwlock_rdlock(&at->places->state->lock);
	bool has =
		state->note.len > 0 && version_eq(state->noted, state->checked);
	if (has)
		buf_add(out, buf_span(&state->note));
	pthread_rwlock_unlock(&at->places->state->lock);
	return has;
}

void place_set_note(struct place *at, struct version of, struct span note)
{
	struct place_state *state = at->state;
	struct buf bytes = { 0 };
	if (!version_eq(of, VERSION_UNKNOWN))
		buf_add(&bytes, note);
	pthread_rwlock_wrlock(&at->places->state->lock);
	struct buf old = state->note;
	state->note = bytes;
	state->noted = of;
	pthread_rwlock_unlock(&at->places->state->lock);
	buf_free(&old);
}
