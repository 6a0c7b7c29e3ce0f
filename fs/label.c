#include "fs/label.h"

#include <errno.h>

#include "core/text.h"
#include "fs/fs.h"

/* A first write this long after the truncation belongs to another open. */
#define TRUNCATION_SECONDS 2

int label_edit_init(struct label_edit *e)
{
	*e = (struct label_edit){ 0 };
	return -pthread_mutex_init(&e->lock, NULL);
}

void label_edit_free(struct label_edit *e)
{
	buf_free(&e->before);
	pthread_mutex_destroy(&e->lock);
}

void label_edit_end(struct label_edit *e, uint64_t ino)
{
	pthread_mutex_lock(&e->lock);
	if (e->ino == ino && !e->truncated)
		e->ino = 0;
	pthread_mutex_unlock(&e->lock);
}

/* Is it this process's edit, so that a write goes on with it? */
static bool goes_on(const struct label_edit *e, uint64_t ino, pid_t pid)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return e->ino == ino && e->pid == pid &&
	       (!e->truncated ||
		now.tv_sec - e->when.tv_sec <= TRUNCATION_SECONDS);
}

/* Begin an edit of the label as it is, or go on with one. */
static void edit(struct label_edit *e, uint64_t ino, pid_t pid, bool truncate,
		 struct span label)
{
	pthread_mutex_lock(&e->lock);
	if (truncate || !goes_on(e, ino, pid)) {
		buf_clear(&e->before);
		buf_add(&e->before, label);
		e->ino = buf_error(&e->before) ? 0 : ino;
		e->pid = pid;
		clock_gettime(CLOCK_MONOTONIC, &e->when);
	}
	e->truncated = truncate;
	pthread_mutex_unlock(&e->lock);
}

/* End the edit; gives the label from before it, if it is still known. */
static bool undo(struct label_edit *e, uint64_t ino, struct buf *label)
{
	pthread_mutex_lock(&e->lock);
	bool known = e->ino == ino;
	if (known) {
		e->ino = 0;
		buf_add(label, buf_span(&e->before));
	}
	pthread_mutex_unlock(&e->lock);
	return known && !buf_error(label);
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

/* Find the label's entry with the file locked; write_end() follows on 0. */
static int begin(struct fs *fs, uint64_t ino, struct write *w, struct node *n)
{
	int err = write_begin(w, fs->session);
	if (err)
		return err;
	err = fs_node(fs, ino, n);
	if (!err && n->kind != KIND_LABEL)
		err = -EPERM;
	if (err)
		write_end(w);
	return err;
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
	if (undo(&fs->edit, ino, &before))
		write_label(w, entry, buf_span(&before));
	buf_free(&before);
}

/* Cut the file at an offset, and add data there. */
static int change(struct fs *fs, uint64_t ino, uint64_t offset,
		  struct span data, bool truncate, pid_t pid)
{
	struct write w;
	struct node n;
	struct buf file = { 0 };
	int err = begin(fs, ino, &w, &n);
	if (err)
		return err;
	add_file(fs->session, n.entry, &file);
	edit(&fs->edit, ino, pid, truncate,
	     session_label(fs->session, n.entry));
	if (offset > file.len || data.n > LABEL_LIMIT + 1) {
		err = -EINVAL;
	} else {
		file.len = offset;
		buf_add(&file, data);
		err = set(&w, n.entry, &file);
	}
	if (err == -EINVAL)
		take_back(fs, ino, &w, n.entry);
	write_end(&w);
	buf_free(&file);
	return err;
}

int label_truncate(struct fs *fs, uint64_t ino, uint64_t size, pid_t pid)
{
	return change(fs, ino, size, (struct span){ "", 0 }, true, pid);
}

int label_write(struct fs *fs, uint64_t ino, uint64_t offset, struct span data,
		pid_t pid)
{
	return change(fs, ino, offset, data, false, pid);
}
