#include "fs/label.h"

#include <errno.h>

#include "core/text.h"
#include "core/write.h"
#include "fs/fs.h"

/* A first write this long after the truncation belongs to another open. */
#define TRUNCATION_SECONDS 60

int label_edits_init(struct label_edits *e)
{
	*e = (struct label_edits){ 0 };
	return -pthread_mutex_init(&e->lock, NULL);
}

void label_edits_free(struct label_edits *e)
{
	for (size_t i = 0; i < LABEL_EDITS; i++) {
		buf_free(&e->list[i].before);
		buf_free(&e->list[i].left);
	}
	pthread_mutex_destroy(&e->lock);
}

/* Under the lock. */
static struct label_edit *find(struct label_edits *e, uint64_t ino)
{
	for (size_t i = 0; i < LABEL_EDITS; i++) {
		if (e->list[i].ino == ino)
			return &e->list[i];
	}
	return NULL;
}

static bool were_any(const struct label_edits *e)
{
	return __atomic_load_n(&e->clock, __ATOMIC_RELAXED) != 0;
}

bool label_is_edited(struct label_edits *e, uint64_t ino)
{
	if (!were_any(e))
		return false;
	pthread_mutex_lock(&e->lock);
	bool edited = find(e, ino) != NULL;
	pthread_mutex_unlock(&e->lock);
	return edited;
}

void label_edit_end(struct label_edits *e, uint64_t ino)
{
	if (!were_any(e))
		return;
	pthread_mutex_lock(&e->lock);
	struct label_edit *edit = find(e, ino);
	if (edit && !edit->truncated)
		edit->ino = 0;
	pthread_mutex_unlock(&e->lock);
}

/* Under the lock: may a write go on with this edit? */
static bool goes_on(const struct label_edit *edit)
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

/* Begin an edit of the label as it is, or go on with one. */
static void edit_begin(struct label_edits *e, uint64_t ino, bool truncate,
		       struct span label)
{
	pthread_mutex_lock(&e->lock);
	struct label_edit *edit = find(e, ino);
	if (!edit || truncate || !goes_on(edit)) {
		for (size_t i = 0; i < LABEL_EDITS && !edit; i++) {
			if (e->list[i].ino == 0)
				edit = &e->list[i];
		}
		for (size_t i = 0; i < LABEL_EDITS && !edit; i++) {
			/* None is free: one of them is the oldest. */
			if (e->clock - e->list[i].age >= LABEL_EDITS - 1)
				edit = &e->list[i];
		}
		if (!edit)
			edit = &e->list[0];
		set_buf(&edit->before, label);
		edit->ino = ino;
		edit->age = e->clock + 1;
		__atomic_store_n(&e->clock, edit->age, __ATOMIC_RELAXED);
		clock_gettime(CLOCK_MONOTONIC, &edit->when);
	}
	edit->truncated = truncate;
	pthread_mutex_unlock(&e->lock);
}

/* What the edit has made of the label. */
static void edit_left(struct label_edits *e, uint64_t ino, struct span label)
{
	pthread_mutex_lock(&e->lock);
	struct label_edit *edit = find(e, ino);
	if (edit)
		set_buf(&edit->left, label);
	pthread_mutex_unlock(&e->lock);
}

/*
 * End the edit. Gives the label from before it, if the label now is what the
 * edit has left there.
 */
static bool edit_undo(struct label_edits *e, uint64_t ino, struct span now,
		      struct buf *before)
{
	pthread_mutex_lock(&e->lock);
	struct label_edit *edit = find(e, ino);
	bool mine = edit && !edit->left.failed && !edit->before.failed &&
		    span_eq(now, buf_span(&edit->left));
	if (mine)
		buf_add(before, buf_span(&edit->before));
	if (edit)
		edit->ino = 0;
	pthread_mutex_unlock(&e->lock);
	return mine && !buf_error(before);
}

bool label_is_valid(struct span text)
{
	if (text.n > LABEL_LIMIT || !text_is_utf8(text))
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

/*
 * Find the label's entry with the file locked, its place pinned; end() follows
 * on 0.
 */
static int begin(struct fs *fs, uint64_t ino, struct write *w, struct node *n)
{
	/* Entered once, so that there is a session. */
	int err = fs_enter(fs, ino, n);
	if (err)
		return err;
	struct place *at = n->place;
	if (n->kind != KIND_LABEL) {
		fs_leave(n);
		return -EPERM;
	}
	place_leave(at);
	err = write_begin(w, at->session);
	if (!err) {
		err = fs_node(at, ino, n);
		if (err)
			write_end(w);
	}
	if (err)
		place_put(at);
	return err;
}

static void end(struct write *w, const struct node *n)
{
	write_end(w);
	place_put(n->place);
}

/* The file's bytes as they are: the label and a newline, or nothing. */
static void add_file(const struct session *s, uint32_t entry, struct buf *out)
{
	struct span label = session_label(s, entry);
	buf_add(out, label);
	if (label.n > 0)
		buf_addc(out, '\n');
}

/* Make the file's bytes the entry's label. */
static int set(struct write *w, uint32_t entry, struct buf *file)
{
	if (buf_error(file))
		return -ENOMEM;
	struct span text = buf_span(file);
	if (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	return label_is_valid(text) ? write_label(w, entry, text) : -EINVAL;
}

/* A refused write: what this edit did before is taken back. */
static void take_back(struct fs *fs, uint64_t ino, struct write *w,
		      uint32_t entry)
{
	struct buf before = { 0 };
	if (edit_undo(&fs->edits, ino, session_label(w->session, entry),
		      &before))
		write_label(w, entry, buf_span(&before));
	buf_free(&before);
}

/* Cut the file at an offset, and add data there. */
static int change(struct fs *fs, uint64_t ino, uint64_t offset,
		  struct span data, bool truncate)
{
	struct write w;
	struct node n;
	struct buf file = { 0 };
	int err = begin(fs, ino, &w, &n);
	if (err)
		return err;
	const struct session *s = w.session;
	add_file(s, n.entry, &file);
	edit_begin(&fs->edits, ino, truncate, session_label(s, n.entry));
	if (offset > file.len || data.n > LABEL_LIMIT + 1) {
		err = -EINVAL;
	} else {
		file.len = offset;
		buf_add(&file, data);
		err = set(&w, n.entry, &file);
	}
	if (err == -EINVAL)
		take_back(fs, ino, &w, n.entry);
	/* The session may have become another one while it was written. */
	else if (fs_node(n.place, ino, &n) == 0)
		edit_left(&fs->edits, ino, session_label(s, n.entry));
	end(&w, &n);
	buf_free(&file);
	return err;
}

int label_truncate(struct fs *fs, uint64_t ino, uint64_t size)
{
	return change(fs, ino, size, (struct span){ "", 0 }, true);
}

int label_write(struct fs *fs, uint64_t ino, uint64_t offset, struct span data)
{
	return change(fs, ino, offset, data, false);
}
