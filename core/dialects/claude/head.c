#include "core/dialects/claude/head.h"

#include <errno.h>

#include "core/dialects/claude/ingest.h"
#include "core/dialects/claude/rules.h"
#include "core/dialects/claude/sidecar.h"
#include "core/dialects/kit/line.h"

/* The agent skips the start of a larger file. */
#define LOADED_AS_A_WHOLE (5 << 20)

bool claude_is_pinned_at(const struct session *s, uint32_t target)
{
	return claude_follows(s, target == INDEX_NONE ? CLAUDE_PINS_NOTHING
						      : CLAUDE_PINS);
}

/* May a line of this type be the leaf? */
static bool is_of_conversation(struct json line)
{
	struct json type = json_get(line, "type");
	return json_is(type, SPAN("user")) ||
	       json_is(type, SPAN("assistant")) ||
	       json_is(type, SPAN("system")) ||
	       json_is(type, SPAN("attachment"));
}

/* Is there a line of a user or the assistant at or above the entry? */
static bool has_speaker(const struct session *s, uint32_t entry)
{
	while (entry != INDEX_NONE && !claude_speaks(claude_entry(s, entry)) &&
	       claude_entry(s, entry)->part != CLAUDE_BOUNDARY)
		entry = session_entry(s, entry)->parent;
	return entry != INDEX_NONE &&
	       claude_entry(s, entry)->part != CLAUDE_BOUNDARY;
}

/* The last boundary of a compaction before entry `end`, or INDEX_NONE. */
static uint32_t boundary_before(const struct session *s, uint32_t end)
{
	for (uint32_t i = end; i-- > 0;) {
		if (claude_entry(s, i)->part == CLAUDE_BOUNDARY)
			return i;
	}
	return INDEX_NONE;
}

/* Is the entry one of a list of ids? */
static bool is_listed(const struct session *s, uint32_t entry, struct json ids)
{
	struct json_walk w = json_walk(ids);
	struct json id;
	bool listed = false;
	while (!listed && json_type(ids) == JSON_ARRAY &&
	       json_next_element(&w, &id))
		listed = json_is(id, index_id(&s->now.index, entry));
	return listed;
}

/* Is the entry on the path from the tail of a segment up to its head? */
static bool is_in_segment(const struct session *s, uint32_t entry,
			  struct json segment)
{
	uint32_t head = ingest_find_id(s, json_get(segment, "headUuid"));
	uint32_t at = ingest_find_id(s, json_get(segment, "tailUuid"));
	while (at != INDEX_NONE && at != entry && at != head)
		at = session_entry(s, at)->parent;
	return at != INDEX_NONE && at == entry;
}

/* What boundaries keep. */
struct kept {
	bool any;   /* one of them keeps something */
	bool entry; /* the last one keeps the entry */
};

static int read_boundary(const struct session *s, uint32_t boundary,
			 uint32_t entry, struct kept *k)
{
	struct buf line = { 0 };
	struct json json;
	int err = session_read(s, boundary, &line, &json);
	if (!err) {
		struct json meta = json_get(json, "compactMetadata");
		struct json messages = json_get(meta, "preservedMessages");
		struct json segment = json_get(meta, "preservedSegment");
		bool lists = json_type(messages) == JSON_OBJECT;
		k->any = lists || json_type(segment) == JSON_OBJECT;
		k->entry =
			lists ? is_listed(s, entry, json_get(messages, "uuids"))
			      : is_in_segment(s, entry, segment);
	}
	buf_free(&line);
	return err;
}

/*
 * Is the entry before the last boundary, and not loaded by the agent? Reads
 * boundaries from the last one on, up to one that keeps something.
 */
static int is_dropped(const struct session *s, uint32_t entry, bool *dropped)
{
	const struct claude *c = s->now.state;
	uint32_t last = boundary_before(s, c->n);
	struct kept by_last = { 0 };
	*dropped = false;
	if (last == INDEX_NONE ||
	    session_entry(s, last)->line < session_entry(s, entry)->line)
		return 0;
	int err = read_boundary(s, last, entry, &by_last);
	bool any = by_last.any || s->log.st.st_size > LOADED_AS_A_WHOLE;
	while (!err && !any &&
	       (last = boundary_before(s, last)) != INDEX_NONE) {
		struct kept k = { 0 };
		err = read_boundary(s, last, entry, &k);
		any = k.any;
	}
	*dropped = any && !by_last.entry;
	return err;
}

/* Why the agent would not go on from the entry; or NULL. */
static int find_refusal(const struct session *s, uint32_t entry,
			const char **reason)
{
	struct buf line = { 0 };
	struct json json;
	bool dropped = false;
	int err = session_read(s, entry, &line, &json);
	if (!err)
		err = is_dropped(s, entry, &dropped);
	*reason = NULL;
	if (err)
		;
	else if (claude_entry(s, entry)->sidechain)
		*reason = "an entry of a subagent: Claude Code would find no "
			  "conversation";
	else if (claude_entry(s, entry)->part == CLAUDE_BOUNDARY)
		*reason = "the boundary of a compaction: Claude Code goes on "
			  "from its summary, the next entry, but not from here";
	else if (!is_of_conversation(json))
		*reason = "an entry of a type from which Claude Code does not "
			  "go on";
	else if (!has_speaker(s, entry))
		*reason = "nobody has said anything yet at this entry: Claude "
			  "Code would not go on from it";
	else if (dropped)
		*reason = "dropped by a compaction: Claude Code does not load "
			  "it any more; resume its branch.jsonl instead";
	buf_free(&line);
	return err;
}

static int add_pin(const struct session *s, uint32_t target, struct change *c)
{
	struct buf id = { 0 };
	struct json_writer w = line_begin(&c->lines, "last-prompt");
	session_id(s, &id);
	line_add_id(&w, "leafUuid", s, target);
	json_write_bool(&w, "explicit", true);
	json_write_string_buf(&w, "sessionId", &id);
	buf_free(&id);
	return line_end(&w);
}

int claude_move_head(const struct session *s, uint32_t target, struct change *c)
{
	int err = 0;
	if (!s->now.state)
		return -EIO;
	if (!claude_is_pinned_at(s, target))
		return claude_sidecar_move_head(s, target, c);
	if (target != INDEX_NONE)
		err = find_refusal(s, target, &c->refused.reason);
	if (!err && c->refused.reason)
		err = -EINVAL;
	if (!err)
		err = add_pin(s, target, c);
	return err ? err : claude_sidecar_drop_head(s, c);
}
