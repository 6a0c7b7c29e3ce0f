#include "core/dialects/claude/leaf.h"

#include "core/dialects/claude/head.h"
#include "core/dialects/claude/kept.h"
#include "core/dialects/claude/links.h"
#include "core/dialects/claude/response.h"
#include "core/dialects/claude/rules.h"

#define SPEAKER_UNKNOWN (INDEX_NONE - 1)

/* Find the speaker of an entry, from the nearest entry with a known one. */
static void find_speaker(struct session *s, uint32_t entry)
{
	struct claude *c = s->now.state;
	uint32_t at = entry;
	while (at != INDEX_NONE && c->entries[at].speaker == SPEAKER_UNKNOWN &&
	       !claude_speaks(&c->entries[at]))
		at = session_entry(s, at)->parent;
	uint32_t speaker = INDEX_NONE;
	if (at != INDEX_NONE && claude_speaks(&c->entries[at]))
		speaker = c->entries[at].speaker = at;
	else if (at != INDEX_NONE)
		speaker = c->entries[at].speaker;
	for (uint32_t i = entry; i != at; i = session_entry(s, i)->parent)
		c->entries[i].speaker = speaker;
}

static bool comes_last(const struct session *s, uint32_t a, uint32_t b)
{
	const struct claude *c = s->now.state;
	if (b == INDEX_NONE)
		return true;
	return c->leaf.by_place
		       ? session_entry(s, a)->line > session_entry(s, b)->line
		       : claude_is_newer(s, a, b);
}

/* Is the entry a candidate for the leaf? */
static bool leads(const struct claude *c, const struct claude_entry *e)
{
	return claude_is_main(e) && e->speaker != INDEX_NONE &&
	       !c->entries[e->speaker].sidechain;
}

/*
 * Set the speakers of the entries from `from` on, and see which comes last. A
 * boundary has none: the conversation begins below it.
 */
static void settle(struct session *s, uint32_t from)
{
	struct claude *c = s->now.state;
	for (uint32_t i = from; i < c->n; i++) {
		struct claude_entry *e = &c->entries[i];
		bool ends = e->part == CLAUDE_BOUNDARY;
		e->speaker = ends ? INDEX_NONE : SPEAKER_UNKNOWN;
	}
	for (uint32_t i = from; i < c->n; i++) {
		const struct claude_entry *e = &c->entries[i];
		find_speaker(s, i);
		if (leads(c, e) && comes_last(s, i, c->leaf.last))
			c->leaf.last = i;
		if (e->sidechain && claude_speaks(e) &&
		    comes_last(s, i, c->leaf.aside))
			c->leaf.aside = i;
	}
}

/*
 * New entries usually come after all before. Then the old ones need not be
 * looked at again.
 */
static int settle_entries(struct session *s)
{
	struct claude *c = s->now.state;
	struct claude_leaf *l = &c->leaf;
	bool by_place = claude_follows(s, CLAUDE_LEAF_BY_PLACE);
	bool again = l->relinks != s->now.index.relinks ||
		     l->redefined_ids != s->now.redefined_ids ||
		     l->by_place != by_place;
	if (again) {
		l->settled = 0;
		l->last = INDEX_NONE;
		l->aside = INDEX_NONE;
		l->pin_from = INDEX_NONE;
	}
	l->by_place = by_place;
	l->relinks = s->now.index.relinks;
	l->redefined_ids = s->now.redefined_ids;
	settle(s, l->settled);
	int err = claude_kept_settle(s, again);
	l->settled = c->n;
	return err;
}

/* The newest of a line and the ends of what is below it. */
static uint32_t newest_tip(const struct session *s, uint32_t top)
{
	const struct claude *c = s->now.state;
	uint32_t newest = top;
	for (uint32_t i = session_entry(s, top)->first_child; i != INDEX_NONE;
	     i = index_next_below(&s->now.index, top, i, true)) {
		bool end = session_entry(s, i)->first_child == INDEX_NONE;
		if (end && leads(c, &c->entries[i]) &&
		    claude_is_newer(s, i, newest))
			newest = i;
	}
	return newest;
}

