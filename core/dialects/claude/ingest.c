#include "core/dialects/claude/ingest.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/dialects/claude/attachment.h"
#include "core/dialects/claude/blocks.h"
#include "core/dialects/claude/write.h"
#include "core/json/timestamp.h"
#include "core/json/writer.h"

/* Lines that are no entries, and what each line of the type has. */
static const struct record {
	struct span type;
	const char *member; /* a string; of `sessionId` a UUID */
} records[] = {
	{ SPAN("summary"), "leafUuid" },
	{ SPAN("file-history-snapshot"), "messageId" },
	{ SPAN("file-history-delta"), "messageId" },
	{ SPAN("api-request-blob"), "hash" },
	{ SPAN("ai-title"), "sessionId" },
	{ SPAN("custom-title"), "sessionId" },
	{ SPAN("tag"), "sessionId" },
	{ SPAN("agent-name"), "sessionId" },
	{ SPAN("agent-color"), "sessionId" },
	{ SPAN("agent-setting"), "sessionId" },
	{ SPAN("mode"), "sessionId" },
	{ SPAN("permission-mode"), "sessionId" },
	{ SPAN("queue-operation"), "sessionId" },
	{ SPAN("last-prompt"), "sessionId" },
	{ SPAN("cost-state"), "sessionId" },
	{ SPAN("pr-link"), "sessionId" },
	{ SPAN("atis-latch"), "sessionId" },
	{ SPAN("tools-used"), "sessionId" },
	{ SPAN("api-request"), "sessionId" },
	{ SPAN("api-request-shape"), "sessionId" },
	{ SPAN("worktree-state"), "sessionId" },
	{ SPAN("content-replacement"), "sessionId" },
};

static bool is_uuid(struct json v)
{
	return json_type(v) == JSON_STRING &&
	       text_is_uuid((struct span){ v.raw.p + 1, v.raw.n - 2 });
}

static bool is_record(struct json line, struct json type)
{
	const struct record *r = JSON_ROW(type, records);
	if (!r)
		return false;
	struct json v = json_get(line, r->member);
	return strcmp(r->member, "sessionId") == 0
		       ? is_uuid(v)
		       : json_type(v) == JSON_STRING;
}

const char *claude_claims(struct json line)
{
	JSON_FIELDS(f, line, type, uuid, parentUuid, sessionId, message,
		    isSidechain);
	if (is_record(line, f.type))
		return "a line that only Claude Code writes";
	if (json_type(f.uuid) != JSON_STRING ||
	    json_type(f.parentUuid) == JSON_ABSENT || !is_uuid(f.sessionId))
		return NULL;
	bool says = JSON_IS(f.type, "user", "assistant");
	bool links = JSON_IS(f.type, "system", "attachment", "progress");
	/* Qwen Code's messages have the API's of another maker. */
	bool other = json_type(json_get(f.message, "parts")) != JSON_ABSENT;
	bool sided = json_type(f.isSidechain) == JSON_TRUE ||
		     json_type(f.isSidechain) == JSON_FALSE;
	return (says && !other) || (links && sided) ? "a line with a sessionId"
						    : NULL;
}

bool claude_is_line(struct json object)
{
	JSON_FIELDS(f, object, sessionId, type, leafUuid, messageId, uuid);
	bool says_more = json_type(f.type) == JSON_STRING ||
			 json_type(f.uuid) == JSON_STRING;
	return (json_type(f.sessionId) == JSON_STRING && says_more) ||
	       (json_is(f.type, SPAN("summary")) &&
		json_type(f.leafUuid) == JSON_STRING) ||
	       (json_is(f.type, SPAN("file-history-snapshot")) &&
		json_type(f.messageId) == JSON_STRING);
}

/* now.state. */

/* A response at an offset in c->ids. Its id follows. */
struct response_head {
	uint32_t number;
	uint32_t length; /* of the id */
};

static struct response_head response_head(const struct claude *c, uint32_t at)
{
	struct response_head h;
	memcpy(&h, c->ids.data + at, sizeof(h));
	return h;
}

static struct span response_id(const void *owner, uint32_t at,
			       struct idtable_scratch *scratch)
{
	const struct claude *c = owner;
	(void)scratch;
	return (struct span){ c->ids.data + at + sizeof(struct response_head),
			      response_head(c, at).length };
}

void *claude_state_new(void)
{
	struct claude *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	idtable_init(&c->table, response_id);
	c->leaf.last = INDEX_NONE;
	c->leaf.own = INDEX_NONE;
	c->leaf.aside = INDEX_NONE;
	c->leaf.pin = INDEX_NONE;
	c->leaf.pin_from = INDEX_NONE;
	c->leaf.passed = INDEX_NONE;
	c->leaf.quiet_from = INDEX_NONE;
	c->leaf.boundary = INDEX_NONE;
	c->leaf.open.first = INDEX_NONE;
	c->boundary = INDEX_NONE;
	c->keeper = INDEX_NONE;
	c->kept.boundary = INDEX_NONE;
	return c;
}

