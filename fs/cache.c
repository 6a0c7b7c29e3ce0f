#include "fs/cache.h"

#include <stdlib.h>

int cache_init(struct cache *c)
{
	*c = (struct cache){ 0 };
	return -pthread_mutex_init(&c->lock, NULL);
}

/* Under the lock. */
static void drop(struct rendering *r)
{
	if (--r->users > 0)
		return;
	buf_free(&r->bytes);
	free(r);
}

void cache_free(struct cache *c)
{
	for (size_t i = 0; i < CACHE_SLOTS && c->slots[i]; i++)
		drop(c->slots[i]);
	pthread_mutex_destroy(&c->lock);
}

/* Under the lock: to the front, the others one back. */
static void to_front(struct cache *c, size_t at, struct rendering *r)
{
	memmove(c->slots + 1, c->slots, at * sizeof(c->slots[0]));
	c->slots[0] = r;
}

struct rendering *cache_get(struct cache *c, uint64_t ino, uint64_t version)
{
	struct rendering *found = NULL;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < CACHE_SLOTS && c->slots[i]; i++) {
		struct rendering *r = c->slots[i];
		if (r->ino != ino || r->version != version)
			continue;
		to_front(c, i, r);
		r->users++;
		found = r;
		break;
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

/* Under the lock: what does not fit behind the newest goes. */
static void shrink(struct cache *c)
{
	size_t bytes = 0;
	for (size_t i = 0; i < CACHE_SLOTS && c->slots[i]; i++) {
		bytes += c->slots[i]->bytes.cap;
		if (i < CACHE_KEPT || bytes <= CACHE_BYTES)
			continue;
		for (size_t k = i; k < CACHE_SLOTS && c->slots[k]; k++) {
			drop(c->slots[k]);
			c->slots[k] = NULL;
		}
	}
}

struct rendering *cache_add(struct cache *c, uint64_t ino, uint64_t version,
			    struct buf *bytes)
{
	struct rendering *r = malloc(sizeof(*r));
	if (!r)
		return NULL;
	*r = (struct rendering){ ino, version, *bytes, 2 };
	*bytes = (struct buf){ 0 };
	pthread_mutex_lock(&c->lock);
	size_t last = CACHE_SLOTS - 1;
	if (c->slots[last])
		drop(c->slots[last]);
	to_front(c, last, r);
	shrink(c);
	pthread_mutex_unlock(&c->lock);
	return r;
}

void cache_put(struct cache *c, struct rendering *r)
{
	pthread_mutex_lock(&c->lock);
	drop(r);
	pthread_mutex_unlock(&c->lock);
}
