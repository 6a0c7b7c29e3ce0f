#include "core/dialects/claude/leaf.h"

#include "core/dialects/claude/head.h"
#include "core/dialects/claude/ingest.h"

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

/* Is `a` the newer one? */
static bool is_newer(const struct session *s, uint32_t a, uint32_t b)
{
	if (a == INDEX_NONE || b == INDEX_NONE)
		return a != INDEX_NONE;
	const struct entry *x = session_entry(s, a);
	const struct entry *y = session_entry(s, b);
	return x->time != y->time ? x->time > y->time : x->line > y->line;
}

/* The newest speaker of the tips from entry `from` on. */
static uint32_t newest_from(const struct session *s, uint32_t from)
{
	const struct claude *c = s->now.state;
	uint32_t newest = INDEX_NONE;
	for (uint32_t i = from; i < c->n; i++) {
		const struct claude_entry *e = &c->entries[i];
		if (!e->sidechain && !e->followed && e->speaker != INDEX_NONE &&
		    !c->entries[e->speaker].sidechain &&
		    is_newer(s, e->speaker, newest))
			newest = e->speaker;
	}
	return newest;
}

/*
 * Set the speakers of the entries from `from` on, and mark their parents.
 * Returns whether a tip with the newest speaker is a tip no longer.
 */
static bool follow_from(struct session *s, uint32_t from)
{
	struct claude *c = s->now.state;
	bool lost = false;
	for (uint32_t i = from; i < c->n; i++) {
		c->entries[i].speaker = SPEAKER_UNKNOWN;
		c->entries[i].followed = false;
	}
	for (uint32_t i = from; i < c->n; i++) {
		uint32_t parent = session_entry(s, i)->parent;
		find_speaker(s, i);
		if (c->entries[i].sidechain || parent == INDEX_NONE ||
		    c->entries[parent].followed)
			continue;
		c->entries[parent].followed = true;
		lost = lost || c->entries[parent].speaker == c->leaf.newest;
	}
	return lost && c->leaf.newest != INDEX_NONE;
}

static void settle_all(struct session *s)
{
	struct claude *c = s->now.state;
	follow_from(s, 0);
	c->leaf.newest = newest_from(s, 0);
	c->leaf.relinks = s->now.index.relinks;
	c->leaf.redefined_ids = s->now.redefined_ids;
}

/*
 * New entries are usually newer than all before. Then the old tips need not be
 * searched again.
 */
static void settle_new(struct session *s)
{
	struct claude *c = s->now.state;
	bool lost = follow_from(s, c->leaf.settled);
	uint32_t newest = newest_from(s, c->leaf.settled);
	if (is_newer(s, newest, c->leaf.newest))
		c->leaf.newest = newest;
	else if (lost && newest != c->leaf.newest)
		c->leaf.newest = newest_from(s, 0);
}

/* The pinned entry, or INDEX_NONE. */
static uint32_t pinned_entry(const struct session *s)
{
	const struct claude *c = s->now.state;
	if (!c->pinned)
		return INDEX_NONE;
	uint32_t i = index_find(&s->now.index, buf_span(&c->pin));
	return i != INDEX_NONE && c->entries[i].sidechain ? INDEX_NONE : i;
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
	if (c->leaf.relinks != s->now.index.relinks ||
	    c->leaf.redefined_ids != s->now.redefined_ids)
		settle_all(s);
	else
		settle_new(s);
	c->leaf.settled = c->n;
	bool nothing = c->pinned && c->pin.len == 0 &&
		       claude_is_pinned_at(s, INDEX_NONE);
	c->leaf.own = pinned_entry(s);
	if (c->leaf.own == INDEX_NONE && !nothing)
		c->leaf.own = c->leaf.newest;
	s->now.leaf = c->leaf.own;
	return add_sidecar_head(s);
}
