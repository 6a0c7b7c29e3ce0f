/*
 * Counters of what a mount does, for `-o stats`: `info` shows them. They are
 * what a benchmark needs to tell that the kernel asked for nothing.
 */
#ifndef SESSFS_STATS_H
#define SESSFS_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

/* Requests of the kernel, by kind, and what else is worth counting. */
enum stat_count {
	STAT_LOOKUP,
	STAT_GETATTR,
	STAT_SETATTR,
	STAT_READLINK,
	STAT_READDIR,
	STAT_READ,
	STAT_WRITE,
	STAT_OTHER,
	STAT_REQUESTS, /* how many of the above there are */

	STAT_OF_ENTRIES = STAT_REQUESTS, /* of them, about entries' files */
	STAT_CACHE_HITS,
	STAT_CACHE_MISSES,
	STAT_PAGES_STORED, /* files whose pages the kernel was given */
	STAT_COUNTS
};

struct stats {
	bool on;
	/* How often `info` was looked up: it is made anew each time. */
	uint64_t looks; /* atomic access, as is: */
	uint64_t counts[STAT_COUNTS];
};

static inline void stats_count(struct stats *s, enum stat_count what)
{
	if (s->on)
		__atomic_fetch_add(&s->counts[what], 1, __ATOMIC_RELAXED);
}

/* "key: value" lines. */
void stats_add(const struct stats *s, struct buf *out);

#endif
