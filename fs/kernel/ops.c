/*
 * The operations: each decodes, asks, and replies once.
 *
 * Below this file errors are -errno; reply_error() is the one place where the
 * sign is turned.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/file/nofollow.h"
#include "fs/edit/head.h"
#include "fs/edit/line_file.h"
#include "fs/kernel/fs.h"
#include "fs/kernel/notify.h"
#include "fs/kernel/timeouts.h"
#include "fs/kernel/xattr.h"
#include "fs/tree/attr.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"

static struct fs *fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static void reply_error(fuse_req_t req, int err)
{
	/* Rewritten again and again: what was asked for is gone. */
	if (err == -EAGAIN)
		err = -ESTALE;
	fuse_reply_err(req, err < 0 ? -err : err);
}

/*
 * Is it to be tried again? What is rendered while the file is being rewritten
 * is thrown away (render_file).
 */
static bool try_again(int err, int *tries)
{
	return err == -EAGAIN && ++*tries < 20;
}

/*
 * How long the kernel may keep the attributes that it is about to get; of what
 * it keeps it has to be told.
 */
static double keep(struct fs *fs, const struct node *n)
{
	double timeout = timeout_of_attr(fs, n);
	if (timeout > 0 && node_kinds[n->kind].per_entry &&
	    notify_caching(n) < 0)
		return 0;
	return timeout;
}

/* What a file's name says of it. */
static int entry_of(struct fs *fs, const struct node *n,
		    struct fuse_entry_param *e)
{
	*e = (struct fuse_entry_param){
		.ino = ino_of(n),
		.attr_timeout = keep(fs, n),
		.entry_timeout = timeout_of_name(n),
	};
	return attr_fill(&fs->tree, n, &e->attr);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct fs *fs = userdata;
	/* OPEN is not answered, so truncating on open is SETATTR's. */
	conn->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
	conn->want &= ~(unsigned)FUSE_CAP_EXPORT_SUPPORT;
	/* Pieces of one write(2) would come side by side:
	 * fs/edit/append_stream.h. */
	conn->want &= ~(unsigned)FUSE_CAP_ASYNC_DIO;
	/* Always READDIRPLUS: a name that is listed is not looked up again. */
	conn->want &= ~(unsigned)FUSE_CAP_READDIRPLUS_AUTO;
	conn->want |= conn->capable & FUSE_CAP_AUTO_INVAL_DATA;
	fs->no_opendir = conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT;
	/* Without it nothing is wrong, but for what fs/kernel/watch.h says. */
	fs->edit.may_defer = watch_start(&fs->watch) == 0;
	if (!fs->edit.may_defer)
		fputs("sessfs: can't start the thread that watches files\n",
		      stderr);
	if (fs->ready_fd < 0)
		return;
	char ready = 0;
	if (write(fs->ready_fd, &ready, 1) < 0)
		perror("sessfs: can't report that the mount is ready");
	close(fs->ready_fd);
	fs->ready_fd = -1;
}

static int lookup(struct fs *fs, fuse_ino_t parent, const char *name,
		  struct fuse_entry_param *e)
{
	struct node dir;
	struct node n;
	int err = edit_enter(&fs->edit, parent, &dir);
	if (err)
		return err;
	err = dir_lookup(&fs->tree, &dir, span_of(name), &n);
	if (!err && n.kind == KIND_INFO && fs->tree.stats.on)
		__atomic_fetch_add(&fs->tree.stats.info_lookups, 1,
				   __ATOMIC_RELAXED);
	if (!err) {
		err = entry_of(fs, &n, e);
		dir_put(&dir, &n);
	}
	tree_leave(&dir);
	if (dir.kind == KIND_ROOT)
		resend_now(fs, true);
	return err;
}

/*
 * A request about a file, or about a name in a folder. A name in by-id/ or
 * tree/ is an entry's.
 */
