/*
 * Completing the responses on a chain (sessfs-formats(5)).
 *
 * A response of the model is on several lines, its fragments, which share a
 * message.id. The result of a tool is a child of the fragment that called it.
 * So a chain misses some fragments and results. They are added: first all
 * fragments of the response, then all its results in file order. Of a call
 * whose result is no child of it, that is the first in the file, wherever it
 * hangs; it stands behind the last fragment at least. A child of a fragment
 * that is a result is one of its response, whatever its call. A result or a
 * link between two fragments does not end the response; links stay after the
 * line that they follow.
 *
 * If a response has a call, the links off the chain are added in file order to
 * its results, too: a hook says something about a call in a line beside the
 * call's result. Not those that another branch goes on from.
 *
 * All fragments of a response are added, from wherever they are in the file: on
 * other branches, on sidechains, before a compaction that repeats them. If the
 * chain has it in several places, they are added to the last one; to another
 * place only those with the same parent as its first fragment there. Links are
 * found below the fragments and results, through each other, and only on
 * the same side (sidechain or not) as the chain's fragment. What the agent has
 * forgotten is not added, unless it has forgotten the chain itself (chain.h).
 *
 * The chain is completed up to its last speaker. What else hangs on that is
 * added behind it (chain.h), unless more of its response was added there.
 */
#include "core/dialects/claude/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

struct completing {
	const struct session *s;
	const struct path *path;
	bool forgotten;	 /* the agent can't see the chain itself */
	bool links;	 /* find those, too, and fragments anywhere */
	bool elsewhere;	 /* find results anywhere */
	bool *known;	 /* by entry: on the path, or found */
	uint32_t *found; /* entries of the current response off the path */
	uint32_t n_found;
	uint32_t last_fragment; /* of it, in the file */
	bool calls;		/* it has one */
	/* With `elsewhere`: results that do not hang on their calls; sorted. */
	struct displaced {
		uint32_t tool;
		uint32_t entry;
	} * displaced;
	size_t n_displaced;
	/*
	 * With `links`. By response: its first fragment in the file, and where
	 * on the path its last one is, plus 1 (0: nowhere). By entry: the next
	 * fragment.
	 */
	uint32_t *first;
	uint32_t *last;
	uint32_t *next;
	struct path *whole; /* with room for each entry, and links */
};

static enum claude_part part_of(const struct completing *c, uint32_t entry)
{
	return claude_entry(c->s, entry)->part;
}

bool claude_same_response(const struct session *s, uint32_t a, uint32_t b)
{
	const struct claude_entry *x = claude_entry(s, a);
	const struct claude_entry *y = claude_entry(s, b);
	return x->part == CLAUDE_ASSISTANT && y->part == CLAUDE_ASSISTANT &&
	       x->response != 0 && x->response == y->response;
}

bool claude_hangs_elsewhere(const struct session *s, uint32_t entry,
			    uint32_t fragment)
{
	uint32_t parent = session_entry(s, entry)->parent;
	return claude_entry(s, entry)->part == CLAUDE_RESULT &&
	       (parent == INDEX_NONE ||
		(parent != fragment &&
		 !claude_same_response(s, parent, fragment)));
}

/* Lines that a response may go on behind. */
static bool is_link(enum claude_part part)
{
	return part < CLAUDE_BOUNDARY;
}

/* Can an entry be a line of the response with this fragment, or between two? */
static bool may_belong(const struct session *s, uint32_t entry, uint32_t first)
{
	enum claude_part part = claude_entry(s, entry)->part;
	return is_link(part) || part == CLAUDE_RESULT ||
	       claude_same_response(s, entry, first);
}

static bool is_off_path(const struct completing *c, uint32_t entry)
{
	return !c->known[entry] &&
	       (c->forgotten || !claude_is_forgotten(c->s, entry));
}

/* Note a line of the response, unless it is known. */
static void note(struct completing *c, uint32_t entry)
{
	if (!is_off_path(c, entry))
		return;
	c->known[entry] = true;
	c->found[c->n_found++] = entry;
	c->calls = c->calls || claude_entry(c->s, entry)->calls > 0;
}

