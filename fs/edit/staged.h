/*
 * Staged symlinks and hidden names: the state between the requests that move
 * HEAD together (fs/edit/head.h).
 *
 * A staged symlink has a name and a target and is shown in the folder in which
 * it was made. There is room for STAGED_LINKS of them in a mount; a new one
 * replaces the oldest.
 *
 * HEAD, or a child, parent or content in HEAD's folder, is hidden when it is
 * unlinked: it is not found for STAGED_HIDDEN_MS, or until staged_unhide().
 * Then it is there again: nothing in a session can be deleted. A hidden HEAD is
 * not listed either, so the mtime of the root differs as long as it is hidden
 * (fs/tree/fresh.h). Any other hidden file stays listed.
 *
 * All of it is in memory and ends with the mount. Thread-safe: `lock` protects
 * it, and the edit_place of every place. The sessions of all nodes are entered.
 * staged_unhide() needs none entered, nor does staged_is_hidden() of HEAD.
 */
#ifndef SESSFS_STAGED_H
#define SESSFS_STAGED_H

#include <pthread.h>

#include "fs/tree/node.h"

#define STAGED_LINKS 256

/* Long enough for rm and ln -s, and for busybox ln, which does the same. */
#define STAGED_HIDDEN_MS 1000

/* State of a place, at the start of what is attached to it (place.attached). */
struct edit_place {
	/* When they are shown again: timestamp_monotonic(); 0: not hidden. */
	int64_t head_hidden_until;
	int64_t hidden_until;
	uint64_t hidden; /* the inode number of another hidden file, or 0 */
};

/* Its age is in its inode number, so that the next one in its slot has another.
 */
struct staged_link {
	uint64_t dir;  /* the folder's inode number; 0: a free slot */
	uint32_t home; /* of its place */
	uint64_t age;
	char name[256];
	struct buf target;
};

struct staged {
	/*
	 * Was anything ever staged or hidden? If not, nobody locks. Set before
	 * locking; atomic access.
	 */
	bool used;
	pthread_mutex_t lock;
	struct staged_link links[STAGED_LINKS];
	uint64_t clock;
};

void staged_free(struct staged *s);

/* For struct overlay (fs/tree/tree.h); `staged` is the struct staged. */
bool staged_is_hidden(void *staged, const struct node *n);
bool staged_find(void *staged, const struct node *dir, struct span name,
		 struct node *n);
bool staged_next(void *staged, const struct node *dir, uint32_t after,
		 struct node *n, struct buf *name);
int staged_target(void *staged, const struct node *n, struct buf *out);

/* Stage a link; *made is its node. 0, -ENOMEM or -ENAMETOOLONG. */
int staged_add(struct staged *s, const struct node *dir, struct span name,
	       const char *target, struct node *made);

/*
 * Rename a link. It replaces a staged link with the new name. 0, -ENOENT or
 * -ENAMETOOLONG.
 */
int staged_rename(struct staged *s, const struct node *dir, struct span name,
		  struct span newname);

void staged_remove(struct staged *s, const struct node *n);

/* Can a file of this kind be hidden? */
bool staged_can_hide(enum node_kind kind);

void staged_hide(struct staged *s, const struct node *n);

/* Unhide all files of a place. True if HEAD was hidden, even if long ago. */
bool staged_unhide(struct staged *s, struct place *at);

#endif
