#include "fs/edit/oneline.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/writer.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"

/* A first write this long after the truncation belongs to another open. */
#define TRUNCATION_SECONDS 60

int oneline_edits_init(struct oneline_edits *e)
{
	*e = (struct oneline_edits){ 0 };
	int err = pthread_mutex_init(&e->lock, NULL);
	if (!err)
		err = pthread_mutex_init(&e->settling, NULL);
	return -err;
}

void oneline_edits_free(struct oneline_edits *e)
{
	for (size_t i = 0; i < ONELINE_EDITS; i++) {
		buf_free(&e->list[i].before);
		buf_free(&e->list[i].left);
		buf_free(&e->list[i].bytes);
	}
	pthread_mutex_destroy(&e->settling);
	pthread_mutex_destroy(&e->lock);
}

/* Under the lock. */
static struct oneline_edit *find(struct oneline_edits *e, uint64_t ino)
{
	for (size_t i = 0; i < ONELINE_EDITS; i++) {
		if (e->list[i].ino == ino)
			return &e->list[i];
	}
	return NULL;
}

static bool were_any(const struct oneline_edits *e)
{
	return __atomic_load_n(&e->clock, __ATOMIC_RELAXED) != 0;
}

bool oneline_is_edited(struct oneline_edits *e, uint64_t ino)
{
	if (!were_any(e))
		return false;
	pthread_mutex_lock(&e->lock);
	const struct oneline_edit *edit = find(e, ino);
	bool edited = edit && !edit->over;
	pthread_mutex_unlock(&e->lock);
	return edited;
}

void oneline_edit_end(struct oneline_edits *e, uint64_t ino)
{
	if (!were_any(e))
		return;
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	if (edit && !edit->truncated)
		edit->over = true;
	pthread_mutex_unlock(&e->lock);
}

/* Under the lock: may a write go on with this edit? */
static bool goes_on(const struct oneline_edit *edit)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return !edit->truncated ||
	       now.tv_sec - edit->when.tv_sec <= TRUNCATION_SECONDS;
}

static void set_buf(struct buf *b, struct span s)
{
	buf_clear(b);
	buf_add(b, s);
}

/* Under the lock: a slot for another edit; NULL if truncations wait in all. */
static struct oneline_edit *oldest(struct oneline_edits *e)
{
	struct oneline_edit *found = NULL;
	for (size_t i = 0; i < ONELINE_EDITS; i++) {
		struct oneline_edit *edit = &e->list[i];
		if (edit->ino == 0)
			return edit;
		if (!edit->waits && (!found || edit->age < found->age))
			found = edit;
	}
	return found;
}

/* Begin an edit of the line as it is, or go on with one. */
static void edit_begin(struct oneline_edits *e, uint64_t ino, bool truncate,
		       struct span line, struct span bytes)
{
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	bool anew = !edit || truncate || edit->over || !goes_on(edit);
	if (!edit)
		edit = oldest(e);
	if (edit && anew) {
		set_buf(&edit->before, line);
		set_buf(&edit->left, line);
		set_buf(&edit->bytes, bytes);
		edit->over = false;
		edit->ino = ino;
		edit->age = e->clock + 1;
		__atomic_store_n(&e->clock, edit->age, __ATOMIC_RELAXED);
		clock_gettime(CLOCK_MONOTONIC, &edit->when);
	}
	if (edit)
		edit->truncated = truncate;
	pthread_mutex_unlock(&e->lock);
}

/* What the edit has made of the line, and of which bytes. */
static void edit_left(struct oneline_edits *e, uint64_t ino, struct span line,
		      struct span bytes)
{
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	if (edit) {
		set_buf(&edit->left, line);
		set_buf(&edit->bytes, bytes);
	}
	pthread_mutex_unlock(&e->lock);
}

/* Is this the line that the edit has left, or found? */
static bool edit_has_left(struct oneline_edits *e, uint64_t ino,
			  struct span line)
{
	pthread_mutex_lock(&e->lock);
	const struct oneline_edit *edit = find(e, ino);
	bool has = edit && !edit->left.failed &&
		   span_eq(line, buf_span(&edit->left));
	pthread_mutex_unlock(&e->lock);
	return has;
}

/* The bytes that an edit has made this line of; or false. */
static bool edit_bytes(struct oneline_edits *e, uint64_t ino, struct span line,
		       struct buf *out)
{
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	bool mine = edit && !edit->left.failed && !edit->bytes.failed &&
		    span_eq(line, buf_span(&edit->left));
	if (mine)
		buf_add(out, buf_span(&edit->bytes));
	pthread_mutex_unlock(&e->lock);
	return mine;
}

