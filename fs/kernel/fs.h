/*
 * The mount: a session served through low-level libfuse.
 *
 * Every operation decodes an inode number (fs/tree/ino.h), enters the session
 * (which brings it up to date), asks the table of kinds (fs/tree/node_kinds.h)
 * or core/, and replies once. There are no paths, no open files and no table of
 * inodes.
 *
 * OPEN is answered with ENOSYS, which the kernel takes as "not needed, ever".
 * Three things follow. Nothing can be kept per open file: fs/tree/cache.h keeps
 * what READs share. O_TRUNC comes as a SETATTR of its own, so the kernel must
 * not think that OPEN handles it. And cached pages stay valid until the kernel
 * sees another size or mtime: what changes has no attribute timeout, and an
 * mtime that never repeats (session.stamp).
 *
 * Timeouts. What can't change while the epoch lasts is the kernel's to keep,
 * and so is what changes seldom, as far as fs/kernel/notify.h takes it back: of
 * an entry, all names and attributes in its folder. The names at the session's
 * root are not: each walk from there asks for them, and so notices whatever has
 * become of the file.
 *
 * OPENDIR is not needed either: the kernel keeps listings. Before it uses one
 * it looks at the folder's mtime, which is another when the folder has changed.
 */
#ifndef SESSFS_FS_H
#define SESSFS_FS_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "fs/edit/append_stream.h"
#include "fs/edit/head.h"
#include "fs/edit/oneline.h"
#include "fs/kernel/pages.h"
#include "fs/kernel/resend.h"
#include "fs/kernel/watch.h"
#include "fs/tree/cache.h"
#include "fs/tree/node_kinds.h"
#include "fs/tree/stats.h"

struct fs {
	struct places places;
	char *mountpoint; /* absolute, links resolved */
	char *spelled;	  /* absolute, as the user has it */
	struct cache cache;
	struct head_links links;
	struct oneline_edits edits;
	struct appends appends;
	struct resend resend;
	struct watch watch;
	struct stats stats;
	struct store store;
	struct fuse_session *kernel; /* to notify; NULL before the mount */
	bool no_opendir;	     /* the kernel can do without */
	int ready_fd; /* a byte is written there when the mount answers; or -1
		       */
};

extern const struct fuse_lowlevel_ops fs_ops;

/*
 * All but the places, which are there already. Copies the paths; `poll` is for
 * watch_init(). 0 or -errno.
 *
 * fs_stop() ends what uses the kernel's side, before the mount goes. fs_free()
 * takes a struct fs that is zero but for its places as well, and frees those.
 */
int fs_init(struct fs *fs, const char *mountpoint, const char *spelled,
	    double poll);
void fs_stop(struct fs *fs);
void fs_free(struct fs *fs);

/*
 * The file of an inode number: its place pinned, and the session entered unless
 * it is a folder of sessions. -ESTALE for one of an earlier epoch, or of
 * nothing. Whoever enters tells the kernel what is new, and brings truncations
 * of other files that wait to their sessions (fs/edit/oneline.h);
 * fs_enter_unsettled() lets them wait.
 */
int fs_enter_unsettled(struct fs *fs, fuse_ino_t ino, struct node *n);
int fs_enter(struct fs *fs, fuse_ino_t ino, struct node *n);
void fs_leave(const struct node *n);

/* The same where the place is pinned already, and the session entered. */
int fs_node(struct place *at, fuse_ino_t ino, struct node *n);

/*
 * Folders of sessions, and the roots of the sessions in them, are outside:
 * their attributes are those of the files, and no session need be entered, or
 * read, for them. fs_find_outside() pins the place only; -ENOENT for other
 * files.
 */
bool fs_is_outside(const struct node *n);
int fs_find_outside(struct fs *fs, fuse_ino_t ino, struct node *n);

/* Is it an entry's folder, in either view? */
bool fs_is_entry_folder(const struct node *n);

/* A file's attributes; -errno if it can't be rendered to know its size. */
int fs_attr(struct fs *fs, const struct node *n, struct stat *st);

/* How long the kernel may keep the attributes, and the name, of a file. */
double fs_attr_timeout(struct fs *fs, const struct node *n);
double fs_entry_timeout(const struct node *n);

/*
 * What a file holds; cache_put() it. -EAGAIN if the session was rewritten
 * meanwhile: leave, and enter again.
 */
int fs_render(struct fs *fs, const struct node *n, struct rendering **r);

#endif
