/*
 * Reading Qwen Code's lines. A record is an object with the strings uuid and
 * sessionId, a parentUuid that is a string or null, and one of four types; the
 * agent (0.24.4) drops all else before it looks at parents. Of a line that is
 * not JSON it reads the objects, such as two records that were written without
 * a newline between them.
 *
 * The leaf is the uuid of the last record. Records of artifacts, of a session's
 * sources and of managed sessions are no part of the conversation: no entry
 * hangs on them.
 */
#include <errno.h>

#include "core/base/hash.h"
#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/parent.h"
#include "core/dialects/qwen/qwen.h"
#include "core/json/timestamp.h"
#include "core/show/rows.h"

/* In the order of their names below. */
struct record {
	struct json uuid, parentUuid, sessionId, timestamp, type, cwd, subtype,
		message, systemPayload, provenance, forkedFrom;
};

/* Read what the agent takes for a record. */
static bool read_record(struct json line, struct record *r)
{
	static const char *const names[] = {
		"uuid",		 "parentUuid", "sessionId", "timestamp",
		"type",		 "cwd",	       "subtype",   "message",
		"systemPayload", "provenance", "forkedFrom"
	};
	json_get_all(line, sizeof(*r) / sizeof(struct json), names,
		     (struct json *)r);
	return json_has_text(r->uuid) && json_has_text(r->sessionId) &&
	       (json_is_string(r->parentUuid) ||
		json_type(r->parentUuid) == JSON_NULL) &&
	       JSON_IS(r->type, "user", "assistant", "tool_result", "system");
}

const char *qwen_claims(struct json line)
{
	struct record r;
	if (!read_record(line, &r))
		return NULL;
	if (json_type(json_get(r.message, "parts")) == JSON_ARRAY)
		return "a message with parts and a sessionId";
	return json_is_string(r.provenance) ||
			       json_type(r.systemPayload) == JSON_OBJECT
		       ? "a line with a provenance or a systemPayload"
		       : NULL;
}

/* Of a session's first record. */
static int set_header(struct session *s, const struct record *r)
{
	static const char *const names[] = { "id", "cwd", "timestamp",
					     "parentSession" };
	struct json f[] = { r->sessionId, r->cwd, r->timestamp,
			    json_get(r->forkedFrom, "sessionId") };
	for (size_t i = 0; i < 4; i++) {
		if (!json_is_string(f[i]))
			f[i] = (struct json){ 0 };
	}
	return ingest_made_header(s, 4, names, f);
}

/* Note the subagents that an answer's calls start. */
static int note_subagents(struct session *s, uint32_t entry,
			  struct json message)
{
	int err = 0;
	JSON_EACH_WHILE(!err, part, qwen_parts(message)) {
		struct buf name BUF_SCOPED = { 0 };
		JSON_FIELDS(call, json_get(part, "functionCall"), id, name,
			    args);
		if (!json_is(call.name, SPAN("agent")) ||
		    !json_has_text(call.id))
			continue;
		buf_adds(&name, "agent-");
		json_decode(&name, json_get(call.args, "subagent_type"));
		buf_addc(&name, '-');
		json_decode(&name, call.id);
		err = buf_error(&name);
		if (!err)
			err = started_add(&s->now.started, entry,
					  buf_span(&name));
	}
	return err;
}

/* An id for a further part of an entry. */
static int add_more(struct session *s, const struct record *r,
		    struct index_line *l, const struct line_place *at)
{
	struct buf id BUF_SCOPED = { 0 };
	struct buf base BUF_SCOPED = { 0 };
	uint32_t entry;
	json_decode(&base, r->uuid);
	buf_add(&id, buf_span(&base));
	buf_addf(&id, "~%u", at->number);
	while (!id.failed &&
	       index_find(&s->now.index, buf_span(&id)) != INDEX_NONE)
		buf_addc(&id, '~');
	l->id = buf_span(&id);
	l->parent = buf_span(&base);
	l->type = ENTRY_CONTEXT_EDIT;
	int err = id.failed || base.failed ? -ENOMEM : 0;
	return err ? err : ingest_entry(s, l, at, &entry);
}

