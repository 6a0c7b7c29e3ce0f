/*
 * A cache of recent renderings, by inode number and version.
 *
 * OPEN is answered with ENOSYS (fs/kernel/fs.h), so no rendering can be kept
 * per open file. Successive READs, and the GETATTR before them that needs the
 * size, share the renderings in this cache. It holds a few MiB and evicts the
 * least recently used. The two newest large renderings are never evicted, not
 * even if they alone exceed the limit: programs that compare two files read
 * them in turn.
 *
 * Small renderings are spread over parts by inode number. Each part has its own
 * lock, so that threads which read different entries do not contend.
 *
 * Thread-safe. A rendering is reference-counted: cache_get() and cache_add()
 * return it with a reference, and cache_put() drops that.
 */
#ifndef SESSFS_CACHE_H
#define SESSFS_CACHE_H

#include <pthread.h>
#include <stdint.h>

#include "core/base/buf.h"

#define CACHE_PARTS 16
#define CACHE_SLOTS 8
#define CACHE_SMALL ((size_t)64 << 10)
/* The limit for large renderings together, except for the newest two. */
#define CACHE_BYTES ((size_t)4 << 20)
#define CACHE_KEPT 2

struct rendering {
	uint64_t ino;
	uint64_t version;
	struct buf bytes;
	unsigned users; /* references, the cache's included; atomic access */
};

struct cache_part {
	pthread_mutex_t lock;
	struct rendering *slots[CACHE_SLOTS]; /* the newest first */
};

struct cache {
	struct cache_part parts[CACHE_PARTS + 1]; /* the last has large ones */
	unsigned had_large;			  /* atomic access */
};

void cache_init(struct cache *c);
void cache_free(struct cache *c);

/*
 * The rendering, or NULL if it is not cached. Of several with this number and
 * version it is the one that was added last.
 */
struct rendering *cache_get(struct cache *c, uint64_t ino, uint64_t version);

/*
 * Cache *bytes, which is moved into the rendering and left empty. NULL without
 * memory; *bytes is unchanged then.
 */
struct rendering *cache_add(struct cache *c, uint64_t ino, uint64_t version,
			    struct buf *bytes);

void cache_put(struct rendering *r);

#endif
