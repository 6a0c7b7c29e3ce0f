/*
 * Recent renderings.
 *
 * OPEN is not answered (fs/kernel/fs.h), so there is nowhere to keep what a
 * file held when it was opened: the READs that follow each other, and the
 * GETATTR that wants the size before them, share what is kept here. It is some
 * MiB; it drops what was used longest ago, but never the newest two large ones,
 * however large: two files that are compared are read in turn.
 *
 * Small renderings are kept in parts, by inode number, each with its own lock:
 * who reads different entries does not wait for each other.
 *
 * A rendering is found by inode number and version: those of files that never
 * change have version 0, others that of the session.
 *
 * Thread-safe. A rendering that was got stays until it is put back.
 */
#ifndef SESSFS_CACHE_H
#define SESSFS_CACHE_H

#include <pthread.h>
#include <stdint.h>

#include "core/base/buf.h"

#define CACHE_PARTS 16
#define CACHE_SLOTS 8
#define CACHE_SMALL ((size_t)64 << 10)
/* Of the large ones, but for the newest. */
#define CACHE_BYTES ((size_t)4 << 20)
#define CACHE_KEPT 2

struct rendering {
	uint64_t ino;
	uint64_t version;
	struct buf bytes;
	unsigned users; /* atomic access; the cache itself is one */
};

struct cache_part {
	pthread_mutex_t lock;
	struct rendering *slots[CACHE_SLOTS]; /* the newest first */
};

struct cache {
	struct cache_part parts[CACHE_PARTS + 1]; /* the last: large ones */
	unsigned had_large;			  /* atomic access */
};

int cache_init(struct cache *c);
void cache_free(struct cache *c);

/* A rendering, or NULL. */
struct rendering *cache_get(struct cache *c, uint64_t ino, uint64_t version);

/* Keep bytes (taken: *bytes is empty afterwards); NULL without memory. */
struct rendering *cache_add(struct cache *c, uint64_t ino, uint64_t version,
			    struct buf *bytes);

void cache_put(struct rendering *r);

#endif
