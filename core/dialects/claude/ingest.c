/*
 * The lines of Claude Code.
 *
 * A line with a uuid is an entry, whatever its type. A line without is
 * metadata: titles and pins are stored, all else is skipped. A transcript has
 * no header, so now.header is made of the session's id, directory, start and
 * origin, which its lines repeat. A session that moves to another directory
 * (EnterWorktree, ExitWorktree, /cd) says so in a line of the type `relocated`.
 */
#include "core/dialects/claude/state.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/dialects/claude/attachment.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"

/* -- now.state */

static void begin_state(void *state)
{
	struct claude *c = state;
	c->leaf.last = INDEX_NONE;
	c->leaf.own = INDEX_NONE;
	c->leaf.side = INDEX_NONE;
	c->boundary = INDEX_NONE;
	c->keeper = INDEX_NONE;
	c->kept.boundary = INDEX_NONE;
	c->kept.anchor = INDEX_NONE;
	c->kept.last = INDEX_NONE;
}

static void clear_state(void *state)
{
	struct claude *c = state;
	free(c->entries);
	free(c->tools);
	idset_free(&c->responses);
	for (int i = 0; i < CLAUDE_TITLES; i++)
		buf_free(&c->titles[i]);
	for (int i = 0; i < CLAUDE_FACTS; i++)
		buf_free(&c->facts[i]);
	free(c->outputs.list);
	buf_free(&c->outputs.names);
	buf_free(&c->pin);
	buf_free(&c->keeping);
	free(c->kept.places);
}

/* The number of a response by its message.id; 0 without one. */
static int number_response(struct claude *c, struct json id, uint32_t *number)
{
	struct buf scratch BUF_SCOPED = { 0 };
	struct span text = ingest_string(&scratch, id);
	int err = buf_error(&scratch);
	if (!err && text.n > 0) {
		err = idset_add(&c->responses, text, number);
		*number = err ? 0 : *number + 1;
	}
	return err == -EFBIG ? 0 : err;
}

/* -- lines */

/* Note a call, or a result, with the id of that call. */
static int note_tool(struct claude *c, struct claude_entry *e, struct json id)
{
	uint8_t *n = e->part == CLAUDE_ASSISTANT ? &e->calls : &e->results;
	if (*n == UINT8_MAX || c->n_tools == UINT32_MAX)
		return 0;
	++*n;
	return array_add(&c->tools, &c->cap_tools, &c->n_tools,
			 (uint32_t)hash_bytes(e->sidechain, id.raw));
}

/*
 * Note the calls or the results in a message, and whether it has nothing but
 * thinking and blank texts.
 */
static int note_blocks(struct claude *c, struct json message,
		       struct claude_entry *e)
{
	bool calls = e->part == CLAUDE_ASSISTANT;
	struct span tool = calls ? SPAN("tool_use") : SPAN("tool_result");
	const char *id = calls ? "id" : "tool_use_id";
	struct json content = json_get(message, "content");
	/* An agent sends a placeholder for an empty array. */
	bool words = json_is_string(content)
			     ? !js_is_blank(content)
			     : json_type(content) == JSON_ARRAY &&
				       !json_has_members(content);
	int err = 0;
	e->tools = (uint32_t)c->n_tools;
	JSON_EACH(block, content) {
		struct json type = json_get(block, "type");
		if (!err && json_is(type, tool))
			err = note_tool(c, e, json_get(block, id));
		if (json_is(type, SPAN("text")))
			words = words || !js_is_blank(json_get(block, "text"));
		else
			words = words ||
				!JSON_IS(type, "thinking", "redacted_thinking");
	}
	e->wordless = calls && !words;
	return err;
}

static enum claude_part system_part(struct json line)
{
	JSON_FIELDS(f, line, subtype, isDisplayOnly);
	if (json_is(f.subtype, SPAN("compact_boundary")))
		return CLAUDE_BOUNDARY;
	if (json_is(f.subtype, SPAN("local_command")) &&
	    json_type(f.isDisplayOnly) != JSON_TRUE)
		return CLAUDE_COMMAND;
	return CLAUDE_SYSTEM;
}

