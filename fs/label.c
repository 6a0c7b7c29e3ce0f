#include "fs/label.h"

#include <errno.h>

#include "core/text.h"
#include "fs/fs.h"

/* A write that follows a truncation within this time belongs to it. */
#define TRUNCATION_SECONDS 2

int truncation_init(struct truncation *t)
{
	*t = (struct truncation){ 0 };
	return -pthread_mutex_init(&t->lock, NULL);
}

void truncation_free(struct truncation *t)
{
	buf_free(&t->label);
	pthread_mutex_destroy(&t->lock);
}

static void remember(struct truncation *t, uint64_t ino, pid_t pid,
		     struct span label)
{
	pthread_mutex_lock(&t->lock);
	buf_clear(&t->label);
	buf_add(&t->label, label);
	t->ino = buf_error(&t->label) ? 0 : ino;
	t->pid = pid;
	clock_gettime(CLOCK_MONOTONIC, &t->when);
	pthread_mutex_unlock(&t->lock);
}

/* What this process cleared just before; asked once. */
static bool recall(struct truncation *t, uint64_t ino, pid_t pid,
		   struct buf *label)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	pthread_mutex_lock(&t->lock);
	bool mine = t->ino == ino && t->pid == pid;
	if (mine) {
		t->ino = 0;
		mine = now.tv_sec - t->when.tv_sec <= TRUNCATION_SECONDS;
		buf_add(label, buf_span(&t->label));
	}
	pthread_mutex_unlock(&t->lock);
	return mine && !buf_error(label);
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

int label_truncate(struct fs *fs, uint64_t ino, uint64_t size, pid_t pid)
{
	struct write w;
	struct node n;
	struct buf file = { 0 };
	int err = begin(fs, ino, &w, &n);
	if (err)
		return err;
	add_file(fs->session, n.entry, &file);
	if (size > file.len) {
		err = -EINVAL;
	} else {
		if (size == 0 && file.len > 0)
			remember(&fs->truncation, ino, pid,
				 (struct span){ file.data, file.len - 1 });
		if (!file.failed)
			file.len = size;
		err = set(&w, n.entry, &file);
	}
	write_end(&w);
	buf_free(&file);
	return err;
}

int label_write(struct fs *fs, uint64_t ino, uint64_t offset, struct span data,
		pid_t pid)
{
	struct write w;
	struct node n;
	struct buf file = { 0 };
	struct buf before = { 0 };
	int err = begin(fs, ino, &w, &n);
	if (err)
		return err;
	add_file(fs->session, n.entry, &file);
	if (offset > file.len || data.n > LABEL_LIMIT + 1) {
		err = -EINVAL;
	} else {
		size_t end = offset + data.n;
		if (end > file.len)
			buf_fill(&file, ' ', end - file.len);
		if (!file.failed && data.n > 0)
			memcpy(file.data + offset, data.p, data.n);
		err = set(&w, n.entry, &file);
	}
	bool cleared = recall(&fs->truncation, ino, pid, &before);
	/* What the same open had cleared comes back, if it can. */
	if (err && cleared)
		write_label(&w, n.entry, buf_span(&before));
	write_end(&w);
	buf_free(&file);
	buf_free(&before);
	return err;
}
