#include "fs/tree/stats.h"

static const char *const names[STAT_COUNTS] = {
	[STAT_LOOKUP] = "requests-lookup",
	[STAT_GETATTR] = "requests-getattr",
	[STAT_SETATTR] = "requests-setattr",
	[STAT_READLINK] = "requests-readlink",
	[STAT_READDIR] = "requests-readdir",
	[STAT_READ] = "requests-read",
	[STAT_WRITE] = "requests-write",
	[STAT_OTHER] = "requests-other",
	[STAT_OF_ENTRIES] = "of-entries",
	[STAT_CACHE_HITS] = "cache-hits",
	[STAT_CACHE_MISSES] = "cache-misses",
	[STAT_PAGES_STORED] = "files-stored",
};

void stats_add(const struct stats *s, struct buf *out)
{
	uint64_t now[STAT_COUNTS];
	uint64_t requests = 0;
	for (int i = 0; i < STAT_COUNTS; i++) {
		now[i] = __atomic_load_n(&s->counts[i], __ATOMIC_RELAXED);
		requests += i < STAT_REQUESTS ? now[i] : 0;
	}
	/* Fixed widths: a size that the kernel has fits later counts too. */
	buf_addf(out, "requests: %12llu\n", (unsigned long long)requests);
	for (int i = 0; i < STAT_COUNTS; i++)
		buf_addf(out, "%s: %12llu\n", names[i],
			 (unsigned long long)now[i]);
}