/*
 * End the edit. Gives the line from before it, if the line now is what the edit
 * has left there.
 */
static bool edit_undo(struct oneline_edits *e, uint64_t ino, struct span now,
		      struct buf *before)
{
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	bool mine = edit && !edit->over && !edit->left.failed &&
		    !edit->before.failed && span_eq(now, buf_span(&edit->left));
	if (mine)
		buf_add(before, buf_span(&edit->before));
	if (edit)
		edit->ino = 0;
	pthread_mutex_unlock(&e->lock);
	return mine && !buf_error(before);
}

bool oneline_is_valid(struct span text)
{
	if (text.n > ONELINE_LIMIT || !text_is_utf8(text))
		return false;
	while (text.n > 0) {
		size_t len;
		uint32_t cp = text_code_point(text, &len);
		if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0))
			return false;
		text.p += len;
		text.n -= len;
	}
	return true;
}

bool oneline_is_emptied(struct oneline_edits *e, uint64_t ino)
{
	if (__atomic_load_n(&e->waiting, __ATOMIC_ACQUIRE) == 0)
		return false;
	pthread_mutex_lock(&e->lock);
	const struct oneline_edit *edit = find(e, ino);
	bool emptied = edit && edit->waits;
	pthread_mutex_unlock(&e->lock);
	return emptied;
}

int64_t oneline_due(struct oneline_edits *e)
{
	int64_t due = INT64_MAX;
	if (__atomic_load_n(&e->waiting, __ATOMIC_ACQUIRE) == 0)
		return due;
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < ONELINE_EDITS; i++) {
		if (e->list[i].waits && e->list[i].due < due)
			due = e->list[i].due;
	}
	pthread_mutex_unlock(&e->lock);
	return due;
}

