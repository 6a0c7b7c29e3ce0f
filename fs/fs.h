/*
 * The mount: a session served through low-level libfuse.
 *
 * Every operation decodes an inode number (fs/ino.h), enters the session (which
 * brings it up to date), asks the table of kinds (fs/kind.h) or core/, and
 * replies once. There are no paths, no open files and no table of inodes.
 *
 * OPEN is answered with ENOSYS, which the kernel takes as "not needed, ever".
 * Three things follow. Nothing can be kept per open file: fs/cache.h keeps what
 * READs share. O_TRUNC comes as a SETATTR of its own, so the kernel must not
 * think that OPEN handles it. And cached pages stay valid until the kernel sees
 * another size or mtime: what changes has no attribute timeout, and an mtime
 * that never repeats (session.stamp).
 *
 * Timeouts. Names and attributes of what can't change while the epoch lasts are
 * the kernel's to keep. The names at the session's root are not: each walk from
 * there asks for them, and so notices a file that has been replaced.
 */
#ifndef SESSFS_FS_H
#define SESSFS_FS_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "fs/cache.h"
#include "fs/head.h"
#include "fs/kind.h"
#include "fs/label.h"

struct fs {
	struct session *session;
	char *mountpoint; /* absolute, links resolved */
	char *spelled;	  /* absolute, as the user has it */
	struct cache cache;
	struct head_links links;
	struct label_edits edits;
	int ready_fd; /* a byte is written there when the mount answers; or -1
		       */
};

extern const struct fuse_lowlevel_ops fs_ops;

/* Takes the session; copies the paths. 0 or -errno. */
int fs_init(struct fs *fs, struct session *session, const char *mountpoint,
	    const char *spelled, int ready_fd);
void fs_free(struct fs *fs);

/*
 * The file of an inode number. The session must be entered. -ESTALE for one of
 * an earlier epoch, or of nothing.
 */
int fs_node(const struct fs *fs, fuse_ino_t ino, struct node *n);

/* Its attributes; -errno if it can't be rendered to know its size. */
int fs_attr(struct fs *fs, const struct node *n, struct stat *st);

/* How long the kernel may keep the attributes, and the name, of a file. */
double fs_attr_timeout(const struct fs *fs, const struct node *n);
double fs_entry_timeout(const struct node *n);

/* What a file holds; cache_put() it. */
int fs_render(struct fs *fs, const struct node *n, struct rendering **r);

#endif