/* Find the other fragments with the same parent as the first. */
static void find_siblings(struct completing *c, uint32_t first)
{
	uint32_t parent = session_entry(c->s, first)->parent;
	if (parent == INDEX_NONE)
		return;
	for (uint32_t i = session_entry(c->s, parent)->first_child;
	     i != INDEX_NONE; i = session_entry(c->s, i)->next_sibling) {
		if (claude_same_response(c->s, i, first))
			note(c, i);
	}
}

/* The ids of a line's calls, or of its results. */
static const uint32_t *tools_of(const struct completing *c, uint32_t entry)
{
	const struct claude *claude = c->s->now.state;
	return claude->tools + claude_entry(c->s, entry)->tools;
}

/* Has a line, of this part, the call with that id, or its result? */
static bool has_tool(const struct completing *c, uint32_t entry,
		     enum claude_part part, uint32_t tool)
{
	const struct claude_entry *e = claude_entry(c->s, entry);
	const uint32_t *tools = tools_of(c, entry);
	uint8_t n = e->calls + e->results;
	uint8_t i = 0;
	while (i < n && tools[i] != tool)
		i++;
	return e->part == part && i < n;
}

/*
 * Find the result of a fragment's call that hangs elsewhere, unless one was
 * found. That is swapped to the front, so that nobody looks for it again.
 */
static void find_displaced(struct completing *c, uint32_t fragment,
			   uint32_t tool)
{
	struct displaced *list = c->displaced;
	size_t n = c->n_displaced;
	size_t at = array_search_by(list, n, tool, tool);
	if (at == n || list[at].tool != tool)
		return;
	for (uint32_t i = session_entry(c->s, fragment)->first_child;
	     i != INDEX_NONE; i = session_entry(c->s, i)->next_sibling) {
		if (has_tool(c, i, CLAUDE_RESULT, tool))
			return;
	}
	for (size_t i = at; i < n && list[i].tool == tool; i++) {
		if (c->known[list[i].entry]) {
			const struct displaced known = list[i];
			list[i] = list[at];
			list[at] = known;
			return;
		}
	}
	note(c, list[at].entry);
}

/* The same of all calls of a line. */
static void find_results(struct completing *c, uint32_t entry)
{
	for (uint8_t i = 0; i < claude_entry(c->s, entry)->calls; i++)
		find_displaced(c, entry, tools_of(c, entry)[i]);
}

static void find_children(struct completing *c, uint32_t entry, uint32_t first)
{
	bool side = claude_entry(c->s, first)->sidechain;
	bool fragment = part_of(c, entry) == CLAUDE_ASSISTANT;
	for (uint32_t i = session_entry(c->s, entry)->first_child;
	     i != INDEX_NONE; i = session_entry(c->s, i)->next_sibling) {
		const struct claude_entry *e = claude_entry(c->s, i);
		bool other = is_link(e->part)
				     ? e->sidechain != side
				     : e->part == CLAUDE_RESULT &&
					       c->elsewhere && !fragment;
		if (!other && may_belong(c->s, i, first))
			note(c, i);
	}
}

/*
 * Does another branch go on from a link? Anything but links and results of the
 * response follows it, or one of the links that were dropped.
 */
static bool leads_on(const struct completing *c, uint32_t link, uint32_t first)
{
	for (uint32_t i = session_entry(c->s, link)->first_child;
	     i != INDEX_NONE; i = session_entry(c->s, i)->next_sibling) {
		bool other = part_of(c, i) == CLAUDE_RESULT
				     ? c->elsewhere && is_off_path(c, i)
				     : !may_belong(c->s, i, first) ||
					       (is_link(part_of(c, i)) &&
						is_off_path(c, i));
		if (other)
			return true;
	}
	return false;
}

/*
 * Drop all links among what was found, or those that another branch goes on
 * from. Below a link are those that were found after it.
 */
static void drop_links(struct completing *c, uint32_t first, bool all)
{
	uint32_t n = 0;
	for (uint32_t i = c->n_found; i-- > 0;) {
		uint32_t entry = c->found[i];
		if (is_link(part_of(c, entry)) &&
		    (all || leads_on(c, entry, first)))
			c->known[entry] = false;
	}
	for (uint32_t i = 0; i < c->n_found; i++) {
		if (c->known[c->found[i]])
			c->found[n++] = c->found[i];
	}
	c->n_found = n;
}

