#include <time.h>

#include "core/file/same.h"
#include "core/places/private.h"

bool file_version_eq(const struct file_version *a, const struct file_version *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       same_time(a->mtime, b->mtime) && same_time(a->ctime, b->ctime);
}

struct timespec place_note_time(void)
{
	struct timespec now = { 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	return now;
}

bool place_note(struct place *at, struct buf *out)
{
	const struct place_state *state = at->state;
	brlock_rdlock(&at->places->state->lock);
	bool has = state->note.len > 0 &&
		   file_version_eq(&state->noted, &state->checked);
	if (has)
		buf_add(out, buf_span(&state->note));
	brlock_rdunlock(&at->places->state->lock);
	return has;
}

void place_set_note(struct place *at, const struct stat *st,
		    struct timespec before, struct span note)
{
	struct place_state *state = at->state;
	struct buf bytes = { 0 };
	if (same_is_settled(st, before))
		buf_add(&bytes, note);
	brlock_wrlock(&at->places->state->lock);
	struct buf old = state->note;
	state->note = bytes;
	state->noted = file_version_of(st);
	brlock_wrunlock(&at->places->state->lock);
	buf_free(&old);
}
