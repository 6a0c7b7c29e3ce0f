/*
 * The mount: the tree (fs/tree/) and its editing layer (fs/edit/), served
 * through low-level libfuse.
 *
 * Every operation decodes an inode number and enters the session, which brings
 * it up to date (edit_enter()). Then it asks the tree or the editing layer, and
 * replies once (fs/kernel/ops.c).
 *
 * OPEN is answered with ENOSYS, which tells the kernel never to send it again.
 * Three things follow. Nothing can be kept per open file, so READs share the
 * cache of renderings (fs/tree/cache.h). O_TRUNC arrives as a SETATTR of its
 * own, so FUSE_CAP_ATOMIC_O_TRUNC must be off. And the kernel keeps pages until
 * it sees another size or mtime, so files that change have an attribute timeout
 * of 0, or are invalidated (fs/kernel/timeouts.h), and their mtime never
 * repeats (fs/tree/fresh.h).
 *
 * OPENDIR is answered with ENOSYS too, so the kernel caches listings. Before it
 * uses one it compares the folder's mtime, which changes with the folder.
 *
 * Locks are taken in this order. Their headers say what they protect.
 *
 *     sessions.lock                         fs/tree/sessions.c
 *     the session file's, and the agent's   core/session/writer.h
 *     the session's, either side            core/session/session.h
 *     base_lock                             core/places/private.h
 *     place.lock                            core/places/places.h
 *     watch.lock                            fs/kernel/watch.h
 *     places.lock, either side              core/places/places.h
 *
 * Any other lock protects one cache or list, and none of these is taken under
 * it. The kernel is notified under none of the others (fs/kernel/notify.h).
 */
#ifndef SESSFS_FS_H
#define SESSFS_FS_H

#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#include "core/base/bits.h"
#include "fs/edit/edit.h"
#include "fs/kernel/burst.h"
#include "fs/kernel/page_cache.h"
#include "fs/kernel/resend.h"
#include "fs/kernel/watch.h"
#include "fs/tree/tree.h"

/*
 * So many requests are served at once. Those for a file server that does not
 * answer each hold a thread and, if they read ahead, a place among the kernel's
 * background requests. As long as they are fewer, others are answered.
 */
#define FS_REQUESTS 256

/* More threads than this end when they have nothing to do. */
#define FS_IDLE_THREADS 16

struct fs {
	struct tree tree;
	struct edit edit;
	struct resend resend;
	struct watch watch;
	struct pages pages;
	struct fuse_session *kernel; /* to notify; NULL before the mount */
	pid_t pid;		     /* while it serves */
	bool no_opendir;	     /* the kernel can do without OPENDIR */
	unsigned max_read;	     /* that the mount was told, or 0 */
	/*
	 * Gets a byte when the kernel opens the connection, and one for the
	 * first request after that, by which the kernel has taken what libfuse
	 * replied; or -1. Atomic access.
	 */
	int ready_fd;
};

/* A session, as far as fs/kernel/notify.h compares it with the one before. */
struct notified_state {
	uint32_t entries;
	uint32_t leaf;
	uint32_t head;
	uint32_t labels; /* lines that set a label */
	uint32_t subagents;
};

_Static_assert(INDEX_LIMIT - 1 < BITS_LIMIT, "all entries fit into a set");

/*
 * The files of an epoch of which the kernel may have attributes. It has those
 * of links, too, but does not reach one without the attributes of its folder.
 */
struct cached {
	uint32_t number;	       /* of the epoch */
	uint32_t most_pictures;	       /* of one entry; atomic access */
	struct bits kinds[KIND_COUNT]; /* the entries, or 0, of each kind */
};

/*
 * The state of which the kernel was last notified. place.lock protects it, but
 * the sets in *cached are added to, and `version` is read, without it.
 */
struct notified {
	struct notified_state state;
	uint64_t version; /* of the session, plus 1; 0: none; atomic access */
	struct cached *cached; /* NULL: it has nothing of the session */
};

/* What the mount attaches to each place (place.attached). */
struct attached {
	struct edit_place edit; /* first: fs/edit/edit.h finds it there */
	struct notified notified;
	struct mark mark;
	struct burst burst;   /* in the session */
	struct burst outside; /* of what is outside: node_is_outside() */
};

static inline struct attached *attached_to(const struct place *at)
{
	return at->attached;
}

/* A place's mark.watch, without a lock. */
static inline int watch_mark(const struct place *at)
{
	return __atomic_load_n(&attached_to(at)->mark.watch, __ATOMIC_RELAXED);
}

extern const struct fuse_lowlevel_ops fs_ops;

/* For places_init(). */
extern const struct places_attachment fs_attachment;

/*
 * `places` must outlive the mount, and their attachment must be fs_attachment.
 * Copies the paths; `poll` is for watch_init(). 0 or -errno.
 *
 * fs_stop() ends everything that notifies the kernel. The caller calls it
 * before it unmounts. fs_free() calls it too, and also takes a struct fs that
 * is zeroed, or whose fs_init() failed.
 */
int fs_init(struct fs *fs, struct places *places, const char *mountpoint,
	    const char *spelled, double poll);
void fs_stop(struct fs *fs);
void fs_free(struct fs *fs);

#endif