/* What an entry is in the conversation. */
static int read_entry(struct claude *c, struct json line, struct json type,
		      struct json message, struct claude_entry *e)
{
	bool sent = true;
	int err = 0;
	e->part = CLAUDE_LINK;
	e->speaker = INDEX_NONE;
	if (json_is(type, SPAN("assistant"))) {
		e->part = CLAUDE_ASSISTANT;
		err = note_blocks(c, message, e);
	} else if (json_is(type, SPAN("user"))) {
		err = note_blocks(c, message, e);
		e->part = e->results > 0 ? CLAUDE_RESULT : CLAUDE_USER;
	} else if (json_is(type, SPAN("attachment"))) {
		e->part = CLAUDE_ATTACHMENT;
		sent = claude_attachment_is_sent(line);
	} else if (json_is(type, SPAN("system"))) {
		e->part = system_part(line);
	}
	e->silent = !sent || e->part == CLAUDE_LINK || e->part == CLAUDE_SYSTEM;
	return err;
}

static enum entry_type type_of(const struct claude_entry *e)
{
	if (e->silent)
		return ENTRY_SILENT;
	if (e->part == CLAUDE_BOUNDARY)
		return ENTRY_COMPACTION;
	return claude_speaks(e) ? ENTRY_MESSAGE : ENTRY_OTHER;
}

static int note_boundary(struct claude *c, struct claude_entry *e,
			 uint32_t entry, struct json compaction)
{
	c->pinned = CLAUDE_NO_PIN;
	c->boundary = entry;
	JSON_FIELDS(f, compaction, preservedSegment, preservedMessages);
	e->keeps = json_type(f.preservedSegment) == JSON_OBJECT ||
		   json_type(f.preservedMessages) == JSON_OBJECT;
	if (!e->keeps)
		return 0;
	c->keeper = entry;
	buf_reset(&c->keeping);
	buf_add(&c->keeping, compaction.raw);
	return buf_error(&c->keeping);
}

/* Keep what is known of an entry, and what follows from it. */
static int keep_entry(struct session *s, struct json line, struct json message,
		      uint32_t entry, struct claude_entry e)
{
	struct claude *c = s->now.state;
	int err = 0;
	/* A pin is no longer explicit when the conversation goes on. */
	if (claude_is_main(&e) && c->pinned == CLAUDE_EXPLICIT)
		c->pinned = CLAUDE_PLAIN;
	if (e.part == CLAUDE_BOUNDARY && !e.sidechain)
		err = note_boundary(c, &e, entry,
				    json_get(line, "compactMetadata"));
	if (!err && array_reserve(&c->entries, &c->cap, entry, 1) < 0)
		err = -ENOMEM;
	if (err)
		return err;
	c->n += entry == c->n;
	c->entries[entry] = e;
	if (e.part == CLAUDE_RESULT)
		err = claude_ingest_subagent(s, line);
	if (!err && e.part == CLAUDE_RESULT)
		err = claude_ingest_outputs(s, entry, message);
	return err;
}

/*
 * A plain pin that names the same place as the last one changes nothing. An
 * explicit one was written by an agent that heeds it.
 */
static int add_pin(struct claude *c, struct json line)
{
	JSON_FIELDS(f, line, leafUuid, explicit);
	struct buf scratch BUF_SCOPED = { 0 };
	if (!json_is_string(f.leafUuid) && json_type(f.leafUuid) != JSON_NULL)
		return 0;
	struct span id = ingest_string(&scratch, f.leafUuid);
	int err = buf_error(&scratch);
	bool same =
		c->pinned != CLAUDE_NO_PIN && span_eq(id, buf_span(&c->pin));
	if (!err && !same) {
		buf_reset(&c->pin);
		buf_add(&c->pin, id);
		err = buf_error(&c->pin);
		c->pinned = CLAUDE_PLAIN;
	}
	if (json_type(f.explicit) == JSON_TRUE) {
		c->pinned = CLAUDE_EXPLICIT;
		c->pins = true;
	}
	return err;
}

const struct claude_title_row claude_titles[CLAUDE_TITLES] = {
	[CLAUDE_CUSTOM_TITLE] = { SPAN("custom-title"), "customTitle" },
	[CLAUDE_AI_TITLE] = { SPAN("ai-title"), "aiTitle" },
	[CLAUDE_SUMMARY] = { SPAN("summary"), "summary" },
};

static int add_title(struct session *s, enum claude_title kind,
		     struct json title)
{
	struct claude *c = s->now.state;
	if (!json_is_string(title))
		return 0;
	buf_reset(&c->titles[kind]);
	buf_add(&c->titles[kind], title.raw);
	int err = buf_error(&c->titles[kind]);
	for (int i = 0; i < CLAUDE_TITLES && !err; i++) {
		err = ingest_name(
			s, (struct json){ .raw = buf_span(&c->titles[i]) });
		if (s->now.name.len > 0)
			break;
	}
	return err;
}

