#include "fs/edit/line_edits.h"

#include "core/json/timestamp.h"

/* A first write this long after its truncation belongs to another open. */
#define TRUNCATION_MS 60000

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

struct line_edit *line_edits_lock(struct line_edits *e, uint64_t ino)
{
	if (__atomic_load_n(&e->clock, __ATOMIC_RELAXED) == 0)
		return NULL;
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	if (!edit)
		pthread_mutex_unlock(&e->lock);
	return edit;
}

void line_edits_unlock(struct line_edits *e, const struct line_edit *edit)
{
	if (edit)
		pthread_mutex_unlock(&e->lock);
}

void line_edits_end(struct line_edits *e, uint64_t ino)
{
	struct line_edit *edit = line_edits_lock(e, ino);
	if (edit && !edit->truncated)
		edit->ended = true;
	line_edits_unlock(e, edit);
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

bool line_edit_has(const struct line_edit *edit, struct span line)
{
	return edit && !edit->result.failed &&
	       span_eq(line, buf_span(&edit->result));
}

void line_edits_begin(struct line_edits *e, uint64_t ino, bool truncate,
		      struct span line, struct span bytes)
{
	int64_t now = timestamp_monotonic();
	pthread_mutex_lock(&e->lock);
	struct line_edit *edit = find(e, ino);
	/* Somebody else may have set another line since the truncation. */
	bool anew = !edit || truncate || edit->ended ||
		    (edit->truncated && (now - edit->begun > TRUNCATION_MS ||
					 !line_edit_has(edit, line)));
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
		edit->begun = now;
	}
	if (edit)
		edit->truncated = truncate;
	pthread_mutex_unlock(&e->lock);
}

void line_edits_set(struct line_edits *e, uint64_t ino, struct span line,
		    struct span bytes)
{
	struct line_edit *edit = line_edits_lock(e, ino);
	if (edit) {
		set_buf(&edit->result, line);
		set_buf(&edit->bytes, bytes);
	}
	line_edits_unlock(e, edit);
}

bool line_edits_get_bytes(struct line_edits *e, uint64_t ino, struct span line,
			  struct buf *out)
{
	const struct line_edit *edit = line_edits_lock(e, ino);
	bool mine = line_edit_has(edit, line) && !edit->bytes.failed;
	if (mine)
		buf_add(out, buf_span(&edit->bytes));
	line_edits_unlock(e, edit);
	return mine;
}

void line_edits_forget(struct line_edits *e, uint64_t ino)
{
	struct line_edit *edit = line_edits_lock(e, ino);
	if (edit && !edit->pending)
		edit->ino = 0;
	line_edits_unlock(e, edit);
}

bool line_edits_undo(struct line_edits *e, uint64_t ino, struct span line,
		     struct buf *before)
{
	struct line_edit *edit = line_edits_lock(e, ino);
	bool mine = line_edit_has(edit, line) && !edit->ended &&
		    !edit->before.failed;
	if (mine)
		buf_add(before, buf_span(&edit->before));
	if (edit)
		edit->ino = 0;
	line_edits_unlock(e, edit);
	return mine && !buf_error(before);
}

bool line_edits_is_pending(struct line_edits *e, uint64_t ino)
{
	if (!line_edits_any_pending(e))
		return false;
	const struct line_edit *edit = line_edits_lock(e, ino);
	bool pending = edit && edit->pending;
	line_edits_unlock(e, edit);
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
	struct line_edit *edit = line_edits_lock(e, ino);
	if (edit && !edit->pending) {
		edit->pending = true;
		edit->home = home;
		edit->due = timestamp_monotonic() + ms;
		__atomic_add_fetch(&e->pending, 1, __ATOMIC_RELEASE);
	}
	line_edits_unlock(e, edit);
	return edit != NULL;
}

bool line_edits_undefer(struct line_edits *e, uint64_t ino)
{
	struct line_edit *edit = line_edits_lock(e, ino);
	bool was_pending = edit && edit->pending;
	if (was_pending) {
		edit->pending = false;
		__atomic_sub_fetch(&e->pending, 1, __ATOMIC_RELEASE);
	}
	line_edits_unlock(e, edit);
	return was_pending;
}

size_t line_edits_list_due(struct line_edits *e, uint32_t home, int64_t by,
			   uint64_t inos[LINE_EDITS])
{
	size_t n = 0;
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < LINE_EDITS; i++) {
		const struct line_edit *edit = &e->list[i];
		if (edit->pending && edit->due <= by &&
		    (home == LINE_EDITS_ALL || edit->home == home))
			inos[n++] = edit->ino;
	}
	pthread_mutex_unlock(&e->lock);
	return n;
}