void claude_state_free(void *state)
{
	struct claude *c = state;
	free(c->entries);
	buf_free(&c->ids);
	idtable_free(&c->table);
	for (int i = 0; i < CLAUDE_TITLES; i++)
		buf_free(&c->titles[i]);
	for (int i = 0; i < CLAUDE_FACTS; i++)
		buf_free(&c->facts[i]);
	claude_subagents_free(&c->subagents);
	claude_outputs_free(&c->outputs);
	buf_free(&c->pin);
	buf_free(&c->keeping);
	free(c->kept.places);
	bits_free(&c->leaf.open.lines);
	free(c->leaf.open.calling);
	own_file_free(&c->sidecar);
	free(c);
}

static int keep_entry(struct claude *c, uint32_t entry, struct claude_entry e)
{
	if (array_reserve(&c->entries, &c->cap, entry, 1) < 0)
		return -ENOMEM;
	if (entry == c->n)
		c->n++;
	c->entries[entry] = e;
	return 0;
}

/* The number of a response by its id. */
static int number_response(struct claude *c, struct json id, uint32_t *number)
{
	struct buf scratch = { 0 };
	struct span text = ingest_string(&scratch, id);
	uint32_t at = idtable_find(&c->table, c, text);
	struct response_head h = { c->responses + 1, (uint32_t)text.n };
	bool fits = text.n < UINT32_MAX - sizeof(h) - 1 &&
		    c->ids.len < UINT32_MAX - sizeof(h) - 1 - text.n;
	int err = buf_error(&scratch);
	if (!err && text.n > 0 && at == IDTABLE_NONE && fits) {
		at = (uint32_t)c->ids.len;
		buf_add(&c->ids, (struct span){ (const char *)&h, sizeof(h) });
		buf_add(&c->ids, text);
		err = buf_error(&c->ids);
		if (!err)
			err = idtable_add(&c->table, text, at);
		c->responses = h.number;
	}
	*number = at == IDTABLE_NONE ? 0 : response_head(c, at).number;
	buf_free(&scratch);
	return err;
}

/* Lines. */

enum field {
	TYPE,
	UUID,
	PARENT,
	LOGICAL_PARENT,
	TIME,
	SIDECHAIN,
	SUBTYPE,
	DISPLAY_ONLY,
	MESSAGE,
	SESSION_ID,
	CWD,
	FORKED_FROM,
	LEAF,
	EXPLICIT,
	TITLE_SUMMARY,
	TITLE_CUSTOM,
	TITLE_AI,
	VERSION,
	COMPACTION,
	FIELDS
};

static const char *const field_names[] = {
	[TYPE] = "type",
	[UUID] = "uuid",
	[PARENT] = "parentUuid",
	[LOGICAL_PARENT] = "logicalParentUuid",
	[TIME] = "timestamp",
	[SIDECHAIN] = "isSidechain",
	[SUBTYPE] = "subtype",
	[DISPLAY_ONLY] = "isDisplayOnly",
	[MESSAGE] = "message",
	[SESSION_ID] = "sessionId",
	[CWD] = "cwd",
	[FORKED_FROM] = "forkedFrom",
	[LEAF] = "leafUuid",
	[EXPLICIT] = "explicit",
	[TITLE_SUMMARY] = "summary",
	[TITLE_CUSTOM] = "customTitle",
	[TITLE_AI] = "aiTitle",
	[VERSION] = "version",
	[COMPACTION] = "compactMetadata",
};
_Static_assert(sizeof(field_names) / sizeof(field_names[0]) == FIELDS,
	       "a name for every field");

bool claude_is_blank(struct json text)
{
	struct buf scratch = { 0 };
	/* Nearly all texts begin with a letter. */
	if (json_type(text) != JSON_STRING ||
	    (text.raw.n > 2 && text.raw.p[1] > ' ' && text.raw.p[1] != '\\'))
		return json_type(text) != JSON_STRING;
	bool blank = text_trim(ingest_string(&scratch, text)).n == 0 &&
		     !scratch.failed;
	buf_free(&scratch);
	return blank;
}

/* What the blocks of a message are. */
struct blocks {
	uint8_t calls; /* at most 255 */
	uint8_t results;
	bool words; /* anything but thinking and blank texts */
};

static void count(uint8_t *n)
{
	if (*n < UINT8_MAX)
		++*n;
}

