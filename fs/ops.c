/*
 * The operations: each decodes, asks, and replies once.
 *
 * Below this file errors are -errno; reply_error() is the one place where the
 * sign is turned.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "fs/dir.h"
#include "fs/fs.h"
#include "fs/ino.h"

static struct fs *fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static void reply_error(fuse_req_t req, int err)
{
	fuse_reply_err(req, err < 0 ? -err : err);
}

/* Enter the session and find the node; the session is left on an error. */
static int enter(struct fs *fs, fuse_ino_t ino, struct node *n)
{
	int err = session_enter(fs->session);
	if (err)
		return err;
	err = fs_node(fs, ino, n);
	if (err)
		session_leave(fs->session);
	return err;
}

static int entry_of(struct fs *fs, const struct node *n,
		    struct fuse_entry_param *e)
{
	*e = (struct fuse_entry_param){
		.ino = ino_encode(fs->session->epoch, *n),
		.attr_timeout = fs_attr_timeout(fs, n),
		.entry_timeout = fs_entry_timeout(n),
	};
	return fs_attr(fs, n, &e->attr);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	struct fs *fs = userdata;
	/* OPEN is not answered, so truncating on open is SETATTR's. */
	conn->want &= ~(unsigned)FUSE_CAP_ATOMIC_O_TRUNC;
	conn->want &= ~(unsigned)FUSE_CAP_EXPORT_SUPPORT;
	conn->want |= conn->capable & FUSE_CAP_AUTO_INVAL_DATA;
	if (fs->ready_fd < 0)
		return;
	char ready = 0;
	if (write(fs->ready_fd, &ready, 1) < 0)
		perror("sessfs: cannot report that the mount is ready");
	close(fs->ready_fd);
	fs->ready_fd = -1;
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fs *fs = fs_of(req);
	struct fuse_entry_param e;
	struct node dir;
	struct node n;
	int err = enter(fs, parent, &dir);
	if (!err) {
		err = dir_lookup(fs, &dir, span_of(name), &n);
		if (!err)
			err = entry_of(fs, &n, &e);
		session_leave(fs->session);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_entry(req, &e);
}

static void reply_attr(fuse_req_t req, fuse_ino_t ino)
{
	struct fs *fs = fs_of(req);
	struct stat st;
	struct node n;
	double timeout = 0;
	int err = enter(fs, ino, &n);
	if (!err) {
		err = fs_attr(fs, &n, &st);
		timeout = fs_attr_timeout(fs, &n);
		session_leave(fs->session);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_attr(req, &st, timeout);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino,
		       struct fuse_file_info *fi)
{
	(void)fi;
	label_edit_end(&fs_of(req)->edits, ino);
	reply_attr(req, ino);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	struct fs *fs = fs_of(req);
	struct buf target = { 0 };
	struct node n;
	int err = enter(fs, ino, &n);
	if (!err) {
		if (n.kind == KIND_STAGED)
			err = head_staged_target(fs, &n, &target);
		else if (kinds[n.kind].type != S_IFLNK)
			err = -EINVAL;
		else
			err = kinds[n.kind].render(fs->session, &n, &target);
		session_leave(fs->session);
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
	(void)ino;
	(void)fi;
	reply_error(req, -ENOSYS);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	struct rendering *r = NULL;
	struct node n;
	(void)fi;
	int err = enter(fs, ino, &n);
	if (!err) {
		err = kinds[n.kind].type == S_IFREG ? fs_render(fs, &n, &r)
						    : -EISDIR;
		session_leave(fs->session);
	}
	if (err) {
		reply_error(req, err);
		return;
	}
	struct span bytes = buf_span(&r->bytes);
	size_t from = (uint64_t)off < bytes.n ? (size_t)off : bytes.n;
	size_t n_bytes = bytes.n - from < size ? bytes.n - from : size;
	fuse_reply_buf(req, bytes.p + from, n_bytes);
	cache_put(&fs->cache, r);
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

/* What the listing says of a file: all with plus, else number and type. */
static int list_entry(struct fs *fs, const struct node *n, bool dots, bool plus,
		      struct fuse_entry_param *e)
{
	/* A size that the kernel may not keep need not be found out. */
	bool lookup = kinds[n->kind].steady || kinds[n->kind].type != S_IFREG;
	if (plus && !dots && lookup)
		return entry_of(fs, n, e);
	*e = (struct fuse_entry_param){ 0 };
	e->attr.st_ino = ino_encode(fs->session->epoch, *n);
	e->attr.st_mode = kinds[n->kind].type;
	return 0;
}

static int list(struct fs *fs, struct listing *l, const struct node *dir,
		uint64_t at)
{
	struct buf name = { 0 };
	int err = 0;
	for (;;) {
		struct fuse_entry_param e;
		struct node n;
		uint64_t next = at;
		buf_clear(&name);
		err = dir_next(fs, dir, &next, &name, &n);
		if (err <= 0)
			break;
		const char *text = buf_cstr(&name);
		bool dots = text && text[0] == '.';
		err = text ? list_entry(fs, &n, dots, l->plus, &e) : -ENOMEM;
		if (err || !list_one(l, text, &e, next))
			break;
		at = next;
	}
	buf_free(&name);
	/* What is listed already must not be lost to a later error. */
	return l->used > 0 ? 0 : err;
}

static void reply_listing(fuse_req_t req, fuse_ino_t ino, size_t size,
			  off_t off, bool plus)
{
	struct fs *fs = fs_of(req);
	struct listing l = { .req = req, .size = size, .plus = plus };
	struct node dir;
	l.out = malloc(size);
	int err = l.out ? enter(fs, ino, &dir) : -ENOMEM;
	if (!err) {
		err = kinds[dir.kind].type == S_IFDIR
			      ? list(fs, &l, &dir, (uint64_t)off)
			      : -ENOTDIR;
		session_leave(fs->session);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_buf(req, l.out, l.used);
	free(l.out);
}

static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	(void)fi;
	reply_listing(req, ino, size, off, false);
}

static void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size,
			   off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	reply_listing(req, ino, size, off, true);
}

/*
 * What can be set: a label's size; and of what can be made here (labels, HEAD,
 * links on their way to it) the times, which follow by themselves, and the
 * owner that it has already. Programs that copy set all of these.
 */
static int set_attr(struct fs *fs, fuse_ino_t ino, const struct stat *attr,
		    int to_set)
{
	const int ignored = FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME |
			    FUSE_SET_ATTR_CTIME | FUSE_SET_ATTR_ATIME_NOW |
			    FUSE_SET_ATTR_MTIME_NOW;
	struct node n;
	int err = enter(fs, ino, &n);
	if (err)
		return err;
	const struct stat *source = &fs->session->log.seen;
	bool link = n.kind == KIND_HEAD || n.kind == KIND_STAGED;
	int allowed = n.kind == KIND_LABEL ? ignored | FUSE_SET_ATTR_SIZE
		      : link		   ? ignored
					   : 0;
	if (link && attr->st_uid == source->st_uid)
		allowed |= FUSE_SET_ATTR_UID;
	if (link && attr->st_gid == source->st_gid)
		allowed |= FUSE_SET_ATTR_GID;
	err = session_writable(fs->session);
	if (!err && to_set & ~allowed)
		err = -EPERM;
	session_leave(fs->session);
	if (err || !(to_set & FUSE_SET_ATTR_SIZE))
		return err;
	return label_truncate(fs, ino, (uint64_t)attr->st_size);
}

static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr,
		       int to_set, struct fuse_file_info *fi)
{
	struct fs *fs = fs_of(req);
	(void)fi;
	int err = set_attr(fs, ino, attr, to_set);
	if (err)
		reply_error(req, err);
	else
		reply_attr(req, ino);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *data,
		     size_t size, off_t off, struct fuse_file_info *fi)
{
	(void)fi;
	int err = label_write(fs_of(req), ino, (uint64_t)off,
			      (struct span){ data, size });
	if (err)
		reply_error(req, err);
	else
		fuse_reply_write(req, size);
}

static void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent,
		       const char *name)
{
	struct fs *fs = fs_of(req);
	struct fuse_entry_param e;
	struct node made;
	int err = head_symlink(fs, parent, name, target, &made);
	if (!err)
		err = session_enter(fs->session);
	if (!err) {
		err = entry_of(fs, &made, &e);
		session_leave(fs->session);
	}
	if (err)
		reply_error(req, err);
	else
		fuse_reply_entry(req, &e);
}

static void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	reply_error(req, head_unlink(fs_of(req), parent, name));
}

