#include <errno.h>

#include "fs/edit/head.h"
#include "fs/edit/line_file.h"
#include "fs/kernel/notify.h"
#include "fs/kernel/ops.h"
#include "fs/tree/ino.h"
#include "fs/tree/tree.h"

#define MODE_AND_OWNER \
	(FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)

/*
 * The attributes of a file that can be set to any value: the size of a label or
 * the name; that of `append`, to 0. Programs that copy also set times, which
 * are ignored.
 */
static int settable(const struct node *n, const struct stat *attr)
{
	const int times = FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME |
			  FUSE_SET_ATTR_CTIME | FUSE_SET_ATTR_ATIME_NOW |
			  FUSE_SET_ATTR_MTIME_NOW;
	if (n->kind == KIND_LABEL || n->kind == KIND_NAME)
		return times | FUSE_SET_ATTR_SIZE;
	if (n->kind == KIND_APPEND)
		return times | (attr->st_size == 0 ? FUSE_SET_ATTR_SIZE : 0);
	return n->kind == KIND_HEAD || n->kind == KIND_STAGED ? times : 0;
}

static int may_set(struct fs *fs, const struct node *n, const struct stat *attr,
		   int to_set)
{
	int allowed = settable(n, attr);
	int err = node_writable(n);
	struct stat now = { 0 };
	if (!err && allowed && to_set & MODE_AND_OWNER) {
		err = attr_fill(&fs->tree, n, &now);
		/* Copying sets the values that the file has already. */
		if (attr->st_mode == now.st_mode)
			allowed |= FUSE_SET_ATTR_MODE;
		if (attr->st_uid == now.st_uid)
			allowed |= FUSE_SET_ATTR_UID;
		if (attr->st_gid == now.st_gid)
			allowed |= FUSE_SET_ATTR_GID;
	}
	return err ? err : to_set & ~allowed ? -EPERM : 0;
}

static int set_attr(struct fs *fs, fuse_ino_t ino, const struct stat *attr,
		    int to_set, bool opens)
{
	struct node n;
	int err = edit_enter(&fs->edit, ino, &n);
	if (err)
		return err;
	err = may_set(fs, &n, attr, to_set);
	tree_leave(&n);
	if (err || !(to_set & FUSE_SET_ATTR_SIZE) || n.kind == KIND_APPEND)
		return err;
	return line_file_truncate(&fs->edit, ino, (uint64_t)attr->st_size,
				  opens);
}

void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
		struct fuse_file_info *fi)
{
	if (!ops_begin(req, ino, STAT_SETATTR))
		return;
	struct fs *fs = ops_fs(req);
	struct stat st;
	double timeout = 0;
	/* Only ftruncate(2) passes a file. */
	int err = set_attr(fs, ino, attr, to_set, !fi);
	if (!err) {
		err = ops_get_attr(fs, ino, &st, &timeout);
		/* An open that fails truncates nothing. */
		if (err && (to_set & FUSE_SET_ATTR_SIZE))
			line_edits_undefer(&fs->edit.lines, ino);
	}
	ops_reply_attr(req, err, &st, timeout);
}

void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size,
	      off_t off, struct fuse_file_info *fi)
{
	struct fs *fs = ops_fs(req);
	struct span bytes = { data, size };
	int err;
	if (!ops_begin(req, ino, STAT_WRITE))
		return;
	if (ino_kind(ino) == KIND_APPEND) {
		/* The page of a mapping: nobody waits for an errno. */
		err = fi->writepage ? -EPERM
				    : append_stream_write(&fs->edit, ino, bytes,
							  &size);
	} else {
		err = line_file_write(&fs->edit, ino, (uint64_t)off, bytes);
		/* So that the next open sends a GETATTR: line_edits.h. */
		notify_attributes(fs, ino);
	}
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_write(req, size);
}

/* The folder may have changed meanwhile, but the place is the same. */
static int symlink_entry(struct fs *fs, struct node *made,
			 struct fuse_entry_param *e)
{
	int err = tree_enter_place(&fs->tree, made->place);
	if (err)
		return err;
	err = place_assign_number(made->place);
	if (made->kind == KIND_HEAD)
		*made = node_head(made->place);
	if (!err)
		err = ops_fill_entry(fs, made, e);
	place_leave(made->place);
	return err;
}

void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent,
		const char *name)
{
	if (!ops_begin(req, parent, STAT_OTHER))
		return;
	struct fs *fs = ops_fs(req);
	struct fuse_entry_param e;
	struct node made;
	int err = head_symlink(&fs->edit, parent, name, target, &made);
	if (!err) {
		err = symlink_entry(fs, &made, &e);
		place_put(made.place);
	}
	if (err)
		ops_reply_error(req, err);
	else
		fuse_reply_entry(req, &e);
}

void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	if (!ops_begin(req, parent, STAT_OTHER))
		return;
	ops_reply_error(req, head_unlink(&ops_fs(req)->edit, parent, name));
}

void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
	       fuse_ino_t newparent, const char *newname, unsigned int flags)
{
	if (!ops_begin(req, parent, STAT_OTHER))
		return;
	ops_reply_error(req, head_rename(&ops_fs(req)->edit, parent, name,
					 newparent, newname, flags));
}

/* Nothing else can be created or deleted. */
static void refuse(fuse_req_t req, fuse_ino_t ino)
{
	if (!ops_begin(req, ino, STAT_OTHER))
		return;
	struct fs *fs = ops_fs(req);
	struct node n;
	int err = fs->tree.places->opening.read_only
			  ? -EROFS
			  : edit_enter(&fs->edit, ino, &n);
	if (!err) {
		err = node_writable(&n);
		tree_leave(&n);
	}
	ops_reply_error(req, err ? err : -EPERM);
}

void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	      dev_t rdev)
{
	(void)name;
	(void)mode;
	(void)rdev;
	refuse(req, parent);
}

void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	(void)name;
	(void)mode;
	refuse(req, parent);
}

void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	(void)name;
	refuse(req, parent);
}

void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent,
	     const char *newname)
{
	(void)ino;
	(void)newname;
	refuse(req, newparent);
}

void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	       struct fuse_file_info *fi)
{
	(void)name;
	(void)mode;
	(void)fi;
	refuse(req, parent);
}
