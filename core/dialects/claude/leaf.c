#include "core/dialects/claude/leaf.h"

#include "core/dialects/claude/write.h"
#include "core/dialects/claude/kept.h"
#include "core/dialects/claude/chain.h"
#include "core/dialects/claude/open.h"
#include "core/dialects/claude/response.h"

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
	return b == INDEX_NONE ||
	       session_entry(s, a)->line > session_entry(s, b)->line;
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
		e->answers = 0;
	}
	for (uint32_t i = from; i < c->n; i++) {
		const struct claude_entry *e = &c->entries[i];
		find_speaker(s, i);
		claude_count_answers(s, i);
		if (leads(c, e) && comes_last(s, i, c->leaf.last))
			c->leaf.last = i;
		if (e->sidechain && claude_speaks(e) &&
		    comes_last(s, i, c->leaf.aside))
			c->leaf.aside = i;
	}
}

/* Forget what was found by looking upwards from the leaf. */
static void forget_searches(struct session *s)
{
	struct claude *c = s->now.state;
	c->leaf.pin_from = INDEX_NONE;
	c->leaf.passed = INDEX_NONE;
	c->leaf.quiet_from = INDEX_NONE;
	claude_open_forget(s);
}

/*
 * New entries usually come after all before. Then the old ones need not be
 * looked at again.
 */