static void look_at_block(struct json block, struct blocks *b)
{
	struct json type = json_get(block, "type");
	if (json_is(type, SPAN("tool_result")))
		count(&b->results);
	if (json_is(type, SPAN("tool_use")))
		count(&b->calls);
	if (json_is(type, SPAN("text")))
		b->words =
			b->words || !claude_is_blank(json_get(block, "text"));
	else if (!json_is(type, SPAN("thinking")) &&
		 !json_is(type, SPAN("redacted_thinking")))
		b->words = true;
}

static struct blocks blocks_of(struct json message)
{
	struct json content = json_get(message, "content");
	struct json_walk w = json_walk(content);
	struct json block;
	struct blocks b = { 0 };
	if (json_type(content) == JSON_STRING)
		b.words = !claude_is_blank(content);
	/* An agent sends a placeholder for an empty array. */
	if (json_type(content) == JSON_ARRAY)
		b.words = !json_has_members(content);
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		look_at_block(block, &b);
	return b;
}

static enum claude_part system_part(const struct json f[FIELDS])
{
	if (json_is(f[SUBTYPE], SPAN("compact_boundary")))
		return CLAUDE_BOUNDARY;
	if (json_is(f[SUBTYPE], SPAN("local_command")) &&
	    json_type(f[DISPLAY_ONLY]) != JSON_TRUE)
		return CLAUDE_COMMAND;
	return CLAUDE_SYSTEM;
}

static struct claude_entry read_entry(const struct session *s,
				      const struct json f[FIELDS])
{
	struct claude_entry e = { .part = CLAUDE_LINK,
				  .sidechain =
					  claude_is_sidechain(s, f[SIDECHAIN]),
				  .speaker = INDEX_NONE };
	struct blocks b = { 0 };
	if (json_is(f[TYPE], SPAN("assistant"))) {
		b = blocks_of(f[MESSAGE]);
		e.part = CLAUDE_ASSISTANT;
		e.calls = b.calls;
		e.mute = !b.words;
	} else if (json_is(f[TYPE], SPAN("user"))) {
		b = blocks_of(f[MESSAGE]);
		e.part = b.results > 0 ? CLAUDE_RESULT : CLAUDE_USER;
		e.results = b.results;
	} else if (json_is(f[TYPE], SPAN("attachment"))) {
		e.part = CLAUDE_ATTACHMENT;
	} else if (json_is(f[TYPE], SPAN("system"))) {
		e.part = (uint8_t)system_part(f);
	}
	return e;
}