/* Rule 1: what follows the line that comes last. */
static uint32_t tip_of(const struct session *s, uint32_t last)
{
	const struct claude *c = s->now.state;
	if (last == INDEX_NONE)
		return c->leaf.aside;
	last = newest_tip(s, last);
	bool lost = claude_is_forgotten(s, last);
	if (c->prunes && c->kept.n > 0 && (lost || last == c->kept.anchor))
		return c->kept.last;
	return last;
}

/* The pinned entry, if the agent can go on there, or INDEX_NONE. */
static uint32_t pinned_entry(const struct session *s)
{
	const struct claude *c = s->now.state;
	uint32_t i = index_find(&s->now.index, buf_span(&c->pin));
	if (i == INDEX_NONE || !claude_is_main(&c->entries[i]) ||
	    c->entries[i].part == CLAUDE_BOUNDARY)
		return INDEX_NONE;
	return claude_is_forgotten(s, i) ? INDEX_NONE : i;
}

/*
 * Does the conversation up to `last` have the pin? It ends where an entry is
 * bridged.
 */
static int find_pin(const struct session *s, uint32_t pin, uint32_t last,
		    bool *on)
{
	struct claude_chain chain;
	struct path whole = { 0 };
	int err = claude_chain_load(s, last, &chain);
	if (!err)
		err = claude_complete(s, &chain, &whole);
	*on = false;
	for (uint32_t i = 0; i < whole.n; i++) {
		bool bridged = session_entry(s, whole.list[i])->bridged;
		*on = (*on && !bridged) || whole.list[i] == pin;
	}
	path_free(&chain.path);
	path_free(&whole);
	return err;
}

/* Has the conversation only gone on since it was searched for the pin? */
static bool is_known_pin(const struct session *s, uint32_t pin, uint32_t last)
{
	const struct claude *c = s->now.state;
	uint32_t from = c->leaf.pin_from;
	if (c->leaf.pin != pin || from == INDEX_NONE)
		return false;
	while (last != INDEX_NONE && last > from)
		last = session_entry(s, last)->parent;
	return last == from;
}

/* After a compaction that keeps messages only an end of the tree counts. */
static bool is_stale_pin(const struct session *s, uint32_t pin)
{
	const struct claude *c = s->now.state;
	return c->prunes && (!claude_speaks(&c->entries[pin]) ||
			     session_entry(s, pin)->first_child != INDEX_NONE);
}

/*
 * Rule 2: a pin that is not explicit counts only off the conversation. With a
 * pin on it the last line is the leaf, whatever follows it.
 */
static int weigh_pin(struct session *s, uint32_t *leaf)
{
	struct claude *c = s->now.state;
	uint32_t pin = pinned_entry(s);
	uint32_t last = c->leaf.last;
	int err = 0;
	if (c->pinned == CLAUDE_EXPLICIT && c->pin.len == 0 &&
	    claude_is_pinned_at(s, INDEX_NONE)) {
		*leaf = INDEX_NONE;
		return 0;
	}
	if (pin == INDEX_NONE)
		return 0;
	if (c->pinned == CLAUDE_PLAIN && last != INDEX_NONE) {
		if (is_stale_pin(s, pin))
			return 0;
		if (!is_known_pin(s, pin, last))
			err = find_pin(s, pin, last, &c->leaf.pin_on);
		c->leaf.pin = pin;
		c->leaf.pin_from = last;
		if (c->leaf.pin_on)
			*leaf = last;
		if (err || c->leaf.pin_on)
			return err;
	}
	err = claude_response_end(s, pin, leaf);
	if (!err && *leaf != INDEX_NONE)
		*leaf = claude_newest_link(s, *leaf);
	return err;
}

/* Does a response have nothing that its agent sends? *first: its first line. */
static bool is_empty_response(const struct session *s, uint32_t entry,
			      uint32_t *first)
{
	bool open = !claude_follows(s, CLAUDE_SENDS_OPEN_CALLS);
	uint32_t i = entry;
	do {
		const struct claude_entry *e = claude_entry(s, i);
		if (!e->mute && !(open && e->calls))
			return false;
		*first = i;
		i = session_entry(s, i)->parent;
	} while (i != INDEX_NONE && claude_same_response(s, i, entry));
	return true;
}