static int settle_entries(struct session *s)
{
	struct claude *c = s->now.state;
	struct claude_leaf *l = &c->leaf;
	bool again = l->relinks != s->now.index.relinks ||
		     l->redefined_ids != s->now.redefined_ids;
	if (again) {
		l->settled = 0;
		l->last = INDEX_NONE;
		l->aside = INDEX_NONE;
	}
	l->relinks = s->now.index.relinks;
	l->redefined_ids = s->now.redefined_ids;
	settle(s, l->settled);
	int err = claude_kept_settle(s, again);
	if (again || l->prunes != c->prunes || l->boundary != c->boundary)
		forget_searches(s);
	l->prunes = c->prunes;
	l->boundary = c->boundary;
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

/* Is the pin on no line of the file, as after a move to before the first? */
static bool is_pin_unknown(const struct session *s)
{
	const struct claude *c = s->now.state;
	return index_find(&s->now.index, buf_span(&c->pin)) == INDEX_NONE;
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

/* Does the chain of an entry lead to its parent? See claude/chain.h. */
static bool follows_parent(const struct session *s, uint32_t entry)
{
	const struct claude *c = s->now.state;
	uint32_t parent = session_entry(s, entry)->parent;
	return c->entries[entry].part != CLAUDE_BOUNDARY &&
	       parent != INDEX_NONE && parent != c->kept.anchor &&
	       !claude_is_forgotten(s, parent);
}

/*
 * Has the conversation only gone on since it was searched for the pin? A line
 * of the pin's response brings the pin with it, from wherever it is.
 */
static bool is_known_pin(const struct session *s, uint32_t pin, uint32_t last)
{
	const struct claude *c = s->now.state;
	uint32_t from = c->leaf.pin_from;
	if (c->leaf.pin != pin || from == INDEX_NONE)
		return false;
	uint32_t first = claude_first_fragment(s, pin);
	while (last > from && follows_parent(s, last) &&
	       (first == INDEX_NONE || !claude_same_response(s, last, first)))
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
 * pin on it, or on no line, the last line is the leaf, whatever follows it.
 */
static int weigh_pin(struct session *s, uint32_t *leaf)
{
	struct claude *c = s->now.state;
	uint32_t pin = pinned_entry(s);
	uint32_t last = c->leaf.last;
	int err = 0;
	if (c->pinned == CLAUDE_EXPLICIT && c->pin.len == 0) {
		*leaf = INDEX_NONE;
		return 0;
	}
	if (last != INDEX_NONE && is_pin_unknown(s) &&
	    !claude_is_forgotten(s, last))
		*leaf = claude_newest_link(s, last);
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

/*
 * Does a response have nothing that its agent sends? *above: the entry above
 * it, or one of its lines that was passed over before.
 */
static bool is_empty_response(const struct session *s, uint32_t entry,
			      uint32_t *above)
{
	const struct claude *c = s->now.state;
	const struct claude_leaf *l = &c->leaf;
	*above = entry;
	do {
		const struct claude_entry *e = claude_entry(s, *above);
		if (*above == l->passed)
			return l->passed != l->passed_to;
		if (!e->mute)
			return false;
		*above = session_entry(s, *above)->parent;
	} while (*above != INDEX_NONE &&
		 claude_same_response(s, *above, entry));
	return true;
}

/*
 * Rule 3. What was sent before such a response stays the leaf. The result is
 * kept, for a response that grows line by line.
 */
static uint32_t pass_over_empty(struct session *s, uint32_t leaf)
{
	struct claude *c = s->now.state;
	struct claude_leaf *l = &c->leaf;
	uint32_t from = leaf;
	uint32_t above;
	while (leaf != INDEX_NONE && leaf != l->passed &&
	       claude_entry(s, leaf)->part == CLAUDE_ASSISTANT &&
	       !claude_entry(s, leaf)->sidechain &&
	       is_empty_response(s, leaf, &above)) {
		leaf = above;
		while (leaf != INDEX_NONE && claude_entry(s, leaf)->silent)
			leaf = session_entry(s, leaf)->parent;
	}
	if (leaf != INDEX_NONE && leaf == l->passed)
		leaf = l->passed_to;
	bool aside = from != INDEX_NONE && claude_entry(s, from)->sidechain;
	l->passed = aside ? INDEX_NONE : from;
	l->passed_to = leaf;
	return leaf;
}

/* Is nothing sent from an entry up to its speaker? */
static bool is_quiet(struct session *s, uint32_t entry)
{
	struct claude *c = s->now.state;
	struct claude_leaf *l = &c->leaf;
	uint32_t speaker = claude_entry(s, entry)->speaker;
	uint32_t i = entry;
	while (i != speaker && i != INDEX_NONE && i != l->quiet_from &&
	       claude_entry(s, i)->silent)
		i = session_entry(s, i)->parent;
	l->quiet = i == speaker || i == INDEX_NONE ||
		   (i == l->quiet_from && l->quiet);
	l->quiet_from = entry;
	return l->quiet;
}

/* Lines that are never sent are not shown as the leaf. */
static uint32_t shown_leaf(struct session *s, uint32_t leaf)
{
	if (leaf == INDEX_NONE)
		return leaf;
	return is_quiet(s, leaf) ? claude_entry(s, leaf)->speaker : leaf;
}

static int find_own(struct session *s)
{
	struct claude *c = s->now.state;
	uint32_t leaf = tip_of(s, c->leaf.last);
	int err = 0;
	if (c->pinned != CLAUDE_NO_PIN)
		err = weigh_pin(s, &leaf);
	/* A result that is written again may precede others of its response. */
	if (!err && s->now.redefined_ids > 0 && leaf != INDEX_NONE &&
	    claude_entry(s, leaf)->part == CLAUDE_RESULT)
		err = claude_response_end(s, leaf, &leaf);
	if (err)
		return err;
	leaf = pass_over_empty(s, shown_leaf(s, leaf));
	if (leaf != INDEX_NONE && claude_entry(s, leaf)->part == CLAUDE_RESULT)
		err = claude_open_call(s, leaf, &leaf);
	c->leaf.own = leaf;
	return err;
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
	if (!is_outdated(s))
		return own_file_apply_head(s, &c->sidecar, c->leaf.own);
	if (!c->sidecar.damaged)
		s->now.sidecar_fault = NULL;
	return 0;
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

struct unopened claude_unopened(const struct session *s)
{
	const struct claude *c = s->now.state;
	struct unopened u = { 0 };
	if (c->leaf.last == INDEX_NONE)
		u.why = "no conversation";
	return u;
}
