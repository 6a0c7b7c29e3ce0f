#include "core/dialects/claude/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/dialects/claude/kept.h"
#include "core/session/bridge.h"

struct climbing {
	const struct session *s;
	const struct claude_kept *kept;
	bool forgets; /* the agent does not see entries before kept->boundary */
	uint32_t *parents; /* without the forgotten ones; NULL until needed */
	int err;
};

static bool is_boundary(const struct session *s, uint32_t entry)
{
	return claude_entry(s, entry)->part == CLAUDE_BOUNDARY;
}

static uint32_t last_boundary(const struct session *s, uint32_t entry)
{
	while (entry != INDEX_NONE && !is_boundary(s, entry))
		entry = session_entry(s, entry)->parent;
	return entry;
}

uint32_t claude_last_said(const struct session *s, uint32_t entry)
{
	uint32_t said = entry;
	while (said != INDEX_NONE &&
	       claude_entry(s, said)->speaker == INDEX_NONE) {
		uint32_t boundary = last_boundary(s, said);
		if (boundary == INDEX_NONE)
			break;
		said = session_entry(s, boundary)->parent;
	}
	bool alone = said == INDEX_NONE && !is_boundary(s, entry);
	return alone ? entry : said;
}

static int load_parents(struct climbing *c)
{
	uint32_t n = c->s->now.index.n;
	bool *gone = malloc(n * sizeof(*gone));
	c->parents = malloc(n * sizeof(*c->parents));
	int err = gone && c->parents ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++)
		gone[i] = claude_is_forgotten(c->s, i);
	if (!err)
		err = bridge_without(&c->s->now.index, gone, c->parents);
	free(gone);
	return err;
}

/* The parent of an entry whose own one is forgotten. */
static uint32_t other_parent(struct climbing *c, uint32_t entry)
{
	if (c->kept->n > 0 && !session_entry(c->s, entry)->bridged)
		return c->kept->last;
	if (!c->parents && !c->err)
		c->err = load_parents(c);
	return c->err ? INDEX_NONE : c->parents[entry];
}

static uint32_t parent_of(struct climbing *c, uint32_t entry)
{
	const struct claude_kept *k = c->kept;
	uint32_t parent = claude_kept_parent(k, entry);
	if (parent != INDEX_NONE)
		return parent;
	parent = session_entry(c->s, entry)->parent;
	if (parent == INDEX_NONE)
		return INDEX_NONE;
	if (c->forgets && claude_is_forgotten(c->s, parent))
		return other_parent(c, entry);
	return parent == k->anchor && k->n > 0 ? k->last : parent;
}

/* What is kept may have been listed so that it closes a cycle. */
static int climb(struct climbing *c, uint32_t entry, struct claude_chain *chain)
{
	size_t n = c->s->now.index.n;
	struct path *p = &chain->path;
	bool *seen = calloc(n + 1, sizeof(*seen));
	p->list = calloc(n + 1, sizeof(*p->list));
	if (!seen || !p->list) {
		free(seen);
		return -ENOMEM;
	}
	uint32_t at = entry;
	for (; at != INDEX_NONE && !seen[at] && !is_boundary(c->s, at);
	     at = parent_of(c, at)) {
		seen[at] = true;
		p->list[n - p->n++] = at;
	}
	memmove(p->list, p->list + n + 1 - p->n, p->n * sizeof(*p->list));
	if (at != INDEX_NONE && is_boundary(c->s, at))
		chain->boundary = at;
	free(seen);
	return c->err;
}

int claude_chain_load(const struct session *s, uint32_t entry,
		      struct claude_chain *chain)
{
	const struct claude *c = s->now.state;
	const struct claude_kept none = { .boundary = INDEX_NONE,
					  .anchor = INDEX_NONE,
					  .last = INDEX_NONE };
	struct claude_kept own = none;
	struct climbing climbing = { .s = s, .kept = &none };
	int err = 0;
	*chain = (struct claude_chain){ .boundary = INDEX_NONE };
	uint32_t said = claude_last_said(s, entry);
	if (said == INDEX_NONE)
		return 0;
	if (!claude_is_forgotten(s, said) || claude_is_forgotten(s, entry))
		entry = said;
	chain->forgotten = claude_is_forgotten(s, entry);
	if (chain->forgotten) {
		err = claude_kept_load(s, last_boundary(s, entry), &own);
		climbing.kept = &own;
	} else if (c->prunes) {
		climbing.kept = &c->kept;
		climbing.forgets = true;
	}
	if (!err)
		err = climb(&climbing, entry, chain);
	if (err)
		path_free(&chain->path);
	free(climbing.parents);
	free(own.places);
	return err;
}

/* Is a line behind a speaker? Other such lines may be between. */
static bool is_behind(const struct session *s, uint32_t line, uint32_t speaker)
{
	const struct claude_entry *e = claude_entry(s, line);
	return e->speaker == speaker && !claude_speaks(e);
}

/* The line after `at` (INDEX_NONE: the first) of those behind a speaker. */
static uint32_t next_link(const struct session *s, uint32_t speaker,
			  uint32_t at)
{
	const struct index *x = &s->now.index;
	uint32_t i = at == INDEX_NONE ? x->entries[speaker].first_child
				      : index_next_below(x, speaker, at, true);
	while (i != INDEX_NONE && !is_behind(s, i, speaker))
		i = index_next_below(x, speaker, i, false);
	return i;
}

bool claude_is_newer(const struct session *s, uint32_t a, uint32_t b)
{
	if (b == INDEX_NONE)
		return true;
	const struct entry *x = session_entry(s, a);
	const struct entry *y = session_entry(s, b);
	return x->time != y->time ? x->time > y->time : x->line > y->line;
}

static int by_time(const void *a, const void *b, void *session)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return claude_is_newer(session, x, y) ? 1 : -1;
}

uint32_t claude_links(const struct session *s, uint32_t speaker, bool all,
		      uint32_t *list)
{
	uint32_t n = 0;
	for (uint32_t i = next_link(s, speaker, INDEX_NONE); i != INDEX_NONE;
	     i = next_link(s, speaker, i)) {
		if (all || !claude_is_forgotten(s, i))
			list[n++] = i;
	}
	qsort_r(list, n, sizeof(*list), by_time, (void *)s);
	return n;
}

uint32_t claude_newest_link(const struct session *s, uint32_t line)
{
	uint32_t speaker = claude_entry(s, line)->speaker;
	uint32_t newest = INDEX_NONE;
	if (speaker == INDEX_NONE)
		return INDEX_NONE;
	for (uint32_t i = next_link(s, speaker, INDEX_NONE); i != INDEX_NONE;
	     i = next_link(s, speaker, i)) {
		if (claude_is_main(claude_entry(s, i)) &&
		    claude_is_newer(s, i, newest))
			newest = i;
	}
	return newest != INDEX_NONE ? newest : speaker;
}
