/*
 * The leaf of a Claude Code session: where the agent goes on when it resumes it
 * (sessfs-formats(5)).
 *
 *   1. The last line in the file that is of the main chain, with a line of a
 *      user or the assistant at or above it; from there down to the newest tip,
 *      by parents that the lines name themselves.
 *      If the agent has forgotten it (chain.h), what the boundary keeps,
 *      else the last line below the boundary, else the boundary.
 *   2. A pin (a last-prompt line) replaces it: if it is explicit and the
 *      conversation has not gone on since, or if it is off the conversation.
 *      The last line of its completed chain (response.c) is the leaf. A
 *      pin on no line of the file leaves rule 1's line itself, whatever follows
 *      it.
 *   3. A response that has nothing to send (thinking, blank texts) is passed
 *      over. Of one with calls that have no result the last line with such a
 *      call is the leaf: the agent makes up a result.
 *
 * A line that is never sent (turn_duration and such) is not shown as the leaf:
 * HEAD is then the nearest line of a user or the assistant above it.
 *
 * A transcript of sidechain lines alone, that of a subagent, is no conversation
 * to the agent. Here its last line is the leaf.
 *
 * HEAD is the leaf, unless the sidecar has moved it and the transcript's own
 * leaf is still the one of that time.
 */
#include "core/dialects/claude/chain.h"

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

/* Is the entry a candidate for the leaf? */
static bool leads(const struct claude *c, const struct claude_entry *e)
{
	return claude_is_main(e) && e->speaker != INDEX_NONE &&
	       !c->entries[e->speaker].sidechain;
}

static uint32_t later(const struct session *s, uint32_t a, uint32_t b)
{
	bool is = b == INDEX_NONE ||
		  session_entry(s, a)->line > session_entry(s, b)->line;
	return is ? a : b;
}

/*
 * Set the speakers of new entries, and see which comes last. A boundary has
 * none: the conversation begins below it. New entries usually come after all
 * before. Then the old ones need not be looked at again.
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
		l->side = INDEX_NONE;
	}
	l->relinks = s->now.index.relinks;
	l->redefined_ids = s->now.redefined_ids;
	for (uint32_t i = l->settled; i < c->n; i++) {
		struct claude_entry *e = &c->entries[i];
		bool ends = e->part == CLAUDE_BOUNDARY;
		e->speaker = ends ? INDEX_NONE : SPEAKER_UNKNOWN;
		e->answers = 0;
	}
	for (uint32_t i = l->settled; i < c->n; i++) {
		const struct claude_entry *e = &c->entries[i];
		uint32_t parent = session_entry(s, i)->parent;
		find_speaker(s, i);
		if (parent != INDEX_NONE) {
			uint8_t *n = &c->entries[parent].answers;
			*n = *n + e->results < UINT8_MAX
				     ? (uint8_t)(*n + e->results)
				     : UINT8_MAX;
		}
		if (leads(c, e))
			l->last = later(s, i, l->last);
		if (e->sidechain && claude_speaks(e))
			l->side = later(s, i, l->side);
	}
	int err = claude_kept_settle(s, again);
	l->settled = c->n;
	return err;
}

/* Has an entry a child by its own parentUuid? */
static bool has_child(const struct session *s, uint32_t entry)
{
	uint32_t i = session_entry(s, entry)->first_child;
	while (i != INDEX_NONE && session_entry(s, i)->bridged)
		i = session_entry(s, i)->next_sibling;
	return i != INDEX_NONE;
}

/*
 * The newest of a line and the ends of what is below it. Entries that are
 * bridged are not.
 */
static uint32_t newest_tip(const struct session *s, uint32_t top)
{
	const struct claude *c = s->now.state;
	uint32_t newest = top;
	uint32_t i = session_entry(s, top)->first_child;
	while (i != INDEX_NONE) {
		bool below = !session_entry(s, i)->bridged;
		if (below && !has_child(s, i) && leads(c, &c->entries[i]) &&
		    claude_is_newer(s, i, newest))
			newest = i;
		i = index_next_below(&s->now.index, top, i, below);
	}
	return newest;
}

/* Nothing is left but the last boundary, and no summary is below it: the last
   line there, or itself. */
