/*
 * The state that the mount attaches to each place (place.attached).
 */
#ifndef SESSFS_ATTACHED_H
#define SESSFS_ATTACHED_H

#include "core/base/bits.h"
#include "fs/edit/staged.h"
#include "fs/kernel/burst.h"
#include "fs/kernel/watch_marks.h"

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

#endif
