#include "core/session/pictures.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct table {
	uint64_t line;
	struct buf list; /* of struct picture */
};

struct pictures {
	pthread_mutex_t lock;
	struct table slots[PICTURES_SLOTS]; /* most recently used first */
	size_t n;
};

struct pictures *pictures_new(void)
{
	struct pictures *p = calloc(1, sizeof(*p));
	if (p && pthread_mutex_init(&p->lock, NULL) != 0) {
		free(p);
		return NULL;
	}
	return p;
}

/* Drop all tables but the first `n`. Needs the lock, as do those below. */
static void evict_from(struct pictures *p, size_t n)
{
	while (p->n > n)
		buf_free(&p->slots[--p->n].list);
}

void pictures_free(struct pictures *p)
{
	if (!p)
		return;
	evict_from(p, 0);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* The slot of a line's table, or p->n. */
static size_t slot_of(const struct pictures *p, uint64_t line)
{
	size_t i = 0;
	while (i < p->n && p->slots[i].line != line)
		i++;
	return i;
}

/* Put a table into the first slot, and move those before `at` down by one. */
static void to_front(struct pictures *p, size_t at, struct table t)
{
	memmove(p->slots + 1, p->slots, at * sizeof(p->slots[0]));
	p->slots[0] = t;
}

/* Evict what exceeds PICTURES_BYTES, but not the first. */
static void evict_excess(struct pictures *p)
{
	size_t bytes = 0;
	for (size_t i = 0; i < p->n; i++) {
		bytes += p->slots[i].list.cap;
		if (i > 0 && bytes > PICTURES_BYTES)
			evict_from(p, i);
	}
}

int pictures_find(struct pictures *p, uint64_t line, unsigned n,
		  struct picture *out)
{
	int err = -EAGAIN;
	pthread_mutex_lock(&p->lock);
	size_t i = slot_of(p, line);
	if (i < p->n) {
		struct table t = p->slots[i];
		bool found = n > 0 && n <= t.list.len / sizeof(*out);
		if (found)
			memcpy(out, t.list.data + (n - 1) * sizeof(*out),
			       sizeof(*out));
		to_front(p, i, t);
		err = found ? 0 : -ENOENT;
	}
	pthread_mutex_unlock(&p->lock);
	return err;
}

void pictures_keep(struct pictures *p, uint64_t line, struct buf *table)
{
	if (table->len == 0)
		return;
	pthread_mutex_lock(&p->lock);
	size_t i = slot_of(p, line);
	if (i == PICTURES_SLOTS)
		evict_from(p, --i);
	if (i < p->n)
		buf_free(&p->slots[i].list);
	else
		p->n++;
	to_front(p, i, (struct table){ line, *table });
	evict_excess(p);
	pthread_mutex_unlock(&p->lock);
	*table = (struct buf){ 0 };
}

void pictures_forget(struct pictures *p)
{
	pthread_mutex_lock(&p->lock);
	evict_from(p, 0);
	pthread_mutex_unlock(&p->lock);
}