static void note_fragment(struct completing *c, uint32_t entry)
{
	if (part_of(c, entry) == CLAUDE_ASSISTANT && entry > c->last_fragment)
		c->last_fragment = entry;
}

/* A result that hangs elsewhere stands behind the response's last fragment. */
static bool is_late(const struct completing *c, uint32_t entry)
{
	return c->elsewhere && entry < c->last_fragment &&
	       claude_hangs_elsewhere(c->s, entry, c->last_fragment);
}

/* Sort what was found by where it stands. */
static void sort_found(struct completing *c, uint32_t from, uint32_t end)
{
	uint32_t *late = c->whole->list + c->whole->n;
	uint32_t n_late = 0;
	uint32_t n = 0;
	uint32_t i = 0;
	array_sort_numbers(c->found, c->n_found);
	c->last_fragment = c->path->list[from];
	for (uint32_t k = from; k < end; k++)
		note_fragment(c, c->path->list[k]);
	for (uint32_t k = 0; k < c->n_found; k++)
		note_fragment(c, c->found[k]);
	for (; i < c->n_found && c->found[i] < c->last_fragment; i++) {
		if (is_late(c, c->found[i]))
			late[n_late++] = c->found[i];
		else
			c->found[n++] = c->found[i];
	}
	memcpy(c->found + n, late, n_late * sizeof(*late));
}

/* Find the lines off the path of the response at these places. */
static void find(struct completing *c, uint32_t from, uint32_t end)
{
	uint32_t first = c->path->list[from];
	c->n_found = 0;
	c->calls = false;
	uint32_t response = claude_entry(c->s, first)->response;
	if (!c->links || c->last[response] > end) {
		find_siblings(c, first);
	} else if (response != 0) {
		/* All others in the file. */
		for (uint32_t i = c->first[response]; i != INDEX_NONE;
		     i = c->next[i])
			note(c, i);
	}
	for (uint32_t i = from; i < end; i++) {
		uint32_t entry = c->path->list[i];
		c->calls = c->calls || claude_entry(c->s, entry)->calls > 0;
		find_children(c, entry, first);
	}
	uint32_t at = 0;
	for (; at < c->n_found; at++)
		find_children(c, c->found[at], first);
	for (uint32_t i = from; i < end; i++)
		find_results(c, c->path->list[i]);
	for (uint32_t i = 0; i < at; i++)
		find_results(c, c->found[i]);
	for (; at < c->n_found; at++)
		find_children(c, c->found[at], first);
	drop_links(c, first, !c->links || !c->calls);
	sort_found(c, from, end);
}

static void add(struct completing *c, uint32_t entry)
{
	c->whole->list[c->whole->n++] = entry;
}

/*
 * Add the found fragments, or the found results and links, from *at on, that
 * precede `entry`.
 */
static void add_found(struct completing *c, bool fragments, uint32_t entry,
		      uint32_t *at)
{
	for (; *at < c->n_found; ++*at) {
		uint32_t found = c->found[*at];
		if ((is_late(c, found) ? c->last_fragment : found) >= entry)
			break;
		if ((part_of(c, found) == CLAUDE_ASSISTANT) == fragments)
			add(c, found);
	}
}

/*
 * Add all fragments: the first on the path, then the others in file order. The
 * links between them stay. Or add all results and the links behind them, in
 * file order. On the path are those behind the last fragment, and results, with
 * their links, between two.
 */
static void add_side(struct completing *c, bool fragments, uint32_t from,
		     uint32_t end)
{
	const uint32_t *list = c->path->list;
	uint32_t last = end - 1;
	uint32_t at = 0;
	bool behind = false;
	while (last > from && part_of(c, list[last]) != CLAUDE_ASSISTANT)
		last--;
	for (uint32_t i = from; i < end; i++) {
		enum claude_part part = part_of(c, list[i]);
		behind = i > last || part == CLAUDE_RESULT ||
			 (behind && is_link(part));
		if (behind == fragments)
			continue;
		if (i > from && (behind || part == CLAUDE_ASSISTANT))
			add_found(c, fragments, list[i], &at);
		add(c, list[i]);
	}
	add_found(c, fragments, INDEX_NONE, &at);
}

