/*
 * What sessfs writes into a Claude Code session: moves of the head, and labels
 * (sessfs-formats(5)).
 *
 * In a transcript whose version of the agent honours pins, a move appends the
 * line that the agent writes itself:
 *
 *     {"type":"last-prompt","leafUuid":ID or null,"explicit":true,
 *      "sessionId":ID}
 *
 * In others it changes the sidecar only (kit/own_file.h), which does not count
 * once pins are honoured, because the agent does not know it.
 *
 * From some entries the agent goes on a little further down: from a call, with
 * its results; from any entry, with the attachments and system lines that
 * follow it. These moves are made. Behind the results of a call the agent
 * leaves out those from which another branch goes on. HEAD is then at the last
 * result, whose own context has them.
 */
#include <errno.h>

#include "core/base/consume.h"
#include "core/dialects/claude/chain.h"
#include "core/dialects/kit/line.h"

/* Of three parts, each below 100,000. */
#define VERSION(major, minor, patch) \
	((uint64_t)(major) << 40 | (uint64_t)(minor) << 20 | (uint64_t)(patch))

void claude_note_version(struct claude *c, struct json version)
{
	int major;
	int minor;
	int patch;
	if (!json_is_string(version))
		return;
	struct span text = { version.raw.p + 1, version.raw.n - 2 };
	if (consume_number(&text, 1, 5, &major) && consume_char(&text, '.') &&
	    consume_number(&text, 1, 5, &minor) && consume_char(&text, '.') &&
	    consume_number(&text, 1, 5, &patch) &&
	    VERSION(major, minor, patch) > c->version)
		c->version = VERSION(major, minor, patch);
}

bool claude_pins(const struct session *s, bool before_first)
{
	const struct claude *c = s->now.state;
	if (before_first)
		return c->version == 0 || c->version >= VERSION(2, 1, 191);
	return c->version == 0 || c->pins || c->version >= VERSION(2, 1, 120);
}

/* Why the agent would not go on from the entry; or NULL. */
static const char *why_not(const struct session *s, uint32_t entry)
{
	const struct claude_entry *e = claude_entry(s, entry);
	if (e->sidechain)
		return "an entry of a subagent: Claude Code would find no "
		       "conversation";
	if (e->part == CLAUDE_BOUNDARY)
		return "the boundary of a compaction: Claude Code goes on "
		       "from its summary, the next entry, but not from here";
	if (e->part == CLAUDE_LINK)
		return "an entry of a type from which Claude Code does not "
		       "go on";
	if (e->speaker == INDEX_NONE)
		return "nobody has said anything yet at this entry: Claude "
		       "Code would not go on from it";
	if (claude_is_forgotten(s, entry))
		return "dropped by a compaction: Claude Code does not load "
		       "it any more; resume its branch.jsonl instead";
	return NULL;
}

static void write_pin(struct json_writer *w, const struct buf *leaf)
{
	json_write_word(w, "type", "last-prompt");
	json_write_buf(w, "leafUuid", leaf);
	json_write_bool(w, "explicit", true);
}

void claude_pin(struct json_writer *w, const struct session *s, uint32_t leaf)
{
	struct buf id BUF_SCOPED = { 0 };
	line_quote_id(&id, s, leaf);
	write_pin(w, &id);
}

int claude_add_pin(struct buf *out, const struct buf *leaf,
		   const struct buf *id)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	write_pin(&w, leaf);
	json_write_buf(&w, "sessionId", id);
	return line_end(&w);
}

static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	const struct claude *own = s->now.state;
	struct buf leaf BUF_SCOPED = { 0 };
	struct buf id BUF_SCOPED = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(&id);
	if (!own)
		return -EIO;
	if (session_is_subagent(s)) {
		c->refused.reason =
			"a subagent's session: Claude Code does not resume it; "
			"resume a branch.jsonl of it instead";
		return -EINVAL;
	}
	if (!claude_pins(s, target == INDEX_NONE))
		return own_file_move_head(s, own->leaf.own, target, c);
	if (target != INDEX_NONE)
		c->refused.reason = why_not(s, target);
	if (c->refused.reason)
		return -EINVAL;
	session_id(s, &text);
	json_quote(&id, buf_span(&text));
	line_quote_id(&leaf, s, target);
	int err = claude_add_pin(&c->lines, &leaf, &id);
	return err ? err : own_file_drop_head(s, c);
}

const struct dialect_writing claude_writing = {
	.needs_folder = true,
	.never_appended = "its lines are made by Claude Code alone: write with "
			  "claude --resume, or sessfs resume",
	.move_head = move_head,
	.set_label = own_file_set_label,
	.head_is_fixed = session_is_subagent,
};
