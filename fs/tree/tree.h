/*
 * The tree of files that a source's sessions make. Mounts and exports show it.
 *
 * A file is reached by its inode number (tree_enter()) or by its name in a
 * folder (fs/tree/dir.h). Its kind is a row of a table (fs/tree/node_kinds.h),
 * with what it changes with (fs/tree/fresh.h). Its attributes are those of
 * attr_fill(), and its bytes come from fs/tree/render.h. There are no paths, no
 * open files and no table of inodes.
 *
 * A mount adds two things. An editing layer overlays files that the sessions do
 * not have (struct overlay). And a hook enters sessions in place of
 * place_enter(), so that the kernel's caches are invalidated before a request
 * is answered from a session that has changed.
 *
 * Thread-safe after tree_init(). Errors are negative errno values.
 */
#ifndef SESSFS_TREE_H
#define SESSFS_TREE_H

#include "core/file/version.h"
#include "core/places/places.h"
#include "fs/tree/cache.h"
#include "fs/tree/node.h"

/*
 * The files that an editing layer overlays. The node's session is entered in
 * all of these that have one; `dir` is a folder of a session.
 */
struct overlay {
	void *data;
	/*
	 * Is a file of the session hidden at the moment? For HEAD the session
	 * need not be entered.
	 */
	bool (*is_hidden)(void *data, const struct node *n);
	/* A symlink that is overlaid on a folder, in *n; false: none. */
	bool (*find_link)(void *data, const struct node *dir, struct span name,
			  struct node *n);
	/*
	 * The first such symlink whose node.nth is higher than `after`, with
	 * its name appended; false: there is none.
	 */
	bool (*next_link)(void *data, const struct node *dir, uint32_t after,
			  struct node *n, struct buf *name);
	/* The target of such a symlink, appended; -ENOENT if it was removed. */
	int (*read_link)(void *data, const struct node *n, struct buf *out);
};

/* The mount's part; all NULL without one. */
struct tree_hook {
	void *data;
	/* Enters sessions in place of place_enter(), with its contract. */
	int (*enter)(void *data, struct place *at);
	/*
	 * The summaries of many sessions are about to be made. No session is
	 * entered.
	 */
	void (*before_summaries)(void *data);
};

/* The kernel's requests by kind, and other events. */
enum stat_count {
	STAT_LOOKUP,
	STAT_GETATTR,
	STAT_SETATTR,
	STAT_READLINK,
	STAT_READDIR,
	STAT_READ,
	STAT_WRITE,
	STAT_OTHER,
	STAT_REQUESTS, /* the number of kinds above */

	STAT_OF_ENTRIES = STAT_REQUESTS, /* requests for entries' files */
	STAT_CACHE_HITS,
	STAT_CACHE_MISSES,
	STAT_PAGES_STORED, /* files whose pages were pushed to the kernel */
	STAT_COUNTS
};

/*
 * Counters of a mount's requests, for `-o stats`; `info` shows them. Benchmarks
 * use them to see that the kernel answered from its caches.
 */
struct stats {
	bool on;
	/* All are accessed atomically. */
	uint64_t info_lookups; /* `info` is rendered anew for each */
	uint64_t counts[STAT_COUNTS];
};

static inline void stats_count(struct stats *s, enum stat_count count)
{
	if (s->on)
		__atomic_fetch_add(&s->counts[count], 1, __ATOMIC_RELAXED);
}

struct tree {
	struct places *places;
	/* Absolute paths of the mount point; NULL without a mount. */
	char *mountpoint; /* links resolved */
	char *spelled;	  /* as the user spelled it */
	struct cache cache;
	struct stats stats;
	struct sessions *sessions;
	uint64_t listed; /* atomic: the epoch of SOURCE's sessions.txt */
	struct groups *groups;
	/* The owner sets these after tree_init(). */
	struct overlay overlay; /* zeroed: nothing is overlaid */
	struct tree_hook hook;
};

/*
 * `places` must outlive the tree. The paths are copied; both may be NULL. 0 or
 * -errno. tree_free() also takes a tree that is zeroed, or whose tree_init()
 * failed.
 */
int tree_init(struct tree *t, struct places *places, const char *mountpoint,
	      const char *spelled);
void tree_free(struct tree *t);

/*
 * Decode an inode number, pin the place and enter its session (unless
 * node_is_unentered()). On success the caller calls tree_leave(). On failure
 * nothing is pinned or entered; -ESTALE for a number of an earlier epoch, or of
 * nothing.
 */
int tree_enter(struct tree *t, uint64_t ino, struct node *n);
void tree_leave(const struct node *n);

/*
 * Enter the session of a pinned place by the hook, or else by place_enter(),
 * with its contract. place_leave() follows.
 */
int tree_enter_place(struct tree *t, struct place *at);

/*
 * Decode an inode number whose place is pinned, and entered unless
 * node_is_unentered().
 * -ESTALE as above.
 */
int tree_node(struct place *at, uint64_t ino, struct node *n);

/*
 * Decode the inode number of a file that node_is_outside(). Pins the place, for
 * the caller to put back, and enters nothing. -ENOENT for any other file.
 */
int tree_find_outside(struct tree *t, uint64_t ino, struct node *n);

/* overlay.is_hidden(), with its contract; false without an overlay. */
bool tree_hides(const struct tree *t, const struct node *n);

/*
 * attr.c: attributes: mode, owner, size and times of a file.
 *
 * Modes follow the session file's, without its write bits where nothing can be
 * written. The size is always exact. mtime, ctime and atime are the same
 * (fs/tree/fresh.h).
 *
 * Fill *st. The session is entered, unless node_is_outside(). -errno if the
 * file can't be rendered to find its size; -EAGAIN as for render_file().
 */
int attr_fill(struct tree *t, const struct node *n, struct stat *st);

#endif