/* List the fragments of each response, and note where the path has the last. */
static void list_fragments(struct completing *c)
{
	const struct claude *claude = c->s->now.state;
	for (uint32_t i = 0; i <= claude->responses.n; i++)
		c->first[i] = INDEX_NONE;
	for (uint32_t i = claude->n; i-- > 0;) {
		const struct claude_entry *e = claude_entry(c->s, i);
		if (e->part == CLAUDE_ASSISTANT) {
			c->next[i] = c->first[e->response];
			c->first[e->response] = i;
		}
	}
	for (uint32_t i = 0; i < c->path->n; i++) {
		const struct claude_entry *e =
			claude_entry(c->s, c->path->list[i]);
		if (e->part == CLAUDE_ASSISTANT)
			c->last[e->response] = i + 1;
	}
}

static int by_tool(const void *a, const void *b)
{
	const struct displaced *x = a;
	const struct displaced *y = b;
	return x->tool != y->tool
		       ? (x->tool > y->tool) - (x->tool < y->tool)
		       : (x->entry > y->entry) - (x->entry < y->entry);
}

/* List the results of a line that do not hang on their calls. */
static int list_results(struct completing *c, uint32_t entry, size_t *cap)
{
	uint8_t n = claude_entry(c->s, entry)->results;
	uint32_t parent = session_entry(c->s, entry)->parent;
	int err = 0;
	for (uint8_t i = 0; i < n && !err; i++) {
		const struct displaced d = { tools_of(c, entry)[i], entry };
		if (parent != INDEX_NONE &&
		    has_tool(c, parent, CLAUDE_ASSISTANT, d.tool))
			continue;
		if (c->forgotten || !claude_is_forgotten(c->s, entry))
			err = array_add(&c->displaced, cap, &c->n_displaced, d);
	}
	return err;
}

/* List the results that hang elsewhere: few, if any. */
static int list_displaced(struct completing *c)
{
	const struct claude *claude = c->s->now.state;
	size_t cap = 0;
	int err = 0;
	for (uint32_t i = 0; i < claude->n && !err; i++)
		err = list_results(c, i, &cap);
	if (c->n_displaced > 0)
		qsort(c->displaced, c->n_displaced, sizeof(*c->displaced),
		      by_tool);
	return err;
}

static void complete(struct completing *c)
{
	for (uint32_t i = 0; i < c->path->n; i++)
		c->known[c->path->list[i]] = true;
	if (c->links)
		list_fragments(c);
	for (uint32_t i = 0; i < c->path->n;) {
		uint32_t end = i + 1;
		if (part_of(c, c->path->list[i]) != CLAUDE_ASSISTANT) {
			add(c, c->path->list[i]);
		} else {
			while (end < c->path->n &&
			       may_belong(c->s, c->path->list[end],
					  c->path->list[i]))
				end++;
			find(c, i, end);
			add_side(c, true, i, end);
			add_side(c, false, i, end);
		}
		i = end;
	}
}

/* Is a line the last speaker of what was completed? */
static bool is_last_speaker(const struct session *s, const struct path *whole,
			    uint32_t line)
{
	uint32_t n = whole->n;
	while (n > 0 && !claude_speaks(claude_entry(s, whole->list[n - 1])))
		n--;
	return n > 0 && whole->list[n - 1] == line;
}

/* Add what hangs on the end, unless more of its response was added there. */
static void add_links(struct completing *c)
{
	struct path *whole = c->whole;
	uint32_t speaker = c->path->list[c->path->n - 1];
	if (!is_last_speaker(c->s, whole, speaker))
		return;
	const uint32_t *links = whole->list + whole->n;
	uint32_t n = claude_links(c->s, speaker, c->forgotten,
				  whole->list + whole->n);
	for (uint32_t i = 0; i < n; i++) {
		if (!c->known[links[i]])
			add(c, links[i]);
	}
}