static void count(fuse_req_t req, fuse_ino_t ino, enum stat_count what)
{
	struct stats *stats = &fs_of(req)->tree.stats;
	struct node n;
	stats_count(stats, what);
	if (!stats->on || !ino_decode(ino, &n))
		return;
	if (node_kinds[n.kind].per_entry ||
	    (what == STAT_LOOKUP &&
	     (n.kind == KIND_BY_ID || n.kind == KIND_TREE)))
		stats_count(stats, STAT_OF_ENTRIES);
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	count(req, parent, STAT_LOOKUP);
	struct fuse_entry_param e;
	int tries = 0;
	int err;
	do
		err = lookup(fs_of(req), parent, name, &e);
	while (try_again(err, &tries));
	if (err)
		reply_error(req, err);
	else
		fuse_reply_entry(req, &e);
}

static int get_attr(struct fs *fs, fuse_ino_t ino, struct stat *st,
		    double *timeout)
{
	struct node n;
	*timeout = 0;
	int err = tree_find_outside(&fs->tree, ino, &n);
	if (!err) {
		err = attr_fill(&fs->tree, &n, st);
		place_put(n.place);
		return err;
	}
	bool truncated = line_edits_is_pending(&fs->edit.lines, ino);
	err = edit_enter(&fs->edit, ino, &n);
	if (err)
		return err;
	err = attr_fill(&fs->tree, &n, st);
	*timeout = truncated ? 0 : keep(fs, &n);
	if (truncated)
		st->st_size = 0;
	tree_leave(&n);
	return err;
}

static void reply_attr(fuse_req_t req, fuse_ino_t ino)
{
	struct stat st;
	double timeout;
	int tries = 0;
	int err;
	do
		err = get_attr(fs_of(req), ino, &st, &timeout);
	while (try_again(err, &tries));
	if (err)
		reply_error(req, err);
	else
		fuse_reply_attr(req, &st, timeout);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	count(req, ino, STAT_GETATTR);
	(void)fi;
	line_edits_end(&fs_of(req)->edit.lines, ino);
	reply_attr(req, ino);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	count(req, ino, STAT_READLINK);
	struct fs *fs = fs_of(req);
	struct buf target = { 0 };
	struct node n;
	int err = edit_enter(&fs->edit, ino, &n);
	if (!err) {
		err = render_link(&fs->tree, &n, &target);
		tree_leave(&n);
	}
	if (!err && !buf_cstr(&target))
		err = -ENOMEM;
	if (err)
		reply_error(req, err);
	else
		fuse_reply_readlink(req, target.data);
	buf_free(&target);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	count(req, ino, STAT_OTHER);
	(void)ino;
	(void)fi;
	reply_error(req, -ENOSYS);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	count(req, ino, STAT_OTHER);
	(void)ino;
	if (fs_of(req)->no_opendir)
		reply_error(req, -ENOSYS);
	else
		fuse_reply_open(req, fi);
}

static int find_bytes(struct fs *fs, fuse_ino_t ino, struct rendering **r)
{
	struct node n;
	edit_settle(&fs->edit);
	int err = edit_enter(&fs->edit, ino, &n);
	if (err)
		return err;
	err = node_kinds[n.kind].type == S_IFREG ? render_file(&fs->tree, &n, r)
						 : -EISDIR;
	tree_leave(&n);
	return err;
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	count(req, ino, STAT_READ);
	struct fs *fs = fs_of(req);
	struct rendering *r = NULL;
	int tries = 0;
	int err;
	(void)fi;
	pages_note_read(&fs->pages, ino);
	do
		err = find_bytes(fs, ino, &r);
	while (try_again(err, &tries));
	if (err) {
		reply_error(req, err);
		return;
	}
	struct span bytes = buf_span(&r->bytes);
	size_t from = (uint64_t)off < bytes.n ? (size_t)off : bytes.n;
	size_t n_bytes = bytes.n - from < size ? bytes.n - from : size;
	fuse_reply_buf(req, bytes.p + from, n_bytes);
	cache_put(r);
}

/* A reply to READDIR that is being filled. */
struct listing {
	fuse_req_t req;
	char *out;
	size_t size;
	size_t used;
	bool plus;
};

