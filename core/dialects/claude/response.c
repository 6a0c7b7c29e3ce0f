#include "core/dialects/claude/response.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/claude/ingest.h"

struct completing {
	const struct session *s;
	const struct path *path;
	bool *known;	 /* by entry: on the path, or found */
	uint32_t *found; /* entries of the current response off the path */
	uint32_t n_found;
	struct path *whole; /* with room for each entry of the session */
};

static enum claude_part part_of(const struct completing *c, uint32_t entry)
{
	return (enum claude_part)claude_entry(c->s, entry)->part;
}

bool claude_same_response(const struct session *s, uint32_t a, uint32_t b)
{
	const struct claude_entry *x = claude_entry(s, a);
	const struct claude_entry *y = claude_entry(s, b);
	return x->part == CLAUDE_ASSISTANT && y->part == CLAUDE_ASSISTANT &&
	       x->response != 0 && x->response == y->response;
}

/* Can the entry be part of a response, or a link between its lines? */
static bool belongs(const struct completing *c, uint32_t entry, uint32_t first)
{
	enum claude_part part = part_of(c, entry);
	return part == CLAUDE_LINK || part == CLAUDE_RESULT ||
	       claude_same_response(c->s, entry, first);
}

/* The place on the path after the response that starts at a place. */
static uint32_t end_of(const struct completing *c, uint32_t from)
{
	uint32_t first = c->path->list[from];
	uint32_t i = from + 1;
	while (i < c->path->n && belongs(c, c->path->list[i], first))
		i++;
	return i;
}

static void find_children(struct completing *c, uint32_t entry, uint32_t first)
{
	bool side = claude_entry(c->s, first)->sidechain;
	for (uint32_t i = session_entry(c->s, entry)->first_child;
	     i != INDEX_NONE; i = session_entry(c->s, i)->next_sibling) {
		if (c->known[i] || claude_entry(c->s, i)->sidechain != side ||
		    !belongs(c, i, first))
			continue;
		c->known[i] = true;
		c->found[c->n_found++] = i;
	}
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Find the lines off the path of the response at these places. */
static void find(struct completing *c, uint32_t from, uint32_t end)
{
	uint32_t first = c->path->list[from];
	c->n_found = 0;
	for (uint32_t i = from; i < end; i++)
		find_children(c, c->path->list[i], first);
	for (uint32_t i = 0; i < c->n_found; i++)
		find_children(c, c->found[i], first);
	qsort(c->found, c->n_found, sizeof(*c->found), by_number);
}

static void add(struct completing *c, uint32_t entry)
{
	c->whole->list[c->whole->n++] = entry;
}

/* Add the found lines of a part, from *at on, that precede `entry`. */
static void add_found(struct completing *c, enum claude_part part,
		      uint32_t entry, uint32_t *at)
{
	for (; *at < c->n_found && c->found[*at] < entry; ++*at) {
		if (part_of(c, c->found[*at]) == part)
			add(c, c->found[*at]);
	}
}

/* Add all fragments, or all results, of the response at these places. */
static void add_part(struct completing *c, uint32_t from, uint32_t end,
		     enum claude_part part)
{
	const uint32_t *list = c->path->list;
	uint32_t at = 0;
	for (uint32_t i = from; i < end; i++) {
		if (part_of(c, list[i]) != part)
			continue;
		add_found(c, part, list[i], &at);
		add(c, list[i]);
		while (i + 1 < end && part_of(c, list[i + 1]) == CLAUDE_LINK)
			add(c, list[++i]);
	}
	add_found(c, part, INDEX_NONE, &at);
}

static void complete(struct completing *c)
{
	for (uint32_t i = 0; i < c->path->n; i++)
		c->known[c->path->list[i]] = true;
	for (uint32_t i = 0; i < c->path->n;) {
		uint32_t end = i + 1;
		if (part_of(c, c->path->list[i]) != CLAUDE_ASSISTANT) {
			add(c, c->path->list[i]);
		} else {
			end = end_of(c, i);
			find(c, i, end);
			add_part(c, i, end, CLAUDE_ASSISTANT);
			add_part(c, i, end, CLAUDE_RESULT);
		}
		i = end;
	}
}

int claude_complete(const struct session *s, const struct path *path,
		    struct path *whole)
{
	size_t n = s->now.index.n;
	struct completing c = { .s = s, .path = path, .whole = whole };
	*whole = (struct path){ 0 };
	if (path->n == 0)
		return 0;
	c.known = calloc(n, sizeof(*c.known));
	c.found = malloc(n * sizeof(*c.found));
	whole->list = malloc(n * sizeof(*whole->list));
	int err = c.known && c.found && whole->list ? 0 : -ENOMEM;
	if (err)
		path_free(whole);
	else
		complete(&c);
	free(c.known);
	free(c.found);
	return err;
}
