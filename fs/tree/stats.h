/*
 * Counters of a mount's requests, for `-o stats`; `info` shows them. Benchmarks
 * use them to see that the kernel answered from its caches.
 */
#ifndef SESSFS_STATS_H
#define SESSFS_STATS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