static void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
		      fuse_ino_t newparent, const char *newname,
		      unsigned int flags)
{
	reply_error(req, head_rename(fs_of(req), parent, name, newparent,
				     newname, flags));
}

/* Nothing else can be made or removed. */
static void refuse(fuse_req_t req)
{
	struct fs *fs = fs_of(req);
	int err = session_enter(fs->session);
	if (!err) {
		err = session_writable(fs->session);
		session_leave(fs->session);
	}
	reply_error(req, err ? err : -EPERM);
}

static void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode, dev_t rdev)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)rdev;
	refuse(req);
}

static void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name,
		     mode_t mode)
{
	(void)parent;
	(void)name;
	(void)mode;
	refuse(req);
}

static void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)parent;
	(void)name;
	refuse(req);
}

static void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent,
		    const char *newname)
{
	(void)ino;
	(void)newparent;
	(void)newname;
	refuse(req);
}

static void op_create(fuse_req_t req, fuse_ino_t parent, const char *name,
		      mode_t mode, struct fuse_file_info *fi)
{
	(void)parent;
	(void)name;
	(void)mode;
	(void)fi;
	refuse(req);
}

/* Used is what the session takes; free is what its disk has for more. */
static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	struct fs *fs = fs_of(req);
	struct statvfs disk = { 0 };
	(void)ino;
	int err = session_enter(fs->session);
	if (err) {
		reply_error(req, err);
		return;
	}
	const struct session *s = fs->session;
	if (s->log.fd >= 0 && fstatvfs(s->log.fd, &disk) < 0)
		err = -errno;
	fsblkcnt_t block = disk.f_frsize ? disk.f_frsize : 4096;
	fsblkcnt_t used = ((fsblkcnt_t)s->log.seen.st_size + block - 1) / block;
	struct statvfs out = { .f_bsize = block,
			       .f_frsize = block,
			       .f_blocks = used + disk.f_bfree,
			       .f_bfree = disk.f_bfree,
			       .f_bavail = disk.f_bavail,
			       .f_files = s->now.index.n,
			       .f_namemax = 255 };
	session_leave(fs->session);
	if (err)
		reply_error(req, err);
	else
		fuse_reply_statfs(req, &out);
}

const struct fuse_lowlevel_ops fs_ops = {
	.init = op_init,
	.lookup = op_lookup,
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
	.create = op_create,
	.read = op_read,
	.write = op_write,
	.readdir = op_readdir,
	.readdirplus = op_readdirplus,
	.statfs = op_statfs,
};
