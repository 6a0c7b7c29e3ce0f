#include <errno.h>
#include <stdlib.h>

#include "fs/kernel/notify.h"
#include "fs/kernel/ops.h"
#include "fs/kernel/timeouts.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"

/* A reply to READDIR that is being filled. */
struct listing {
	fuse_req_t req;
	char *out;
	size_t size;
	size_t used;
	bool plus;
};

/*
 * Append a file to the reply; false if it does not fit. e->ino is 0 where the
 * kernel must not count a lookup.
 */
static bool list_one(struct listing *l, const char *name,
		     struct fuse_entry_param *e, uint64_t next)
{
	size_t room = l->size - l->used;
	char *to = l->out + l->used;
	size_t n = l->plus ? fuse_add_direntry_plus(l->req, to, room, name, e,
						    (off_t)next)
			   : fuse_add_direntry(l->req, to, room, name, &e->attr,
					       (off_t)next);
	if (n > room)
		return false;
	l->used += n;
	return true;
}

/*
 * With `plus` the file's attributes, else its number and type alone. Of "." and
 * ".." the kernel counts no lookup.
 */
static int list_entry(struct fs *fs, const struct node *n, bool dots, bool plus,
		      struct fuse_entry_param *e)
{
	/* Do not render a file for a size that the kernel may not cache. */
	bool lookup = node_kinds[n->kind].type != S_IFREG ||
		      timeout_of_attr(fs, n) > 0;
	if (plus && !dots && lookup)
		return ops_fill_entry(fs, n, e);
	*e = (struct fuse_entry_param){ 0 };
	e->attr.st_ino = ino_of(n);
	e->attr.st_mode = node_kinds[n->kind].type;
	return 0;
}

/* List the file at *at: 1, 0 at the end of the folder or reply, or -errno. */
static int list_next(struct fs *fs, struct listing *l, const struct node *dir,
		     struct buf *name, uint64_t *at)
{
	struct fuse_entry_param e;
	struct node n;
	uint64_t next = *at;
	buf_reset(name);
	int got = dir_next(&fs->tree, dir, &next, name, &n);
	if (got <= 0)
		return got;
	const char *text = buf_cstr(name);
	bool dots = *at < DIR_AFTER_DOTS;
	int err = text ? list_entry(fs, &n, dots, l->plus, &e) : -ENOMEM;
	dir_put(dir, &n);
	/* Deleted meanwhile; or a session that can't be read. */
	bool skipped = err == -ENOENT ||
		       (err && err != -ENOMEM && dir->kind == KIND_FOLDER);
	if (err && !skipped)
		return err;
	if (!skipped && !list_one(l, text, &e, next))
		return 0;
	*at = next;
	return 1;
}

static int list(struct fs *fs, struct listing *l, const struct node *dir,
		uint64_t at)
{
	struct buf name BUF_SCOPED = { 0 };
	int got = 0;
	if (node_kinds[dir->kind].type != S_IFDIR)
		return -ENOTDIR;
	if (at == 0)
		got = dir_scan(&fs->tree, dir);
	if (got == 0) {
		do
			got = list_next(fs, l, dir, &name, &at);
		while (got > 0);
	}
	/* The files before an error are listed; the next READDIR gets it. */
	return l->used > 0 ? 0 : got;
}

static int fill_listing(struct fs *fs, fuse_ino_t ino, struct listing *l,
			uint64_t at, struct pages_batch *batch)
{
	struct node dir;
	int err = edit_enter(&fs->edit, ino, &dir);
	if (err)
		return err;
	err = list(fs, l, &dir, at);
	bool at_end = !err && l->used == 0;
	if (at_end && node_is_entry_folder(&dir))
		pages_prepare(fs, &dir, batch);
	tree_leave(&dir);
	if (at_end && node_kinds[dir.kind].changes_with & FRESH_LISTED_ANEW)
		notify_listing(fs, ino);
	return err;
}

static void reply_listing(fuse_req_t req, fuse_ino_t ino, size_t size,
			  off_t off, bool plus)
{
	if (!ops_begin(req, ino, STAT_READDIR))
		return;
	struct fs *fs = ops_fs(req);
	struct listing l = { .req = req, .size = size, .plus = plus };
	struct pages_batch batch = { 0 };
	int tries = 0;
	int err = -ENOMEM;
	l.out = malloc(size);
	if (l.out) {
		do
			err = fill_listing(fs, ino, &l, (uint64_t)off, &batch);
		while (ops_retry(err, &tries));
	}
	/* Before the reply: the program reads the files right after it. */
	pages_store(fs, &batch);
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_buf(req, l.out, l.used);
	free(l.out);
}

void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		struct fuse_file_info *fi)
{
	(void)fi;
	reply_listing(req, ino, size, off, false);
}

void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	(void)fi;
	reply_listing(req, ino, size, off, true);
}
