#include "fs/edit/line_edits.h"

#include "core/json/timestamp.h"

/* A first write this long after its truncation belongs to another open. */
#define TRUNCATION_SECONDS 60

int line_edits_init(struct line_edits *e)
{
	*e = (struct line_edits){ 0 };
	return -pthread_mutex_init(&e->lock, NULL);
}

void line_edits_free(struct line_edits *e)
{
	for (size_t i = 0; i < LINE_EDITS; i++) {
		buf_free(&e->list[i].before);
		buf_free(&e->list[i].result);
		buf_free(&e->list[i].bytes);
	}
	pthread_mutex_destroy(&e->lock);
}

/* Under the lock: the edit of a file, or NULL. */
static struct line_edit *find(struct line_edits *e, uint64_t ino)
{
	for (size_t i = 0; i < LINE_EDITS; i++) {
		if (e->list[i].ino == ino)
			return &e->list[i];
	}
	return NULL;
}

static bool had_any(const struct line_edits *e)
{
	return __atomic_load_n(&e->clock, __ATOMIC_RELAXED) != 0;
}

bool line_edits_is_active(struct line_edits *e, uint64_t ino)
{
	if (!had_any(e))
		return false;
	pthread_mutex_lock(&e->lock);
	const struct line_edit *edit = find(e, ino);
	bool active = edit && !edit->ended;
	pthread_mutex_unlock(&e->lock);
	return active;
}

void line_edits_end(struct line_edits *e, uint64_t ino)
{
	if (!had_any(e))
		return;
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	if (edit && !edit->truncated)
		edit->ended = true;
	pthread_mutex_unlock(&e->lock);
}

/* Under the lock: may a write continue this edit? */
static bool may_continue(const struct line_edit *edit)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return !edit->truncated ||
	       now.tv_sec - edit->begun.tv_sec <= TRUNCATION_SECONDS;
}

static void set_buf(struct buf *b, struct span s)
{
	buf_reset(b);
	buf_add(b, s);
}

/* Under the lock: a slot for another edit; NULL if all are pending. */
static struct line_edit *find_slot(struct line_edits *e)
{
	struct line_edit *found = NULL;
	for (size_t i = 0; i < LINE_EDITS; i++) {
		struct line_edit *edit = &e->list[i];
		if (edit->ino == 0)
			return edit;
		if (!edit->pending && (!found || edit->age < found->age))
			found = edit;
	}
	return found;
}

void line_edits_begin(struct line_edits *e, uint64_t ino, bool truncate,
		      struct span line, struct span bytes)
{
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	bool anew = !edit || truncate || edit->ended || !may_continue(edit);
	if (!edit)
		edit = find_slot(e);
	if (edit && anew) {
		set_buf(&edit->before, line);
		set_buf(&edit->result, line);
		set_buf(&edit->bytes, bytes);
		edit->ended = false;
		edit->ino = ino;
		edit->age = e->clock + 1;
		__atomic_store_n(&e->clock, edit->age, __ATOMIC_RELAXED);
		clock_gettime(CLOCK_MONOTONIC, &edit->begun);
	}
	if (edit)
		edit->truncated = truncate;
	pthread_mutex_unlock(&e->lock);
}

void line_edits_set(struct line_edits *e, uint64_t ino, struct span line,
		    struct span bytes)
{
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	if (edit) {
		set_buf(&edit->result, line);
		set_buf(&edit->bytes, bytes);
	}
	pthread_mutex_unlock(&e->lock);
}

/* Under the lock: is `line` the one that the edit has set, or found? */
static bool has_result(const struct line_edit *edit, struct span line)
{
	return edit && !edit->result.failed &&
	       span_eq(line, buf_span(&edit->result));
}

bool line_edits_is_result(struct line_edits *e, uint64_t ino, struct span line)
{
	pthread_mutex_lock(&e->lock);
	bool is = has_result(find(e, ino), line);
	pthread_mutex_unlock(&e->lock);
	return is;
}

bool line_edits_get_bytes(struct line_edits *e, uint64_t ino, struct span line,
			  struct buf *out)
{
	pthread_mutex_lock(&e->lock);
	const struct line_edit *edit = find(e, ino);
	bool mine = has_result(edit, line) && !edit->bytes.failed;
	if (mine)
		buf_add(out, buf_span(&edit->bytes));
	pthread_mutex_unlock(&e->lock);
	return mine;
}

bool line_edits_undo(struct line_edits *e, uint64_t ino, struct span line,
		     struct buf *before)
{
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	bool mine =
		has_result(edit, line) && !edit->ended && !edit->before.failed;
	if (mine)
		buf_add(before, buf_span(&edit->before));
	if (edit)
		edit->ino = 0;
	pthread_mutex_unlock(&e->lock);
	return mine && !buf_error(before);
}

bool line_edits_is_pending(struct line_edits *e, uint64_t ino)
{
	if (!line_edits_any_pending(e))
		return false;
	pthread_mutex_lock(&e->lock);
	const struct line_edit *edit = find(e, ino);
	bool pending = edit && edit->pending;
	pthread_mutex_unlock(&e->lock);
	return pending;
}

int64_t line_edits_due(struct line_edits *e)
{
	int64_t due = INT64_MAX;
	if (!line_edits_any_pending(e))
		return due;
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < LINE_EDITS; i++) {
		if (e->list[i].pending && e->list[i].due < due)
			due = e->list[i].due;
	}
	pthread_mutex_unlock(&e->lock);
	return due;
}

bool line_edits_defer(struct line_edits *e, uint64_t ino, uint32_t home,
		      int64_t ms)
{
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	if (edit && !edit->pending) {
		edit->pending = true;
		edit->home = home;
		edit->due = timestamp_monotonic() + ms;
		__atomic_add_fetch(&e->pending, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&e->lock);
	return edit != NULL;
}

void line_edits_postpone(struct line_edits *e, uint64_t ino, int64_t ms)
{
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	if (edit)
		edit->due = timestamp_monotonic() + ms;
	pthread_mutex_unlock(&e->lock);
}

bool line_edits_undefer(struct line_edits *e, uint64_t ino)
{
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	bool was_pending = edit && edit->pending;
	if (was_pending) {
		edit->pending = false;
		__atomic_sub_fetch(&e->pending, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&e->lock);
	return was_pending;
}

uint64_t line_edits_next_of(struct line_edits *e, uint32_t home)
{
	uint64_t ino = 0;
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < LINE_EDITS && ino == 0; i++) {
		const struct line_edit *edit = &e->list[i];
		if (edit->pending && edit->home == home)
			ino = edit->ino;
	}
	pthread_mutex_unlock(&e->lock);
	return ino;
}

size_t line_edits_list_due(struct line_edits *e, int64_t by,
			   uint64_t inos[LINE_EDITS])
{
	size_t n = 0;
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < LINE_EDITS; i++) {
		if (e->list[i].pending && e->list[i].due <= by)
			inos[n++] = e->list[i].ino;
	}
	pthread_mutex_unlock(&e->lock);
	return n;
}
