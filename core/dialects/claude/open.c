#include "core/dialects/claude/open.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/dialects/claude/kept.h"
#include "core/dialects/claude/response.h"

void claude_count_answers(struct session *s, uint32_t entry)
{
	struct claude *c = s->now.state;
	uint32_t parent = session_entry(s, entry)->parent;
	if (parent == INDEX_NONE)
		return;
	unsigned n = c->entries[parent].answers + c->entries[entry].results;
	c->entries[parent].answers = n < UINT8_MAX ? (uint8_t)n : UINT8_MAX;
}

static bool is_open(const struct session *s, uint32_t entry)
{
	const struct claude_entry *e = claude_entry(s, entry);
	return e->calls > e->answers;
}

static struct claude_open *open_of(const struct session *s)
{
	struct claude *c = s->now.state;
	return &c->leaf.open;
}

void claude_open_forget(struct session *s)
{
	struct claude_open *o = open_of(s);
	bits_free(&o->lines);
	o->first = INDEX_NONE;
	o->n = 0;
}

/* Is the entry a line of the response, if its parent is one or has one? */
static bool joins(const struct session *s, uint32_t entry)
{
	uint32_t first = open_of(s)->first;
	return !bits_has(&open_of(s)->lines, entry) &&
	       claude_entry(s, entry)->sidechain ==
		       claude_entry(s, first)->sidechain &&
	       !claude_is_forgotten(s, entry) &&
	       claude_may_belong(s, entry, first);
}

/* Is the entry beside the first fragment, as another first one? */
static bool is_beside(const struct session *s, uint32_t entry)
{
	uint32_t first = open_of(s)->first;
	uint32_t parent = session_entry(s, first)->parent;
	return parent != INDEX_NONE &&
	       session_entry(s, entry)->parent == parent &&
	       claude_same_response(s, entry, first);
}

static int join(const struct session *s, uint32_t entry)
{
	struct claude_open *o = open_of(s);
	if (claude_entry(s, entry)->calls > 0) {
		if (array_reserve(&o->calling, &o->cap, o->n, 1) < 0)
			return -ENOMEM;
		o->calling[o->n++] = entry;
	}
	return bits_add(&o->lines, entry);
}

/* Look at the entries that have come since the last time. */
static int look_at_new(struct session *s)
{
	struct claude_open *o = open_of(s);
	int err = 0;
	for (; o->first != INDEX_NONE && o->seen < s->now.index.n && !err;
	     o->seen++) {
		uint32_t parent = session_entry(s, o->seen)->parent;
		bool below =
			parent != INDEX_NONE && bits_has(&o->lines, parent);
		if ((below || is_beside(s, o->seen)) && joins(s, o->seen))
			err = join(s, o->seen);
	}
	return err;
}

/* Join those of the entries from `i` on, siblings, that are of the response. */
static int join_siblings(const struct session *s, uint32_t i, bool beside,
			 struct path *found)
{
	int err = 0;
	for (; i != INDEX_NONE && !err; i = session_entry(s, i)->next_sibling) {
		if ((beside && !is_beside(s, i)) || !joins(s, i))
			continue;
		err = join(s, i);
		found->list[found->n++] = i;
	}
	return err;
}

/* Join the lines of the response of a fragment. */
static int find_lines(struct session *s, uint32_t first)
{
	struct claude_open *o = open_of(s);
	struct path found = { .list = malloc((s->now.index.n + 1) *
					     sizeof(*found.list)) };
	uint32_t parent = session_entry(s, first)->parent;
	if (!found.list)
		return -ENOMEM;
	o->first = first;
	o->seen = s->now.index.n;
	found.list[found.n++] = first;
	int err = join(s, first);
	if (!err && parent != INDEX_NONE)
		err = join_siblings(s, session_entry(s, parent)->first_child,
				    true, &found);
	for (uint32_t i = 0; i < found.n && !err; i++)
		err = join_siblings(
			s, session_entry(s, found.list[i])->first_child, false,
			&found);
	array_sort_numbers(o->calling, o->n);
	path_free(&found);
	return err;
}

/* Are the entries from the first fragment down to this one in file order? */
static bool is_in_order(const struct session *s, uint32_t entry, uint32_t first)
{
	while (entry != first && session_entry(s, entry)->parent < entry)
		entry = session_entry(s, entry)->parent;
	return entry == first;
}

/* Find the lines of the entry's response, unless it is the one before. */
static int find_response(struct session *s, uint32_t entry)
{
	int err = look_at_new(s);
	if (err || bits_has(&open_of(s)->lines, entry))
		return err;
	claude_open_forget(s);
	uint32_t first = claude_first_fragment(s, entry);
	if (first != INDEX_NONE && is_in_order(s, entry, first))
		err = find_lines(s, first);
	return err;
}

/* Search the response as the agent has it, whatever its order. */
static int search_whole(const struct session *s, uint32_t entry, uint32_t *open)
{
	struct path whole;
	int err = claude_response_load(s, entry, &whole);
	for (uint32_t i = 0; i < whole.n; i++) {
		if (is_open(s, whole.list[i]))
			*open = whole.list[i];
	}
	path_free(&whole);
	return err;
}

/* Of the lines with open calls the first fragment above the entry is first. */
static uint32_t last_open(const struct session *s, uint32_t entry)
{
	struct claude_open *o = open_of(s);
	while (o->n > 0 && !is_open(s, o->calling[o->n - 1]))
		o->n--;
	if (o->n == 0)
		return entry;
	uint32_t last = o->calling[o->n - 1];
	bool may_be_first = last == o->first || is_beside(s, last);
	if (!may_be_first || claude_first_fragment(s, entry) != last)
		return last;
	for (size_t i = o->n - 1; i > 0; i--) {
		if (is_open(s, o->calling[i - 1]))
			return o->calling[i - 1];
	}
	return last;
}

int claude_open_call(struct session *s, uint32_t entry, uint32_t *open)
{
	int err = find_response(s, entry);
	*open = entry;
	if (err)
		claude_open_forget(s);
	else if (bits_has(&open_of(s)->lines, entry))
		*open = last_open(s, entry);
	else
		err = search_whole(s, entry, open);
	return err;
}
