/*
 * What a rollback takes back: thread_rolled_back {num_turns: n}, a line of
 * legacy threads.
 *
 *   - The conversation loses its last n turns. They stay as a branch: what
 *     follows hangs on the entry before them.
 *   - A turn begins with a message of the user that is none of the harness's
 *     notes (fragment.c), or of another agent. So does a compaction without a
 *     list, which is sent as a message of the user.
 *   - The notes right before a turn go with it. Before the conversation's first
 *     turn they stay.
 *   - A compaction with a list begins the conversation. A rollback of more
 *     turns than follow it takes it back, and counts on above it.
 *
 * The last rule, and that nothing is left of what a compaction without a list
 * was made of, is simpler than the agent: 0.171.0 makes compactions void by
 * tasks, not by turns, and cuts into what one without a list has left.
 */
#include "core/dialects/codex/codex.h"

/* What an entry is in the conversation. */
enum part {
	NOTHING, /* it is not sent */
	ITEM,
	NOTE,
	TURN, /* it begins one */
	LIST, /* a compaction with a list that has no turn */
	LIST_WITH_TURN,
};

/* The part of an entry whose line was read (codex_read_sent()). */
static enum part part_of(const struct codex_line *l)
{
	switch (l->kind) {
	case CODEX_ITEM:
		if (codex_begins_turn(l->payload))
			return TURN;
		return codex_is_users_context(l->payload) ||
				       codex_is_developers_context(l->payload)
			       ? NOTE
			       : ITEM;
	case CODEX_AGENT:
		return TURN;
	case CODEX_COMPACTED:
		if (!codex_has_list(l->payload))
			return TURN;
		JSON_EACH(item, json_get(l->payload, "replacement_history")) {
			if (codex_begins_turn(item))
				return LIST_WITH_TURN;
		}
		return LIST;
	default:
		return NOTHING;
	}
}

/* Taking back turns from the tip upwards. */
struct rollback {
	uint64_t n;	   /* turns to be taken back, still */
	uint32_t to;	   /* before those that are */
	uint32_t to_notes; /* and before their notes */
	bool in_notes;
	bool is_first; /* no turn was found above them */
};

/* The part of an entry below `parent`. Returns whether it was the last. */
static bool take_back(struct rollback *r, enum part part, uint32_t parent)
{
	if (r->n > 0) {
		if (part < TURN)
			return false;
		r->n -= part == TURN;
		r->in_notes = part == TURN;
		r->to = parent;
		r->to_notes = parent;
		return false;
	}
	if (part == NOTE && r->in_notes)
		r->to_notes = parent;
	else if (part != NOTHING)
		r->in_notes = false;
	r->is_first = part != TURN && part != LIST_WITH_TURN;
	return part >= TURN;
}

/*
 * Notes before the turns are looked at up to the next turn above, or to where
 * the conversation begins. Both are kept, so that the next rollback need not
 * look for them again.
 */
int codex_roll_back(struct session *s, uint64_t n)
{
	struct codex *c = s->now.state;
	struct rollback r = { n, c->tip, c->tip, false, true };
	struct buf line BUF_SCOPED = { 0 };
	uint32_t bare = INDEX_NONE;
	bool below_list = false;
	int err = 0;
	bool ends = false;
	if (n == 0)
		return 0;
	for (uint32_t at = c->tip; at != INDEX_NONE && !ends && !err;) {
		uint32_t parent = session_entry(s, at)->parent;
		if (r.n == 0 && !r.in_notes && c->turn <= at) {
			r.is_first = false;
			break;
		}
		if (c->bare != INDEX_NONE && at <= c->bare &&
		    (r.n == 0 || !c->bare_below_list)) {
			bare = bare == INDEX_NONE ? at : bare;
			below_list = c->bare_below_list;
			r.is_first = true;
			break;
		}
		struct codex_line l;
		err = codex_read_sent(s, at, &line, &l);
		enum part part = part_of(&l);
		ends = !err && take_back(&r, part, parent);
		below_list = ends;
		if (ends)
			c->turn = r.is_first ? INDEX_NONE : at;
		else if (part >= TURN)
			bare = INDEX_NONE;
		else if (bare == INDEX_NONE)
			bare = at;
		at = parent;
	}
	if (err)
		return err;
	c->tip = r.is_first ? r.to : r.to_notes;
	if (r.is_first) {
		c->bare = bare;
		c->bare_below_list = below_list;
	}
	if (c->tip == INDEX_NONE || c->turn > c->tip)
		c->turn = INDEX_NONE;
	if (c->tip == INDEX_NONE || c->bare > c->tip)
		c->bare = INDEX_NONE;
	return 0;
}