static int add_record(struct session *s, const struct record *r,
		      const struct line_place *at)
{
	struct index_line l = {
		.time = timestamp_parse(r->timestamp),
		.type = rows_of(qwen_showing.rows, r->type, r->subtype)->entry
	};
	uint32_t entry = ingest_find_id(s, r->uuid);
	if (entry != INDEX_NONE) {
		int more = add_more(s, r, &l, at);
		s->now.leaf = entry;
		return more;
	}
	int err = ingest_named_entry(s, r->uuid, r->parentUuid, &l, at, &entry);
	if (err || entry == INDEX_NONE)
		return err;
	if (l.type == ENTRY_NAME)
		return ingest_name(s,
				   json_get(r->systemPayload, "customTitle"));
	return json_is(r->type, SPAN("assistant"))
		       ? note_subagents(s, entry, r->message)
		       : 0;
}

static int ingest_record(struct session *s, struct json line,
			 const struct line_place *at)
{
	struct qwen *q = s->now.state;
	struct record r;
	int err = 0;
	if (!read_record(line, &r)) {
		ingest_no_entry(s, at);
		return 0;
	}
	s->now.stray_line = 0;
	if (s->now.header.len == 0) {
		s->now.header_first = true;
		err = set_header(s, &r);
	} else if (q->other_id == 0 &&
		   !span_eq(session_header(s, "id").raw, r.sessionId.raw)) {
		q->other_id = at->number;
	}
	bool aside =
		json_is(r.type, SPAN("system")) &&
		JSON_IS(r.subtype, "session_artifact_event",
			"session_artifact_snapshot", "session_sources_snapshot",
			"managed_session_header_v1", "managed_session_event_v1",
			"managed_session_commit_v1");
	return err || aside ? err : add_record(s, &r, at);
}

/* Ingest the objects of a line that is not JSON. */
static int ingest_objects(struct session *s, struct span line,
			  const struct line_place *at)
{
	size_t depth = 0;
	size_t from = 0;
	bool quoted = false;
	int err = 0;
	for (size_t i = 0; i < line.n && !err; i++) {
		struct json v;
		char c = line.p[i];
		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && c == '{' && depth++ == 0)
			from = i;
		if (quoted || c != '}' || depth == 0 || --depth > 0)
			continue;
		const struct span text = { line.p + from, i + 1 - from };
		struct line_place part = *at;
		part.offset += from;
		part.length = text.n;
		part.digest = (uint32_t)hash_line(text, part.offset);
		err = json_check(text, &v);
		if (!err)
			err = ingest_record(s, v, &part);
		else if (err == -EBADMSG)
			err = 0;
	}
	return err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct buf text BUF_SCOPED = { 0 };
	if (json_type(line) != JSON_ABSENT)
		return ingest_record(s, line, at);
	char *to = buf_reserve(&text, at->length);
	int err = to ? log_read(&s->log, at->offset, to, at->length) : -ENOMEM;
	return err ? err
		   : ingest_objects(s, (struct span){ to, at->length }, at);
}

const struct dialect_reading qwen_reading = {
	.ingest = ingest,
	.state_size = sizeof(struct qwen),
	.bookkeeping = ENTRY_BIT(ENTRY_NAME) | ENTRY_BIT(ENTRY_HEAD) |
		       ENTRY_BIT(ENTRY_SILENT),
	.beside[BESIDE_OWN] = { own_file_path, own_file_ingest },
};

/* Each line of a fork names the session that it was copied from. */
static int read_origin(struct json line, struct buf *out)
{
	struct record r;
	if (!read_record(line, &r))
		return 0;
	json_decode(out, json_get(r.forkedFrom, "sessionId"));
	return 1;
}

static int base_id(const struct log *log, struct buf *out)
{
	int err = parent_read(log, read_origin, out);
	return err ? err : out->len > 0;
}

const struct dialect_bases qwen_bases = {
	.file_id = parent_file_id,
	.base_id = base_id,
	.find_file = parent_find_beside,
};
