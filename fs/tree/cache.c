#include "fs/tree/cache.h"

#include <stdlib.h>

#include "core/base/hash.h"

void cache_init(struct cache *c)
{
	*c = (struct cache){ 0 };
	for (size_t i = 0; i <= CACHE_PARTS; i++)
		c->parts[i].lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

void cache_put(struct rendering *r)
{
	if (__atomic_sub_fetch(&r->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	buf_free(&r->bytes);
	free(r);
}

void cache_free(struct cache *c)
{
	for (size_t i = 0; i <= CACHE_PARTS; i++) {
		struct cache_part *part = &c->parts[i];
		for (size_t k = 0; k < CACHE_SLOTS && part->slots[k]; k++)
			cache_put(part->slots[k]);
		pthread_mutex_destroy(&part->lock);
	}
}

static struct cache_part *part_of(struct cache *c, uint64_t ino, bool large)
{
	return &c->parts[large ? CACHE_PARTS : hash_number(ino) % CACHE_PARTS];
}

/* Under the part's lock: move the others back by one, and put r in front. */
static void to_front(struct cache_part *part, size_t at, struct rendering *r)
{
	memmove(part->slots + 1, part->slots, at * sizeof(part->slots[0]));
	part->slots[0] = r;
}

static struct rendering *find(struct cache_part *part, uint64_t ino,
			      uint64_t version)
{
	struct rendering *found = NULL;
	pthread_mutex_lock(&part->lock);
	for (size_t i = 0; i < CACHE_SLOTS && part->slots[i]; i++) {
		struct rendering *r = part->slots[i];
		if (r->ino != ino || r->version != version)
			continue;
		to_front(part, i, r);
		__atomic_add_fetch(&r->users, 1, __ATOMIC_RELAXED);
		found = r;
		break;
	}
	pthread_mutex_unlock(&part->lock);
	return found;
}

struct rendering *cache_get(struct cache *c, uint64_t ino, uint64_t version)
{
	struct rendering *r = find(part_of(c, ino, false), ino, version);
	if (!r && __atomic_load_n(&c->had_large, __ATOMIC_RELAXED))
		r = find(part_of(c, ino, true), ino, version);
	return r;
}

/* Evict what a part has under a number and a version. */
static void evict(struct cache_part *part, uint64_t ino, uint64_t version)
{
	size_t kept = 0;
	pthread_mutex_lock(&part->lock);
	for (size_t i = 0; i < CACHE_SLOTS && part->slots[i]; i++) {
		struct rendering *r = part->slots[i];
		part->slots[i] = NULL;
		if (r->ino == ino && r->version == version)
			cache_put(r);
		else
			part->slots[kept++] = r;
	}
	pthread_mutex_unlock(&part->lock);
}

struct rendering *cache_add(struct cache *c, uint64_t ino, uint64_t version,
			    struct buf *bytes)
{
	bool large = bytes->cap > CACHE_SMALL;
	struct cache_part *part = part_of(c, ino, large);
	struct rendering *r = malloc(sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct rendering){ ino, version, *bytes, 2 };
	*bytes = (struct buf){ 0 };
	if (large)
		__atomic_store_n(&c->had_large, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&part->lock);
	size_t last = CACHE_SLOTS - 1;
	struct rendering *oldest = part->slots[last];
	to_front(part, last, r);
	/* Evict what is beyond the limit. */
	size_t total = 0;
	for (size_t i = 0; large && i < CACHE_SLOTS && part->slots[i]; i++) {
		total += part->slots[i]->bytes.cap;
		if (i >= CACHE_KEPT && total > CACHE_BYTES) {
			cache_put(part->slots[i]);
			part->slots[i] = NULL;
		}
	}
	pthread_mutex_unlock(&part->lock);
	if (oldest)
		cache_put(oldest);
	/* One of another size is in another part. */
	if (__atomic_load_n(&c->had_large, __ATOMIC_RELAXED))
		evict(part_of(c, ino, !large), ino, version);
	return r;
}