/* The truncation is to wait for a write; false if there was no slot for it. */
static bool start_waiting(struct oneline_edits *e, uint64_t ino)
{
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	if (edit && !edit->waits) {
		edit->waits = true;
		edit->due = timestamp_monotonic() + ONELINE_WAIT_MS;
		__atomic_add_fetch(&e->waiting, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&e->lock);
	return edit != NULL;
}

/* It waits no more; false if it did not. */
static bool stop_waiting(struct oneline_edits *e, uint64_t ino)
{
	pthread_mutex_lock(&e->lock);
	struct oneline_edit *edit = find(e, ino);
	bool waited = edit && edit->waits;
	if (waited) {
		edit->waits = false;
		__atomic_sub_fetch(&e->waiting, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&e->lock);
	return waited;
}

/* The file of one that waits, or 0. */
static uint64_t next_waiting(struct oneline_edits *e)
{
	uint64_t ino = 0;
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < ONELINE_EDITS && ino == 0; i++) {
		if (e->list[i].waits)
			ino = e->list[i].ino;
	}
	pthread_mutex_unlock(&e->lock);
	return ino;
}

/*
 * Find the file with the session's file locked, its place pinned; end() follows
 * on 0.
 */
static int begin(struct fs *fs, uint64_t ino, struct writer *w, struct node *n)
{
	/* Entered once, so that there is a session. */
	int err = tree_enter(&fs->tree, ino, n);
	if (err)
		return err;
	struct place *at = n->place;
	if (n->kind != KIND_LABEL && n->kind != KIND_NAME) {
		tree_leave(n);
		return -EPERM;
	}
	place_leave(at);
	err = place_begin_write(at, w);
	if (!err) {
		err = tree_node(at, ino, n);
		if (err)
			writer_end(w);
	}
	if (err)
		place_put(at);
	return err;
}

static void end(struct writer *w, const struct node *n)
{
	writer_end(w);
	place_put(n->place);
}

/* The line as it is, empty if there is none; and another one in its place. */
static struct span line_of(const struct session *s, const struct node *n)
{
	return n->kind == KIND_NAME ? buf_span(&s->now.name)
				    : session_label(s, n->entry);
}

static int set_line(struct writer *w, const struct node *n, struct span line)
{
	return n->kind == KIND_NAME ? writer_set_name(w, line)
				    : writer_set_label(w, n->entry, line);
}

/* The file's bytes as they are: the line and a newline, or nothing. */
static void add_file(const struct session *s, const struct node *n,
		     struct buf *out)
{
	struct span line = line_of(s, n);
	buf_add(out, line);
	if (line.n > 0)
		buf_addc(out, '\n');
}

/* Make the file's bytes the line. */
static int set_file(struct writer *w, const struct node *n, struct buf *file)
{
	if (buf_error(file))
		return -ENOMEM;
	struct span text = buf_span(file);
	if (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	return oneline_is_valid(text) ? set_line(w, n, text) : -EINVAL;
}

/* A refused write: what this edit did before is taken back. */
static void take_back(struct fs *fs, uint64_t ino, struct writer *w,
		      const struct node *n)
{
	struct buf before = { 0 };
	if (edit_undo(&fs->edits, ino, line_of(w->session, n), &before))
		set_line(w, n, buf_span(&before));
	buf_free(&before);
}

/*
 * Empty a file for who opens it, so that the line is cleared unless a write
 * follows. What would fail then fails now.
 */
static int empty(struct fs *fs, uint64_t ino)
{
	struct writer w;
	struct node n;
	int err = begin(fs, ino, &w, &n);
	if (err)
		return err;
	struct span line = line_of(w.session, &n);
	if (line.n > 0 && n.kind == KIND_NAME)
		err = writer_can_set_name(w.session);
	if (!err)
		edit_begin(&fs->edits, ino, true, line, (struct span){ "", 0 });
	if (!err && line.n > 0 && !start_waiting(&fs->edits, ino))
		err = set_line(&w, &n, (struct span){ "", 0 });
	end(&w, &n);
	watch_wake(&fs->watch);
	return err;
}

/*
 * Bring a truncation that waits to its session, unless a write has come, or
 * somebody else has set another line.
 */
static void clear(struct fs *fs, uint64_t ino)
{
	struct writer w;
	struct node n;
	if (begin(fs, ino, &w, &n) == 0) {
		const struct span none = { "", 0 };
		struct span line = line_of(w.session, &n);
		if (oneline_is_emptied(&fs->edits, ino) &&
		    edit_has_left(&fs->edits, ino, line) &&
		    set_line(&w, &n, none) == 0 &&
		    tree_node(n.place, ino, &n) == 0)
			edit_left(&fs->edits, ino, line_of(w.session, &n),
				  none);
		stop_waiting(&fs->edits, ino);
		end(&w, &n);
	} else {
		stop_waiting(&fs->edits, ino);
		notify_attributes(fs, ino);
	}
}

void oneline_settle(struct fs *fs)
{
	struct oneline_edits *e = &fs->edits;
	uint64_t ino;
	if (__atomic_load_n(&e->waiting, __ATOMIC_ACQUIRE) == 0)
		return;
	pthread_mutex_lock(&e->settling);
	while ((ino = next_waiting(e)) != 0)
		clear(fs, ino);
	pthread_mutex_unlock(&e->settling);
}

/* Cut the file at an offset, and add data there. */
static int change(struct fs *fs, uint64_t ino, uint64_t offset,
		  struct span data, bool truncate)
{
	struct writer w;
	struct node n;
	struct buf file = { 0 };
	int err = begin(fs, ino, &w, &n);
	if (err)
		return err;
	const struct session *s = w.session;
	/* A truncation that waits is part of the write. */
	bool emptied = stop_waiting(&fs->edits, ino);
	if (!emptied &&
	    (truncate || !edit_bytes(&fs->edits, ino, line_of(s, &n), &file)))
		add_file(s, &n, &file);
	edit_begin(&fs->edits, ino, truncate, line_of(s, &n), buf_span(&file));
	if (offset > file.len || data.n > ONELINE_LIMIT + 1) {
		err = -EINVAL;
	} else {
		file.len = offset;
		buf_add(&file, data);
		err = set_file(&w, &n, &file);
	}
	if (err == -EINVAL)
		take_back(fs, ino, &w, &n);
	/* The session may have become another one while it was written. */
	else if (tree_node(n.place, ino, &n) == 0)
		edit_left(&fs->edits, ino, line_of(s, &n), buf_span(&file));
	end(&w, &n);
	buf_free(&file);
	return err;
}

int oneline_truncate(struct fs *fs, uint64_t ino, uint64_t size, bool opens)
{
	if (opens && size == 0 && fs->watch.running)
		return empty(fs, ino);
	return change(fs, ino, size, (struct span){ "", 0 }, true);
}

int oneline_write(struct fs *fs, uint64_t ino, uint64_t offset,
		  struct span data)
{
	return change(fs, ino, offset, data, false);
}