static int set_fact(struct session *s, enum claude_fact fact, struct json value)
{
	static const char *const names[CLAUDE_FACTS] = {
		[CLAUDE_ID] = "id",
		[CLAUDE_CWD] = "cwd",
		[CLAUDE_TIMESTAMP] = "timestamp",
		[CLAUDE_PARENT_SESSION] = "parentSession",
	};
	struct claude *c = s->now.state;
	struct json values[CLAUDE_FACTS];
	buf_reset(&c->facts[fact]);
	buf_add(&c->facts[fact], value.raw);
	for (int i = 0; i < CLAUDE_FACTS; i++)
		values[i] = (struct json){ .raw = buf_span(&c->facts[i]) };
	int err = buf_error(&c->facts[fact]);
	return err ? err : ingest_made_header(s, CLAUDE_FACTS, names, values);
}

static int add_metadata(struct session *s, struct json line, struct json type,
			const struct line_place *at)
{
	const struct claude_title_row *r = JSON_ROW(type, claude_titles);
	if (json_is(type, SPAN("last-prompt")))
		return add_pin(s->now.state, line);
	/* The session has moved to another directory: the last one counts. */
	if (json_is(type, SPAN("relocated"))) {
		JSON_FIELDS(f, line, sessionId, relocatedCwd);
		return json_has_text(f.sessionId) &&
				       json_has_text(f.relocatedCwd)
			       ? set_fact(s, CLAUDE_CWD, f.relocatedCwd)
			       : 0;
	}
	if (r)
		return add_title(s, (enum claude_title)(r - claude_titles),
				 json_get(line, r->member));
	return JSON_IS(type, "file-history-snapshot", "file-history-delta")
		       ? ingest_note(s, at)
		       : 0;
}

static bool takes_record(const struct session *s, struct json value)
{
	(void)s;
	(void)value;
	return true;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct claude *c = s->now.state;
	struct claude_entry e = { 0 };
	uint32_t entry = INDEX_NONE;
	if (ingest_skips(s, line, at))
		return 0;
	JSON_FIELDS(f, line, parentUuid, isSidechain, message, type, uuid,
		    timestamp, cwd, sessionId, version, forkedFrom,
		    requestSessionId);
	const struct json facts[CLAUDE_FACTS] = {
		[CLAUDE_ID] = f.sessionId,
		[CLAUDE_CWD] = f.cwd,
		[CLAUDE_TIMESTAMP] = f.timestamp,
		[CLAUDE_PARENT_SESSION] = claude_origin_of(
			f.forkedFrom, f.requestSessionId, f.sessionId),
	};
	int err = 0;
	for (int i = 0; i < CLAUDE_FACTS && !err; i++)
		if (c->facts[i].len == 0 && json_has_text(facts[i]))
			err = set_fact(s, (enum claude_fact)i, facts[i]);
	if (err)
		return err;
	claude_note_version(c, f.version);
	if (!json_has_text(f.uuid))
		return add_metadata(s, line, f.type, at);
	e.sidechain = json_truthy(f.isSidechain) && !session_is_subagent(s);
	err = read_entry(c, line, f.type, f.message, &e);
	if (!err && e.part == CLAUDE_ASSISTANT)
		err = number_response(c, json_get(f.message, "id"),
				      &e.response);
	int64_t time = timestamp_parse(f.timestamp);
	bool joins = claude_joins(e.part, f.parentUuid);
	bool hangs = time != TIMESTAMP_NONE && !joins && !e.sidechain;
	bool carries = time != TIMESTAMP_NONE && claude_is_main(&e);
	struct index_line l = { .time = time,
				.type = type_of(&e),
				.hangs = hangs,
				.carries = carries };
	if (joins)
		f.parentUuid = json_get(line, "logicalParentUuid");
	if (!err)
		err = ingest_named_entry(s, f.uuid, f.parentUuid, &l, at,
					 &entry);
	return err || entry == INDEX_NONE
		       ? err
		       : keep_entry(s, line, f.message, entry, e);
}

const struct dialect_reading claude_reading = {
	.bookkeeping = ENTRY_BIT(ENTRY_SILENT),
	.ingest = ingest,
	.takes_record = takes_record,
	.state_size = sizeof(struct claude),
	.begin_state = begin_state,
	.clear_state = clear_state,
	.find_leaf = claude_find_leaf,
	.beside[BESIDE_OWN] = { own_file_path, own_file_ingest },
};
