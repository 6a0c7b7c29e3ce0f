/*
 * Moving HEAD with symlinks (DESIGN.md, "HEAD").
 *
 * People and programs do it in three ways, and each is a different series of
 * requests:
 *
 *   - ln -sfn, os.replace: SYMLINK of a temporary name at the root, and RENAME
 *     of it onto HEAD.
 *   - GNU ln -sf without -n follows HEAD: SYMLINK of the target's last part in
 *     the folder that HEAD points to; where that name is taken, SYMLINK of a
 *     temporary name there, and RENAME.
 *   - rm and ln -s, busybox: UNLINK of HEAD, or of that name in the folder,
 * then SYMLINK.
 *
 * So a symlink that is not yet the move is staged, if its target names an
 * entry: remembered here with its target, shown where it was made, and
 * forgotten when it becomes the move, is removed, or is the oldest of too many.
 * An unlinked HEAD is hidden until it is made again. A child, the parent or the
 * content that is unlinked in HEAD's folder can't be found for a moment,
 * because nothing in the session goes away by rm; it stays listed.
 *
 * Staged symlinks and hiding live in memory and end with the mount.
 * Thread-safe: `lock` protects them.
 */
#ifndef SESSFS_HEAD_H
#define SESSFS_HEAD_H

#include <pthread.h>
#include <time.h>

#include "fs/tree/node.h"

#define STAGED_LINKS 256

struct staged_link {
	uint64_t dir;  /* the folder's inode number; 0: a free slot */
	uint32_t home; /* that of its place */
	uint64_t age;
	char name[256];
	struct buf target;
};

struct head_links {
	/* Was anything staged or hidden? Until then nobody locks. Atomic. */
	bool used;
	pthread_mutex_t lock;
	struct staged_link staged[STAGED_LINKS];
	uint64_t clock;
};

struct fs;

int head_links_init(struct head_links *l);
void head_links_free(struct head_links *l);

/* A staged link of that name, in *n; false if there is none. */
bool head_find_staged(struct fs *fs, const struct node *dir, struct span name,
		      struct node *n);

/* The staged link numbered `from` or higher that a folder lists. */
bool head_next_staged(struct fs *fs, const struct node *dir, uint32_t from,
		      struct node *n, struct buf *name);

/* Where a staged link points; -ENOENT if it is gone. */
int head_staged_target(struct fs *fs, const struct node *n, struct buf *out);

/* Is a file that the session has not to be found just now? */
bool head_is_hidden(struct fs *fs, const struct node *n);

/*
 * The three requests, by the folder's inode number; the session must not be
 * entered. 0 or -errno. `made` is what SYMLINK replies with, in the place `at`,
 * which the folder is in and the caller has pinned.
 */
int head_symlink(struct fs *fs, struct place *at, uint64_t dir,
		 const char *name, const char *target, struct node *made);
int head_unlink(struct fs *fs, uint64_t dir, const char *name);
int head_rename(struct fs *fs, uint64_t dir, const char *name, uint64_t newdir,
		const char *newname, unsigned flags);

#endif
