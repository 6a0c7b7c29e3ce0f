#include "core/session/path.h"

#include <errno.h>
#include <stdlib.h>

int path_load(struct path *p, const struct session *s, uint32_t entry)
{
	*p = (struct path){ 0 };
	uint32_t n = 0;
	for (uint32_t i = entry; i != INDEX_NONE;
	     i = session_entry(s, i)->parent)
		n++;
	if (n == 0)
		return 0;
	p->list = malloc(n * sizeof(*p->list));
	if (!p->list)
		return -ENOMEM;
	p->n = n;
	for (uint32_t i = entry; i != INDEX_NONE;
	     i = session_entry(s, i)->parent)
		p->list[--n] = i;
	return 0;
}

void path_free(struct path *p)
{
	free(p->list);
	*p = (struct path){ 0 };
}

bool path_has(const struct session *s, uint32_t leaf, uint32_t entry)
{
	uint32_t at = leaf;
	while (at != INDEX_NONE && at != entry)
		at = session_entry(s, at)->parent;
	return at != INDEX_NONE;
}

uint32_t path_root(const struct session *s, uint32_t leaf)
{
	uint32_t root = leaf;
	while (root != INDEX_NONE &&
	       session_entry(s, root)->parent != INDEX_NONE)
		root = session_entry(s, root)->parent;
	return root;
}

bool path_is_cut(const struct session *s, uint32_t leaf)
{
	if (s->now.index.cycles == 0)
		return false;
	uint32_t root = path_root(s, leaf);
	return root != INDEX_NONE && session_entry(s, root)->cut;
}