/*
 * Add a file; false if it does not fit any more. "." and ".." count no lookup
 * and must not be entered in the kernel's cache: their number is 0 there.
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

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* What the listing says of a file: all with plus, else number and type. */
static int list_entry(struct fs *fs, const struct node *n, bool dots, bool plus,
		      struct fuse_entry_param *e)
{
	/* A size that the kernel may not keep need not be found out. */
	bool lookup = node_kinds[n->kind].type != S_IFREG ||
		      timeout_of_attr(fs, n) > 0;
	if (plus && !dots && lookup)
		return entry_of(fs, n, e);
	*e = (struct fuse_entry_param){ 0 };
	e->attr.st_ino = ino_of(n);
	e->attr.st_mode = node_kinds[n->kind].type;
	return 0;
}

/* The next file of a folder: 1 if it is in the reply, 0 at the end of either.
 */
static int list_next(struct fs *fs, struct listing *l, const struct node *dir,
		     struct buf *name, uint64_t *at)
{
	struct fuse_entry_param e;
	struct node n;
	uint64_t next = *at;
	buf_clear(name);
	int got = dir_next(&fs->tree, dir, &next, name, &n);
	if (got <= 0)
		return got;
	const char *text = buf_cstr(name);
	int err =
		text ? list_entry(fs, &n, is_dots(text), l->plus, &e) : -ENOMEM;
	dir_put(dir, &n);
	/* What has gone since a folder was read, or can't be told of. */
	bool passed = err && err != -ENOMEM && dir->kind == KIND_FOLDER;
	if (err && !passed)
		return err;
	if (!passed && !list_one(l, text, &e, next))
		return 0;
	*at = next;
	return 1;
}

static int list(struct fs *fs, struct listing *l, const struct node *dir,
		uint64_t at)
{
	struct buf name = { 0 };
	int got = 0;
	if (node_kinds[dir->kind].type != S_IFDIR)
		return -ENOTDIR;
	if (dir->kind == KIND_FOLDER && at == 0)
		got = place_scan(dir->place);
	if (node_is_entry_folder(dir))
		got = notify_caching(dir);
	if (got == 0) {
		do
			got = list_next(fs, l, dir, &name, &at);
		while (got > 0);
	}
	buf_free(&name);
	/* What is listed already must not be lost to a later error. */
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
	if (at_end && (dir.kind == KIND_BY_ID || dir.kind == KIND_TREE))
		notify_listing(fs, ino);
	return err;
}

static void reply_listing(fuse_req_t req, fuse_ino_t ino, size_t size,
			  off_t off, bool plus)
{
	struct fs *fs = fs_of(req);
	struct listing l = { .req = req, .size = size, .plus = plus };
	struct pages_batch batch = { 0 };
	int tries = 0;
	int err = -ENOMEM;
	l.out = malloc(size);
	if (l.out) {
		do
			err = fill_listing(fs, ino, &l, (uint64_t)off, &batch);
		while (try_again(err, &tries));
	}
	/* Before the reply: the program reads the files right after it. */
	pages_store(fs, &batch);
	if (err)
		reply_error(req, err);
	else
		fuse_reply_buf(req, l.out, l.used);
	free(l.out);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	count(req, ino, STAT_READDIR);
	(void)fi;
	reply_listing(req, ino, size, off, false);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, struct fuse_file_info *fi)
{
	count(req, ino, STAT_READDIR);
	(void)fi;
	reply_listing(req, ino, size, off, true);
}

/*
 * What can be set: the size of a label or the name, and that `append` is empty;
 * and of what can be written or made here (HEAD, links on their way to it) the
 * times, which follow by themselves, and the owner that it has already.
 * Programs that copy set all of these.
 */
