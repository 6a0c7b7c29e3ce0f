#include "core/dialects/claude/ingest.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/dialects/claude/rules.h"
#include "core/json/timestamp.h"
#include "core/json/writer.h"

const char *claude_claims(struct json line)
{
	static const char *const names[] = { "sessionId", "type", "leafUuid",
					     "messageId", "uuid" };
	struct json f[5];
	json_get_all(line, 5, names, f);
	bool says_more = json_type(f[1]) == JSON_STRING ||
			 json_type(f[4]) == JSON_STRING;
	if (json_type(f[0]) == JSON_STRING && says_more)
		return "a line with a sessionId";
	if (json_is(f[1], SPAN("summary")) && json_type(f[2]) == JSON_STRING)
		return "a summary with a leafUuid";
	if (json_is(f[1], SPAN("file-history-snapshot")) &&
	    json_type(f[3]) == JSON_STRING)
		return "a file-history-snapshot with a messageId";
	return NULL;
}

/* now.state. */

/* The id of a response at an offset in c->ids. */
static struct span response_id(const void *owner, uint32_t at,
			       struct buf *scratch)
{
	const struct claude *c = owner;
	uint32_t n;
	(void)scratch;
	memcpy(&n, c->ids.data + at, sizeof(n));
	return (struct span){ c->ids.data + at + sizeof(n), n };
}

void *claude_state_new(void)
{
	struct claude *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	idtable_init(&c->table, response_id);
	c->leaf.newest = INDEX_NONE;
	c->leaf.own = INDEX_NONE;
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
	buf_free(&c->sidecar.bytes);
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
	uint32_t n = (uint32_t)text.n;
	bool fits = text.n < UINT32_MAX - sizeof(n) - 1 &&
		    c->ids.len < UINT32_MAX - sizeof(n) - 1 - text.n;
	int err = buf_error(&scratch);
	if (!err && text.n > 0 && at == IDTABLE_NONE && fits) {
		at = (uint32_t)c->ids.len;
		buf_add(&c->ids, (struct span){ (const char *)&n, sizeof(n) });
		buf_add(&c->ids, text);
		err = buf_error(&c->ids);
		if (!err)
			err = idtable_add(&c->table, text, at);
	}
	*number = at == IDTABLE_NONE ? 0 : at + 1;
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
};
_Static_assert(sizeof(field_names) / sizeof(field_names[0]) == FIELDS,
	       "a name for every field");

static bool has_results(struct json message)
{
	struct json content = json_get(message, "content");
	struct json_walk w = json_walk(content);
	struct json block;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		if (json_is(json_get(block, "type"), SPAN("tool_result")))
			return true;
	}
	return false;
}

static enum claude_part part_of(const struct json f[FIELDS])
{
	if (json_is(f[TYPE], SPAN("assistant")))
		return CLAUDE_ASSISTANT;
	if (json_is(f[TYPE], SPAN("user")))
		return has_results(f[MESSAGE]) ? CLAUDE_RESULT : CLAUDE_USER;
	if (json_is(f[TYPE], SPAN("system")) &&
	    json_is(f[SUBTYPE], SPAN("compact_boundary")))
		return CLAUDE_BOUNDARY;
	return CLAUDE_LINK;
}

static enum entry_type type_of(enum claude_part part)
{
	switch (part) {
	case CLAUDE_LINK:
		return ENTRY_OTHER;
	case CLAUDE_BOUNDARY:
		return ENTRY_COMPACTION;
	default:
		return ENTRY_MESSAGE;
	}
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
			enum claude_part part, const struct line_place *at,
			uint32_t *entry)
{
	bool joins = claude_joins(part, f[PARENT]);
	struct index_line l = { .time = timestamp_parse(f[TIME]),
				.type = type_of(part) };
	return ingest_named_entry(
		s, f[UUID], f[joins ? LOGICAL_PARENT : PARENT], &l, at, entry);
}

static int add_entry(struct session *s, struct json line,
		     const struct json f[FIELDS], const struct line_place *at)
{
	struct claude *c = s->now.state;
	struct claude_entry e = { .part = (uint8_t)part_of(f),
				  .sidechain =
					  claude_is_sidechain(s, f[SIDECHAIN]),
				  .speaker = INDEX_NONE };
	uint32_t entry = INDEX_NONE;
	int err = 0;
	if (e.part == CLAUDE_ASSISTANT)
		err = number_response(c, json_get(f[MESSAGE], "id"),
				      &e.response);
	if (!err)
		err = add_to_index(s, f, (enum claude_part)e.part, at, &entry);
	if (!err && entry != INDEX_NONE)
		err = keep_entry(c, entry, e);
	if (!err && e.part == CLAUDE_RESULT)
		err = claude_ingest_subagent(s, line);
	if (!err && e.part == CLAUDE_RESULT && entry != INDEX_NONE)
		err = claude_ingest_outputs(s, entry, f[MESSAGE]);
	/* A pin is over when the conversation continues. */
	if (claude_speaks(&e) && !e.sidechain)
		c->pinned = false;
	return err;
}

/*
 * A pin is valid if it is explicit, as long as later ones, explicit or not,
 * name the same uuid. An explicit one with null is an empty c->pin.
 */
static int add_pin(struct claude *c, const struct json f[FIELDS])
{
	struct buf scratch = { 0 };
	bool nothing = json_type(f[LEAF]) == JSON_NULL &&
		       json_type(f[EXPLICIT]) == JSON_TRUE;
	if (json_type(f[LEAF]) != JSON_STRING && !nothing)
		return 0;
	struct span id = ingest_string(&scratch, f[LEAF]);
	int err = buf_error(&scratch);
	if (!err && !span_eq(id, buf_span(&c->pin))) {
		buf_clear(&c->pin);
		buf_add(&c->pin, id);
		err = buf_error(&c->pin);
		c->pinned = false;
	}
	c->pinned = c->pinned || json_type(f[EXPLICIT]) == JSON_TRUE;
	buf_free(&scratch);
	return err;
}

static int add_title(struct session *s, enum claude_title kind,
		     struct json title)
{
	struct claude *c = s->now.state;
	if (json_type(title) != JSON_STRING)
		return 0;
	buf_clear(&c->titles[kind]);
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
		return add_pin(s->now.state, f);
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
	buf_clear(w.out);
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

int claude_ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct claude *c = s->now.state;
	struct json f[FIELDS];
	json_get_all(line, FIELDS, field_names, f);
	int err = add_facts(s, f);
	if (err)
		return err;
	uint32_t version = claude_version(f[VERSION]);
	if (version > c->version)
		c->version = version;
	return is_text(f[UUID]) ? add_entry(s, line, f, at)
				: add_metadata(s, f);
}