static int complete_chain(const struct session *s,
			  const struct claude_chain *chain, bool links,
			  bool elsewhere, struct path *whole)
{
	const struct claude *claude = s->now.state;
	size_t n = s->now.index.n;
	size_t responses = (size_t)claude->responses.n + 1;
	struct completing c = { .s = s,
				.path = &chain->path,
				.forgotten = chain->forgotten,
				.links = links,
				.elsewhere = elsewhere,
				.whole = whole };
	*whole = (struct path){ 0 };
	if (chain->path.n == 0)
		return 0;
	c.known = calloc(n, sizeof(*c.known));
	uint32_t *room = calloc(2 * n + 2 * responses, sizeof(*room));
	/* What is behind the end may be on the chain already. */
	whole->list = malloc(2 * n * sizeof(*whole->list));
	int err = c.known && room && whole->list ? 0 : -ENOMEM;
	if (!err && elsewhere)
		err = list_displaced(&c);
	if (err) {
		path_free(whole);
	} else {
		c.found = room;
		c.next = c.found + n;
		c.first = c.next + n;
		c.last = c.first + responses;
		complete(&c);
		if (links)
			add_links(&c);
	}
	free(c.displaced);
	free(c.known);
	free(room);
	return err;
}

static int complete_end(const struct session *s,
			const struct claude_chain *chain, struct path *whole)
{
	struct claude_chain said = *chain;
	uint32_t n = said.path.n;
	while (n > 0 && !claude_speaks(claude_entry(s, said.path.list[n - 1])))
		n--;
	if (n == 0 || n == chain->path.n)
		return complete_chain(s, chain, true, true, whole);
	said.path.n = n;
	int err = complete_chain(s, &said, true, true, whole);
	if (err || is_last_speaker(s, whole, said.path.list[n - 1]))
		return err;
	/* The chain ends within a response: what is on it stays there. */
	path_free(whole);
	return complete_chain(s, chain, true, true, whole);
}

int claude_complete(const struct session *s, uint32_t entry, struct path *whole,
		    uint32_t *boundary)
{
	struct claude_chain chain;
	*whole = (struct path){ 0 };
	int err = claude_chain_load(s, entry, &chain);
	if (!err)
		err = complete_end(s, &chain, whole);
	if (boundary)
		*boundary = chain.boundary;
	path_free(&chain.path);
	return err;
}

/*
 * The first fragment, from the entry up, of the response that it is part of; or
 * INDEX_NONE.
 */
static uint32_t first_fragment(const struct session *s, uint32_t entry)
{
	uint32_t first = INDEX_NONE;
	for (uint32_t i = entry; i != INDEX_NONE;
	     i = session_entry(s, i)->parent) {
		enum claude_part part = claude_entry(s, i)->part;
		if (part == CLAUDE_ASSISTANT && first != INDEX_NONE &&
		    !claude_same_response(s, first, i))
			break;
		if (part == CLAUDE_ASSISTANT)
			first = i;
		else if (!is_link(part) && part != CLAUDE_RESULT)
			break;
	}
	return first;
}

int claude_response_load(const struct session *s, uint32_t entry,
			 bool elsewhere, struct path *whole)
{
	enum claude_part part = claude_entry(s, entry)->part;
	struct claude_chain chain = { .boundary = INDEX_NONE };
	uint32_t first = INDEX_NONE;
	uint32_t n = 1;
	*whole = (struct path){ 0 };
	if (part == CLAUDE_ASSISTANT || part == CLAUDE_RESULT)
		first = first_fragment(s, entry);
	if (first == INDEX_NONE)
		return 0;
	for (uint32_t i = entry; i != first; i = session_entry(s, i)->parent)
		n++;
	chain.path.list = malloc(n * sizeof(*chain.path.list));
	if (!chain.path.list)
		return -ENOMEM;
	chain.path.n = n;
	for (uint32_t i = entry; n > 0; i = session_entry(s, i)->parent)
		chain.path.list[--n] = i;
	chain.forgotten = claude_is_forgotten(s, entry);
	int err = complete_chain(s, &chain, false, elsewhere, whole);
	path_free(&chain.path);
	return err;
}