static int set_attr(struct fs *fs, fuse_ino_t ino, const struct stat *attr,
		    int to_set, bool opens)
{
	const int ignored = FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME |
			    FUSE_SET_ATTR_CTIME | FUSE_SET_ATTR_ATIME_NOW |
			    FUSE_SET_ATTR_MTIME_NOW;
	struct node n;
	int err = edit_enter(&fs->edit, ino, &n);
	if (err)
		return err;
	const struct session *s = n.place->session;
	if (n.kind == KIND_FOLDER) {
		tree_leave(&n);
		return fs->tree.places->opening.read_only ? -EROFS : -EPERM;
	}
	const struct stat *source = &s->log.st;
	bool link = n.kind == KIND_HEAD || n.kind == KIND_STAGED;
	bool line = n.kind == KIND_LABEL || n.kind == KIND_NAME;
	bool emptied = n.kind == KIND_APPEND && attr->st_size == 0;
	int allowed = line || emptied ? ignored | FUSE_SET_ATTR_SIZE
		      : link || n.kind == KIND_APPEND ? ignored
						      : 0;
	if (link && attr->st_uid == source->st_uid)
		allowed |= FUSE_SET_ATTR_UID;
	if (link && attr->st_gid == source->st_gid)
		allowed |= FUSE_SET_ATTR_GID;
	err = session_writable(s);
	if (!err && to_set & ~allowed)
		err = -EPERM;
	tree_leave(&n);
	if (err || !(to_set & FUSE_SET_ATTR_SIZE) || emptied)
		return err;
	return line_file_truncate(&fs->edit, ino, (uint64_t)attr->st_size,
				  opens);
}

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr,
		       int to_set, struct fuse_file_info *fi)
{
	count(req, ino, STAT_SETATTR);
	struct fs *fs = fs_of(req);
	/* Without a file it is not ftruncate(2)'s. */
	int err = set_attr(fs, ino, attr, to_set, !fi);
	if (err)
		reply_error(req, err);
	else
		reply_attr(req, ino);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data,
		     size_t size, off_t off, struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	struct span bytes = { data, size };
	struct node n;
	int err;
	count(req, ino, STAT_WRITE);
	if (!ino_decode(ino, &n)) {
		err = -ESTALE;
	} else if (n.kind == KIND_APPEND) {
		/* A page that was mapped has been written to already. */
		err = fi->writepage ? -EPERM
				    : append_stream_write(&fs->edit, ino, bytes,
							  &size);
	} else {
		err = line_file_write(&fs->edit, ino, (uint64_t)off, bytes);
		/* So that the next open tells that it is one. */
		notify_attributes(fs, ino);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_write(req, size);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	(void)nlookup;
	append_stream_forget(&fs_of(req)->edit.streams, ino);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count,
			    struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++)
		append_stream_forget(&fs_of(req)->edit.streams, forgets[i].ino);
	fuse_reply_none(req);
}

/* What was made is in the same place, whatever has become of its folder. */
static int symlink_entry(struct fs *fs, struct node *made,
			 struct fuse_entry_param *e)
{
	int err = place_enter(made->place);
	if (err)
		return err;
	err = place_assign_number(made->place);
	if (!err)
		err = entry_of(fs, made, e);
	place_leave(made->place);
	return err;
}

static void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent,
		       const char *name)
{
	count(req, parent, STAT_OTHER);
	struct fs *fs = fs_of(req);
	struct fuse_entry_param e;
	struct node made;
	int err = -ESTALE;
	struct place *at = places_get(fs->tree.places, ino_place(parent));
	if (at) {
		err = head_symlink(&fs->edit, at, parent, name, target, &made);
		if (!err)
			err = symlink_entry(fs, &made, &e);
		place_put(at);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_entry(req, &e);
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	count(req, parent, STAT_OTHER);
	reply_error(req, head_unlink(&fs_of(req)->edit, parent, name));
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
		      fuse_ino_t newparent, const char *newname,
		      unsigned int flags)
{
	count(req, parent, STAT_OTHER);
	reply_error(req, head_rename(&fs_of(req)->edit, parent, name, newparent,
				     newname, flags));
}

/* Nothing else can be made or removed. */
static void refuse(fuse_req_t req, fuse_ino_t ino)
{
	count(req, ino, STAT_OTHER);
	struct fs *fs = fs_of(req);
	struct node n;
	int err = fs->tree.places->opening.read_only
			  ? -EROFS
			  : edit_enter(&fs->edit, ino, &n);
	if (!err) {
		if (n.kind != KIND_FOLDER)
			err = session_writable(n.place->session);
		tree_leave(&n);
	}
	reply_error(req, err ? err : -EPERM);
}

static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode, dev_t rdev)
{
	(void)name;
	(void)mode;
	(void)rdev;
	refuse(req, parent);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode)
{
	(void)name;
	(void)mode;
	refuse(req, parent);
}