/* Rule 3. What was sent before such a response stays the leaf. */
static uint32_t pass_over_empty(const struct session *s, uint32_t leaf)
{
	uint32_t first;
	while (leaf != INDEX_NONE &&
	       claude_entry(s, leaf)->part == CLAUDE_ASSISTANT &&
	       !claude_entry(s, leaf)->sidechain &&
	       is_empty_response(s, leaf, &first)) {
		leaf = session_entry(s, first)->parent;
		while (leaf != INDEX_NONE && claude_entry(s, leaf)->silent)
			leaf = session_entry(s, leaf)->parent;
	}
	return leaf;
}

/* Lines that are never sent are not shown as the leaf. */
static uint32_t shown_leaf(const struct session *s, uint32_t leaf)
{
	if (leaf == INDEX_NONE)
		return leaf;
	uint32_t speaker = claude_entry(s, leaf)->speaker;
	bool pins = claude_follows(s, CLAUDE_PINS);
	for (uint32_t i = leaf; pins && i != speaker && i != INDEX_NONE;
	     i = session_entry(s, i)->parent) {
		const struct claude_entry *e = claude_entry(s, i);
		if (!e->silent)
			return leaf;
	}
	return speaker;
}

static int find_own(struct session *s)
{
	struct claude *c = s->now.state;
	uint32_t leaf = tip_of(s, c->leaf.last);
	int err = 0;
	if (c->pinned != CLAUDE_NO_PIN && claude_follows(s, CLAUDE_PINS))
		err = weigh_pin(s, &leaf);
	if (err)
		return err;
	leaf = pass_over_empty(s, shown_leaf(s, leaf));
	if (leaf != INDEX_NONE && claude_follows(s, CLAUDE_SENDS_OPEN_CALLS) &&
	    claude_entry(s, leaf)->part == CLAUDE_RESULT)
		err = claude_open_call(s, leaf, &leaf);
	c->leaf.own = leaf;
	return err;
}

/* Is the transcript's leaf still the one in the sidecar? */
static bool leaf_has_stayed(const struct session *s)
{
	const struct claude *c = s->now.state;
	struct json leaf = c->sidecar.leaf;
	if (json_type(leaf) == JSON_ABSENT)
		return true;
	if (c->leaf.own == INDEX_NONE)
		return json_type(leaf) == JSON_NULL;
	return json_is(leaf, index_id(&s->now.index, c->leaf.own));
}

/* Is the head in the sidecar one that the transcript could have? */
static bool is_outdated(const struct session *s)
{
	const struct claude *c = s->now.state;
	bool nothing = json_type(c->sidecar.head) == JSON_NULL;
	return claude_is_pinned_at(s, nothing ? INDEX_NONE : 0);
}

static int add_sidecar_head(struct session *s)
{
	const struct claude *c = s->now.state;
	struct buf id = { 0 };
	if (!c->sidecar.damaged)
		s->now.sidecar_fault = NULL;
	if (!leaf_has_stayed(s) || is_outdated(s))
		return 0;
	if (json_type(c->sidecar.head) == JSON_NULL)
		s->now.leaf = INDEX_NONE;
	uint32_t head =
		index_find(&s->now.index, ingest_string(&id, c->sidecar.head));
	if (head != INDEX_NONE)
		s->now.leaf = head;
	else if (json_type(c->sidecar.head) == JSON_STRING)
		s->now.sidecar_fault = "its head is not an entry";
	int err = buf_error(&id);
	buf_free(&id);
	return err;
}

int claude_find_leaf(struct session *s)
{
	struct claude *c = s->now.state;
	int err = settle_entries(s);
	if (!err)
		err = find_own(s);
	if (err)
		return err;
	s->now.leaf = c->leaf.own;
	return add_sidecar_head(s);
}
