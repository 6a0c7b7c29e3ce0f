#include <time.h>

#include "core/file/same.h"
#include "core/places/private.h"

/* The kernel's clock for files may lag behind by a tick of at most 10 ms. */
#define TICK_NS 20000000

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

static bool was_settled(struct timespec changed, struct timespec at)
{
	int64_t seconds = (int64_t)at.tv_sec - changed.tv_sec;
	if (seconds < 0 || seconds > 1)
		return seconds > 1;
	return seconds * 1000000000 + at.tv_nsec - changed.tv_nsec > TICK_NS;
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
	if (was_settled(st->st_ctim, before))
		buf_add(&bytes, note);
	brlock_wrlock(&at->places->state->lock);
	struct buf old = state->note;
	state->note = bytes;
	state->noted = file_version_of(st);
	brlock_wrunlock(&at->places->state->lock);
	buf_free(&old);
}
