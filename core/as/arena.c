#include "core/as/arena.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/json/writer.h"

#define BLOCK_SIZE ((size_t)64 << 10)

static char *new_block(struct arena *a, size_t size)
{
	if (array_reserve(&a->blocks, &a->cap, a->n, 1) < 0)
		return NULL;
	char *block = malloc(size);
	if (block)
		a->blocks[a->n++] = block;
	return block;
}

char *arena_new(struct arena *a, size_t n)
{
	/* What is large has a block of its own; others go on in theirs. */
	if (n > BLOCK_SIZE / 4)
		return new_block(a, n);
	if (n > a->left) {
		char *block = new_block(a, BLOCK_SIZE);
		if (!block)
			return NULL;
		a->at = block;
		a->left = BLOCK_SIZE;
	}
	char *p = a->at;
	a->at += n;
	a->left -= n;
	return p;
}

/* A copy of n bytes, which are not none; or NULL. */
static char *copy(struct arena *a, struct span s)
{
	char *p = arena_new(a, s.n);
	if (p)
		memcpy(p, s.p, s.n);
	return p;
}

int arena_keep(struct arena *a, struct span *s)
{
	if (s->n > 0)
		s->p = copy(a, *s);
	return s->p || s->n == 0 ? 0 : -ENOMEM;
}

int arena_keep_json(struct arena *a, struct json *v)
{
	size_t n = v->raw.n;
	char *p = n > 0 ? copy(a, v->raw) : NULL;
	if (n > 0 && !p)
		return -ENOMEM;
	json_join(p, n);
	*v = (struct json){ .raw = { p, n } };
	return 0;
}

void arena_free(struct arena *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->blocks[i]);
	free(a->blocks);
	*a = (struct arena){ 0 };
}
