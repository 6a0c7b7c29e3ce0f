#include "core/show/pictures.h"

#include <errno.h>

#include "core/session/derived.h"

struct table {
	uint64_t line;
	struct buf list; /* of struct picture */
};

struct pictures {
	struct derived derived;
	struct table slots[PICTURES_SLOTS]; /* most recently used first */
	size_t n;
};

/* Drop all tables but the first `n`. */
static void evict_from(struct pictures *p, size_t n)
{
	while (p->n > n)
		buf_free(&p->slots[--p->n].list);
}

static void clear(void *cache)
{
	evict_from(cache, 0);
}

static const struct derived_kind kind = { sizeof(struct pictures), clear };

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

int pictures_find(const struct session *s, uint64_t line, unsigned n,
		  struct picture *out)
{
	struct pictures *p = derived_lock(s, &kind);
	int err = -EAGAIN;
	if (!p)
		return err;
	size_t i = slot_of(p, line);
	if (i < p->n) {
		struct table t = p->slots[i];
		to_front(p, i, t);
		err = n > 0 && n <= t.list.len / sizeof(*out) ? 0 : -ENOENT;
		if (!err)
			memcpy(out, t.list.data + (n - 1) * sizeof(*out),
			       sizeof(*out));
	}
	derived_unlock(&p->derived);
	return err;
}

void pictures_keep(const struct session *s, uint64_t line, struct buf *table)
{
	struct pictures *p = table->len > 0 ? derived_lock(s, &kind) : NULL;
	if (!p)
		return;
	size_t i = slot_of(p, line);
	if (i == PICTURES_SLOTS)
		evict_from(p, --i);
	if (i < p->n)
		buf_free(&p->slots[i].list);
	else
		p->n++;
	to_front(p, i, (struct table){ line, *table });
	size_t bytes = 0;
	for (i = 0; i < p->n; i++) {
		bytes += p->slots[i].list.cap;
		if (i > 0 && bytes > PICTURES_BYTES)
			evict_from(p, i);
	}
	derived_unlock(&p->derived);
	*table = (struct buf){ 0 };
}

void pictures_forget(const struct session *s)
{
	struct pictures *p = derived_lock(s, &kind);
	if (!p)
		return;
	derived_drop(&p->derived);
	derived_unlock(&p->derived);
}
