/*
 * The operations (struct fuse_lowlevel_ops), and their helpers. Handlers are
 * op_NAME, after the operation. Those that list folders are in ops_list.c,
 * those that change anything in ops_write.c, all others in ops.c.
 *
 * Below these files errors are negative errno values. ops_reply_error() is the
 * one place that inverts the sign.
 */
#ifndef SESSFS_OPS_H
#define SESSFS_OPS_H

#include "fs/kernel/fs.h"

struct fs *ops_fs(fuse_req_t req);

/* Reply with -errno, or with 0 for success. -EAGAIN becomes ESTALE. */
void ops_reply_error(fuse_req_t req, int err);

/* A file's attributes, and the seconds for which the kernel may keep them. */
int ops_get_attr(struct fs *fs, fuse_ino_t ino, struct stat *st,
		 double *timeout);

/* Reply with them, or with -errno. */
void ops_reply_attr(fuse_req_t req, int err, const struct stat *st,
		    double timeout);

/*
 * True if the operation should be tried again, because the session file was
 * rewritten while a file was rendered (render_file()). Counted in *tries, which
 * starts at 0; false after too many.
 */
bool ops_retry(int err, int *tries);

/*
 * Fill a reply that names a file: number, attributes and timeouts. The session
 * is entered.
 */
int ops_fill_entry(struct fs *fs, const struct node *n,
		   struct fuse_entry_param *e);

/*
 * Begin a request about a file, or about a name in a folder (for STAT_LOOKUP),
 * and count it: a name in by-id/ or tree/ is an entry's.
 *
 * False if a thread of this process has made it, which may hold what the answer
 * waits for. It has been answered with EDEADLK then. The gate
 * (core/file/gate.h) keeps our threads out of the mount, but not from symlinks
 * and copies of the mount that are made later. A thread in another pid
 * namespace can't be one.
 */
bool ops_begin(fuse_req_t req, fuse_ino_t ino, enum stat_count count);

/* ops_list.c */
void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		struct fuse_file_info *fi);
void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);

/* ops_write.c */
void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
		struct fuse_file_info *fi);
void op_write(fuse_req_t req, fuse_ino_t ino, const char *data, size_t size,
	      off_t off, struct fuse_file_info *fi);
void op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent,
		const char *name);
void op_unlink(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_rename(fuse_req_t req, fuse_ino_t parent, const char *name,
	       fuse_ino_t newparent, const char *newname, unsigned int flags);
void op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	      dev_t rdev);
void op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode);
void op_rmdir(fuse_req_t req, fuse_ino_t parent, const char *name);
void op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t newparent,
	     const char *newname);
void op_create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
	       struct fuse_file_info *fi);

#endif