/* Does the agent send nothing for an attachment? */
static int find_silence(struct json line, struct claude_entry *e)
{
	bool sent = e->part != CLAUDE_LINK && e->part != CLAUDE_SYSTEM;
	int err = 0;
	if (e->part == CLAUDE_ATTACHMENT)
		err = claude_attachment_is_sent(line, &sent);
	e->silent = !sent;
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

static bool is_text(struct json v)
{
	return json_type(v) == JSON_STRING && v.raw.n > 2;
}

bool claude_joins(enum claude_part part, struct json parent_uuid)
{
	return part == CLAUDE_BOUNDARY && !is_text(parent_uuid);
}

static int add_to_index(struct session *s, const struct json f[FIELDS],
			const struct claude_entry *e,
			const struct line_place *at, uint32_t *entry)
{
	enum claude_part part = (enum claude_part)e->part;
	bool joins = claude_joins(part, f[PARENT]);
	struct index_line l = { .time = timestamp_parse(f[TIME]),
				.type = type_of(e) };
	bool has_time = l.time != TIMESTAMP_NONE;
	l.hangs = has_time && !joins && !e->sidechain;
	l.carries = has_time && claude_is_main(e);
	return ingest_named_entry(
		s, f[UUID], f[joins ? LOGICAL_PARENT : PARENT], &l, at, entry);
}

static int note_boundary(struct session *s, struct claude_entry *e,
			 uint32_t entry, struct json compaction)
{
	struct claude *c = s->now.state;
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

static int add_entry(struct session *s, struct json line,
		     const struct json f[FIELDS], const struct line_place *at)
{
	struct claude *c = s->now.state;
	struct claude_entry e = read_entry(s, f);
	uint32_t entry = INDEX_NONE;
	int err = 0;
	err = find_silence(line, &e);
	if (!err && e.part == CLAUDE_ASSISTANT)
		err = number_response(c, json_get(f[MESSAGE], "id"),
				      &e.response);
	if (!err)
		err = add_to_index(s, f, &e, at, &entry);
	if (err || entry == INDEX_NONE)
		return err;
	/* A pin is no longer explicit when the conversation goes on. */
	if (claude_is_main(&e) && c->pinned == CLAUDE_EXPLICIT)
		c->pinned = CLAUDE_PLAIN;
	if (e.part == CLAUDE_BOUNDARY && !e.sidechain)
		err = note_boundary(s, &e, entry, f[COMPACTION]);
	if (!err)
		err = keep_entry(c, entry, e);
	if (!err && e.part == CLAUDE_RESULT)
		err = claude_ingest_subagent(s, line);
	if (!err && e.part == CLAUDE_RESULT && entry != INDEX_NONE)
		err = claude_ingest_outputs(s, entry, f[MESSAGE]);
	return err;
}

/*
 * A plain pin that names the same place as the last one changes nothing. An
 * explicit one was written by an agent that heeds it.
 */
static int add_pin(struct session *s, const struct json f[FIELDS])
{
	struct claude *c = s->now.state;
	struct buf scratch = { 0 };
	if (json_type(f[LEAF]) != JSON_STRING &&
	    json_type(f[LEAF]) != JSON_NULL)
		return 0;
	struct span id = ingest_string(&scratch, f[LEAF]);
	int err = buf_error(&scratch);
	bool same =
		c->pinned != CLAUDE_NO_PIN && span_eq(id, buf_span(&c->pin));
	if (!err && !same) {
		buf_reset(&c->pin);
		buf_add(&c->pin, id);
		err = buf_error(&c->pin);
		c->pinned = CLAUDE_PLAIN;
	}
	if (json_type(f[EXPLICIT]) == JSON_TRUE) {
		c->pinned = CLAUDE_EXPLICIT;
		c->pins = true;
	}
	buf_free(&scratch);
	return err;
}

static int add_title(struct session *s, enum claude_title kind,
		     struct json title)
{
	struct claude *c = s->now.state;
	if (json_type(title) != JSON_STRING)
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

static int add_metadata(struct session *s, const struct json f[FIELDS])
{
	if (json_is(f[TYPE], SPAN("last-prompt")))
		return add_pin(s, f);
	if (json_is(f[TYPE], SPAN("custom-title")))
		return add_title(s, CLAUDE_CUSTOM_TITLE, f[TITLE_CUSTOM]);
	if (json_is(f[TYPE], SPAN("ai-title")))
		return add_title(s, CLAUDE_AI_TITLE, f[TITLE_AI]);
	if (json_is(f[TYPE], SPAN("summary")))
		return add_title(s, CLAUDE_SUMMARY, f[TITLE_SUMMARY]);
	return 0;
}

static int make_header(struct session *s)
{
	static const char *const names[CLAUDE_FACTS] = {
		[CLAUDE_ID] = "id",
		[CLAUDE_CWD] = "cwd",
		[CLAUDE_TIMESTAMP] = "timestamp",
		[CLAUDE_PARENT_SESSION] = "parentSession",
	};
	const struct claude *c = s->now.state;
	struct json_writer w = { .out = &s->now.header };
	buf_reset(w.out);
	json_begin_object(&w, NULL);
	for (int i = 0; i < CLAUDE_FACTS; i++)
		json_write_buf(&w, names[i], &c->facts[i]);
	json_end_object(&w);
	return buf_error(w.out);
}

static int add_facts(struct session *s, const struct json f[FIELDS])
{
	struct claude *c = s->now.state;
	const struct json values[CLAUDE_FACTS] = {
		[CLAUDE_ID] = f[SESSION_ID],
		[CLAUDE_CWD] = f[CWD],
		[CLAUDE_TIMESTAMP] = f[TIME],
		[CLAUDE_PARENT_SESSION] = json_get(f[FORKED_FROM], "sessionId"),
	};
	bool changed = false;
	for (int i = 0; i < CLAUDE_FACTS; i++) {
		if (c->facts[i].len > 0 || !is_text(values[i]))
			continue;
		buf_add(&c->facts[i], values[i].raw);
		if (buf_error(&c->facts[i]))
			return -ENOMEM;
		changed = true;
	}
	return changed ? make_header(s) : 0;
}

bool claude_takes_record(const struct session *s, struct json value)
{
	(void)s;
	(void)value;
	return true;
}

int claude_ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct claude *c = s->now.state;
	struct json f[FIELDS];
	if (ingest_skips(s, line, at))
		return 0;
	json_get_all(line, FIELDS, field_names, f);
	int err = add_facts(s, f);
	if (err)
		return err;
	claude_note_version(c, f[VERSION]);
	return is_text(f[UUID]) ? add_entry(s, line, f, at)
				: add_metadata(s, f);
}

int claude_ingest_sidecar(struct session *s, struct span bytes, bool there)
{
	struct claude *own = s->now.state;
	return own_file_ingest(s, &own->sidecar, bytes, there);
}