static uint32_t tip_of_bare(const struct session *s, uint32_t boundary)
{
	uint32_t tip = boundary;
	for (uint32_t i = session_entry(s, boundary)->first_child;
	     i != INDEX_NONE;
	     i = index_next_below(&s->now.index, boundary, i, true)) {
		const struct claude_entry *e = claude_entry(s, i);
		if (claude_is_main(e))
			tip = later(s, i, tip);
	}
	return tip;
}

/* Rule 1: what follows the line that comes last. */
static uint32_t tip_of(const struct session *s, uint32_t last)
{
	const struct claude *c = s->now.state;
	if (last == INDEX_NONE)
		return c->leaf.side;
	last = newest_tip(s, last);
	bool lost = claude_is_forgotten(s, last);
	if (c->prunes && c->kept.n > 0 && (lost || last == c->kept.anchor))
		return c->kept.last;
	return lost ? tip_of_bare(s, c->kept.boundary) : last;
}

/* Does the chain of an entry lead to its parent? See chain.h. */
static bool follows_parent(const struct session *s, uint32_t entry)
{
	const struct claude *c = s->now.state;
	uint32_t parent = session_entry(s, entry)->parent;
	return c->entries[entry].part != CLAUDE_BOUNDARY &&
	       parent != INDEX_NONE && parent != c->kept.anchor &&
	       !claude_is_forgotten(s, parent);
}

/*
 * Does the conversation up to `last` have the pin? It ends where an entry is
 * bridged.
 */
static int find_pin(const struct session *s, uint32_t pin, uint32_t last,
		    bool *on)
{
	struct path whole;
	uint32_t i = last;
	/* Usually it is a few lines above. */
	while (i != pin && follows_parent(s, i))
		i = session_entry(s, i)->parent;
	*on = i == pin && s->now.index.bridged == 0;
	if (*on)
		return 0;
	int err = claude_complete(s, last, &whole, NULL);
	for (i = 0; i < whole.n; i++) {
		bool bridged = session_entry(s, whole.list[i])->bridged;
		*on = (*on && !bridged) || whole.list[i] == pin;
	}
	path_free(&whole);
	return err;
}

/*
 * The last line in the file that the agent loads when it resumes at an entry.
 * It looks for the results of calls that hang elsewhere after that.
 */
static int chain_end(const struct session *s, uint32_t entry, uint32_t *end)
{
	struct path whole;
	int err = claude_complete(s, entry, &whole, NULL);
	uint32_t last = whole.n; /* of its fragments */
	while (last > 0 &&
	       claude_entry(s, whole.list[last - 1])->part != CLAUDE_ASSISTANT)
		last--;
	uint32_t fragment = last > 0 ? whole.list[last - 1] : entry;
	uint32_t n = whole.n;
	*end = entry;
	for (; n > 0 && whole.list[n - 1] != entry; n--) {
		uint32_t line = whole.list[n - 1];
		if (line > *end && claude_is_main(claude_entry(s, line)) &&
		    !claude_hangs_elsewhere(s, line, fragment))
			*end = line;
	}
	/* The entry is not loaded itself. */
	if (n == 0)
		*end = entry;
	path_free(&whole);
	return err;
}

/*
 * Rule 2: a pin that is not explicit counts only off the conversation. With a
 * pin on it, or on no line (as after a move to before the first), the last line
 * is the leaf, whatever follows it.
 */
static int weigh_pin(const struct session *s, uint32_t *leaf)
{
	const struct claude *c = s->now.state;
	uint32_t pin = index_find(&s->now.index, buf_span(&c->pin));
	uint32_t last = c->leaf.last;
	bool on = false;
	int err = 0;
	if (c->pinned == CLAUDE_EXPLICIT && c->pin.len == 0) {
		*leaf = INDEX_NONE;
		return 0;
	}
	if (pin == INDEX_NONE && last != INDEX_NONE &&
	    !claude_is_forgotten(s, last))
		*leaf = claude_newest_link(s, last);
	if (pin == INDEX_NONE || !claude_is_main(&c->entries[pin]) ||
	    c->entries[pin].part == CLAUDE_BOUNDARY ||
	    claude_is_forgotten(s, pin))
		return 0;
	if (c->pinned == CLAUDE_PLAIN && last != INDEX_NONE) {
		/* After a compaction that keeps messages only an end of the
		   tree counts. */
		if (c->prunes &&
		    (!claude_speaks(&c->entries[pin]) ||
		     session_entry(s, pin)->first_child != INDEX_NONE))
			return 0;
		err = find_pin(s, pin, last, &on);
	}
	if (on)
		*leaf = last;
	else if (!err)
		err = chain_end(s, pin, leaf);
	return err;
}

