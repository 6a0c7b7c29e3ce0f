/*
 * Which entry does one go on from whose parent is unknown? The last one before
 * it, in an order by time, that is not below it. How Claude Code bridges gaps
 * (bridge.h) and how `rescue` joins what is torn are orders of this search.
 *
 * The caller begins, lists the places and the trees, sorts, and then searches.
 * When an entry has got a parent, it sets tree[entry] to that before the next
 * search. All searches together take n log n steps.
 */
#ifndef SESSFS_OLDER_H
#define SESSFS_OLDER_H

#include "core/session/index.h"

struct older_place {
	uint32_t entry;
	uint32_t side; /* places of another one don't count */
	int64_t time;
	uint32_t rank; /* among those of one time; no two places are equal */
};

struct older {
	struct older_place *list; /* by side, time and rank */
	size_t n;
	/* By entry: one above it, or itself if it has no parent. */
	uint32_t *tree;
	/*
	 * private. By place: one before it up to which all are known to be of
	 * one tree, or itself.
	 */
	uint32_t *run;
};

/* Make room for so many entries. 0 or -ENOMEM; older_end() in either case. */
int older_begin(struct older *o, uint32_t entries);
void older_sort(struct older *o);
void older_end(struct older *o);

/* The first place that is not before this one, which need not be listed. */
size_t older_search(const struct older *o, const struct older_place *at);

/* Is an entry in the tree of this root? */
bool older_is_below(struct older *o, uint32_t entry, uint32_t root);

/*
 * The entry of the last place before a root's that is of the same side, no
 * older than `since`, and not in the root's tree; or INDEX_NONE.
 */
uint32_t older_find(struct older *o, const struct older_place *root,
		    int64_t since);

#endif