static void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)name;
	refuse(req, parent);
}

static void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent,
		    const char *newname)
{
	(void)ino;
	(void)newname;
	refuse(req, newparent);
}

static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name,
		      mode_t mode, struct fuse_file_info *fi)
{
	(void)name;
	(void)mode;
	(void)fi;
	refuse(req, parent);
}

/* Used is what the session takes; free is what its disk has for more. */
static int stat_disk(const struct place *at, struct statvfs *out)
{
	const struct session *s = at->is_folder ? NULL : at->session;
	struct statvfs disk = { 0 };
	int fd = s ? s->log.fd : nofollow_open(at->path, O_PATH);
	if (fd < 0 && !s)
		return fd;
	int err = fd >= 0 && fstatvfs(fd, &disk) < 0 ? -errno : 0;
	if (!s)
		close(fd);
	if (err)
		return err;
	fsblkcnt_t block = disk.f_frsize ? disk.f_frsize : 4096;
	fsblkcnt_t used = disk.f_blocks - disk.f_bfree;
	if (s)
		used = ((fsblkcnt_t)s->log.st.st_size + block - 1) / block;
	*out = (struct statvfs){ .f_bsize = block,
				 .f_frsize = block,
				 .f_blocks = used + disk.f_bfree,
				 .f_bfree = disk.f_bfree,
				 .f_bavail = disk.f_bavail,
				 .f_files = s ? s->now.index.n : 0,
				 .f_namemax = 255 };
	return 0;
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	count(req, ino, STAT_OTHER);
	struct statvfs out;
	struct node n;
	int err = edit_enter(&fs_of(req)->edit, ino, &n);
	if (!err) {
		err = stat_disk(n.place, &out);
		tree_leave(&n);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_statfs(req, &out);
}

static int find_xattr(struct fs *fs, fuse_ino_t ino, const char *name,
		      struct buf *out)
{
	struct node n;
	/* No session need be read to say that its root has none. */
	bool outside = tree_find_outside(&fs->tree, ino, &n) == 0;
	int err = outside ? 0 : edit_enter(&fs->edit, ino, &n);
	if (err)
		return err;
	err = name ? xattr_get(fs, &n, span_of(name), out)
		   : xattr_list(fs, &n, out);
	if (outside)
		place_put(n.place);
	else
		tree_leave(&n);
	return err;
}

/* A value, or (of no name) all names; of size 0 how long that is. */
static void reply_xattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			size_t size)
{
	struct buf out = { 0 };
	int tries = 0;
	int err;
	count(req, ino, STAT_OTHER);
	do {
		buf_clear(&out);
		err = find_xattr(fs_of(req), ino, name, &out);
	} while (try_again(err, &tries));
	if (!err && size > 0 && out.len > size)
		err = -ERANGE;
	if (err)
		reply_error(req, err);
	else if (size == 0)
		fuse_reply_xattr(req, out.len);
	else
		fuse_reply_buf(req, out.data, out.len);
	buf_free(&out);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name,
			size_t size)
{
	reply_xattr(req, ino, name, size);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	reply_xattr(req, ino, NULL, size);
}

const struct fuse_lowlevel_ops fs_ops = {
	.init = op_init,
	.lookup = op_lookup,
	.forget = op_forget,
	.forget_multi = op_forget_multi,
	.getattr = op_getattr,
	.setattr = op_setattr,
	.readlink = op_readlink,
	.mknod = op_mknod,
	.mkdir = op_mkdir,
	.unlink = op_unlink,
	.rmdir = op_rmdir,
	.symlink = op_symlink,
	.rename = op_rename,
	.link = op_link,
	.open = op_open,
	.opendir = op_opendir,
	.create = op_create,
	.read = op_read,
	.write = op_write,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
	.getxattr = op_getxattr,
	.listxattr = op_listxattr,
};