/*
 * The entry above the lines of a response, if they have nothing that the agent
 * sends; else the entry itself.
 */
static uint32_t above_empty(const struct session *s, uint32_t entry)
{
	uint32_t i = entry;
	do {
		if (!claude_entry(s, i)->wordless)
			return entry;
		i = session_entry(s, i)->parent;
	} while (i != INDEX_NONE && claude_same_response(s, i, entry));
	return i;
}

/* Rule 3. What was sent before such a response stays the leaf. */
static uint32_t pass_over_empty(const struct session *s, uint32_t leaf)
{
	while (leaf != INDEX_NONE &&
	       claude_entry(s, leaf)->part == CLAUDE_ASSISTANT &&
	       !claude_entry(s, leaf)->sidechain) {
		uint32_t above = above_empty(s, leaf);
		if (above == leaf)
			break;
		leaf = above;
		while (leaf != INDEX_NONE && claude_entry(s, leaf)->silent)
			leaf = session_entry(s, leaf)->parent;
	}
	return leaf;
}

/* The speaker, if nothing is sent from the leaf up to it; else the leaf. */
static uint32_t shown_leaf(const struct session *s, uint32_t leaf)
{
	uint32_t i = leaf;
	if (leaf == INDEX_NONE)
		return leaf;
	uint32_t speaker = claude_entry(s, leaf)->speaker;
	while (i != speaker && i != INDEX_NONE && claude_entry(s, i)->silent)
		i = session_entry(s, i)->parent;
	return i == speaker || i == INDEX_NONE ? speaker : leaf;
}

/*
 * The last line of the response with a call that has no result, if any. In a
 * copy results of calls made at once are below each other.
 */
static int find_open_call(const struct session *s, uint32_t *leaf)
{
	struct path whole = { 0 };
	unsigned calls = 1;
	unsigned results = 0;
	int err = 0;
	/* Those that hang elsewhere are only looked for if some are missing. */
	for (int elsewhere = 0; elsewhere < 2 && !err && calls > results;
	     elsewhere++) {
		path_free(&whole);
		err = claude_response_load(s, *leaf, elsewhere, &whole);
		calls = results = 0;
		for (uint32_t i = 0; i < whole.n; i++) {
			calls += claude_entry(s, whole.list[i])->calls;
			results += claude_entry(s, whole.list[i])->results;
		}
	}
	for (uint32_t i = 0; i < whole.n && calls > results; i++) {
		const struct claude_entry *e = claude_entry(s, whole.list[i]);
		if (e->calls > e->answers)
			*leaf = whole.list[i];
	}
	path_free(&whole);
	return err;
}

static bool is_result(const struct session *s, uint32_t leaf)
{
	return leaf != INDEX_NONE &&
	       claude_entry(s, leaf)->part == CLAUDE_RESULT;
}

int claude_find_leaf(struct session *s)
{
	struct claude *c = s->now.state;
	int err = settle_entries(s);
	uint32_t leaf = err ? INDEX_NONE : tip_of(s, c->leaf.last);
	if (!err && c->pinned != CLAUDE_NO_PIN)
		err = weigh_pin(s, &leaf);
	/* A result that is written again may precede others of its response. */
	if (!err && s->now.redefined_ids > 0 && is_result(s, leaf)) {
		struct path whole;
		err = claude_response_load(s, leaf, false, &whole);
		if (whole.n > 0)
			leaf = whole.list[whole.n - 1];
		path_free(&whole);
	}
	if (!err)
		leaf = pass_over_empty(s, shown_leaf(s, leaf));
	if (!err && is_result(s, leaf))
		err = find_open_call(s, &leaf);
	if (err)
		return err;
	c->leaf.own = leaf;
	s->now.leaf = leaf;
	/* A head in the sidecar counts where the transcript can have none. */
	if (!claude_pins(s, json_type(s->now.own.head) == JSON_NULL))
		return own_file_apply_head(s, leaf);
	if (!s->now.own.damaged)
		s->now.sidecar_fault = NULL;
	return 0;
}

struct unopened claude_unopened(const struct session *s)
{
	const struct claude *c = s->now.state;
	struct unopened u = { 0 };
	if (c->leaf.last == INDEX_NONE)
		u.why = "no conversation";
	return u;
}
