#include "core/dialects/claude/write.h"

#include <errno.h>
#include <stdio.h>

#include "core/dialects/claude/kept.h"
#include "core/dialects/kit/line.h"

/* Of three parts, each below 100,000. */
#define VERSION(major, minor, patch) \
	((uint64_t)(major) << 40 | (uint64_t)(minor) << 20 | (patch))

void claude_note_version(struct claude *c, struct json version)
{
	char text[24] = "";
	unsigned major;
	unsigned minor;
	unsigned patch;
	size_t n = version.raw.n;
	if (json_type(version) != JSON_STRING || n - 2 >= sizeof(text))
		return;
	memcpy(text, version.raw.p + 1, n - 2);
	if (sscanf(text, "%5u.%5u.%5u", &major, &minor, &patch) == 3 &&
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

const char *claude_unseen_moves(const struct session *s)
{
	if (!claude_pins(s, false))
		return "all";
	return claude_pins(s, true) ? NULL : "before the first entry";
}

/* Why the agent would not go on from the entry; or NULL. */
static int find_refusal(const struct session *s, uint32_t entry,
			const char **reason)
{
	struct buf line = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	*reason = NULL;
	if (err)
		;
	else if (claude_entry(s, entry)->sidechain)
		*reason = "an entry of a subagent: Claude Code would find no "
			  "conversation";
	else if (claude_entry(s, entry)->part == CLAUDE_BOUNDARY)
		*reason = "the boundary of a compaction: Claude Code goes on "
			  "from its summary, the next entry, but not from here";
	else if (!JSON_IS(json_get(json, "type"), "user", "assistant", "system",
			  "attachment"))
		*reason = "an entry of a type from which Claude Code does not "
			  "go on";
	else if (claude_entry(s, entry)->speaker == INDEX_NONE)
		*reason = "nobody has said anything yet at this entry: Claude "
			  "Code would not go on from it";
	else if (claude_is_forgotten(s, entry))
		*reason = "dropped by a compaction: Claude Code does not load "
			  "it any more; resume its branch.jsonl instead";
	buf_free(&line);
	return err;
}

void claude_pin(struct json_writer *w, const struct session *s, uint32_t leaf)
{
	json_write_word(w, "type", "last-prompt");
	line_add_id(w, "leafUuid", s, leaf);
	json_write_bool(w, "explicit", true);
}

int claude_add_pin(struct buf *out, const struct session *s, uint32_t leaf,
		   const struct buf *id)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	claude_pin(&w, s, leaf);
	json_write_buf(&w, "sessionId", id);
	return line_end(&w);
}

int claude_move_head(const struct session *s, uint32_t target, struct change *c)
{
	const struct claude *own = s->now.state;
	struct buf text = { 0 };
	struct buf id = { 0 };
	int err = 0;
	if (!own)
		return -EIO;
	if (claude_is_subagent(s)) {
		c->refused.reason =
			"a subagent's session: Claude Code does not resume it; "
			"resume a branch.jsonl of it instead";
		return -EINVAL;
	}
	if (!claude_pins(s, target == INDEX_NONE))
		return own_file_move_head(s, &own->sidecar, own->leaf.own,
					  target, c);
	if (target != INDEX_NONE)
		err = find_refusal(s, target, &c->refused.reason);
	if (!err && c->refused.reason)
		err = -EINVAL;
	if (err)
		return err;
	session_id(s, &text);
	json_quote(&id, buf_span(&text));
	buf_free_into(&text, &id);
	err = claude_add_pin(&c->lines, s, target, &id);
	buf_free(&id);
	return err ? err : own_file_drop_head(s, &own->sidecar, c);
}

int claude_set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	const struct claude *own = s->now.state;
	return own ? own_file_set_label(s, &own->sidecar, entry, text, c)
		   : -EIO;
}
