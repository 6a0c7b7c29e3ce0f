/*
 * What a line of a transcript says by itself: that it is Claude Code's, an
 * entry, or a record that the agent keeps among them (the types are those that
 * 2.1.332 names); which session it was copied from; and the blocks of its
 * content, which is a string, or an array of blocks. A walk over a string has
 * none.
 */
#include "core/dialects/claude/claude.h"

#include "core/base/text.h"
#include "core/dialects/kit/parent.h"
#include "core/json/writer.h"

static bool is_uuid(struct json v)
{
	return json_is_string(v) &&
	       text_is_uuid((struct span){ v.raw.p + 1, v.raw.n - 2 });
}

/* Is it a line that is no entry, with what each line of its type has? */
static bool is_record(struct json line, struct json type)
{
	static const struct row {
		struct span type;
		const char *member;
	} without_session[] = {
		{ SPAN("summary"), "leafUuid" },
		{ SPAN("file-history-snapshot"), "messageId" },
		{ SPAN("file-history-delta"), "messageId" },
		{ SPAN("attribution-snapshot"), "messageId" },
		{ SPAN("api-request-blob"), "hash" },
		{ SPAN("fork-context-ref"), "agentId" },
		{ SPAN("observer-ref"), "agentId" },
		{ SPAN("resume-head-vouch"), "sum" },
	};
	const struct row *r = JSON_ROW(type, without_session);
	if (r)
		return json_type(json_get(line, r->member)) == JSON_STRING;
	return JSON_IS(type, "ai-title", "custom-title", "tag", "agent-name",
		       "agent-color", "agent-setting", "mode",
		       "permission-mode", "queue-operation", "last-prompt",
		       "cost-state", "pr-link", "atis-latch", "tools-used",
		       "api-request", "api-request-shape",
		       "api-request-resumed", "worktree-state",
		       "content-replacement", "relocated", "continued-in",
		       "ended-by-model", "derived-from", "data-flow-records",
		       "data-flow-incomplete", "history-suppression",
		       "session-owner", "hybrid-organization", "dev-mods",
		       "memory-mode", "repl-mode", "isolation-latch",
		       "bridge-session", "frame-link",
		       "artifact-comment-monitor",
		       "artifact-autoreact-ledger") &&
	       is_uuid(json_get(line, "sessionId"));
}

const char *claude_claims(struct json line)
{
	JSON_FIELDS(f, line, type, uuid, parentUuid, sessionId, message,
		    isSidechain);
	if (is_record(line, f.type))
		return "a line that only Claude Code writes";
	if (!json_is_string(f.uuid) || json_type(f.parentUuid) == JSON_ABSENT ||
	    !is_uuid(f.sessionId))
		return NULL;
	bool says = JSON_IS(f.type, "user", "assistant");
	bool links = JSON_IS(f.type, "system", "attachment", "progress");
	/* Qwen Code's messages have the API's of another maker. */
	bool other = json_type(json_get(f.message, "parts")) != JSON_ABSENT ||
		     json_type(json_get(line, "provenance")) != JSON_ABSENT;
	bool sided = json_type(f.isSidechain) == JSON_TRUE ||
		     json_type(f.isSidechain) == JSON_FALSE;
	return !other && (says || (links && sided)) ? "a line with a sessionId"
						    : NULL;
}

bool claude_is_line(struct json object)
{
	JSON_FIELDS(f, object, sessionId, type, uuid);
	bool says_more = json_is_string(f.type) || json_is_string(f.uuid);
	return (json_is_string(f.sessionId) && says_more) ||
	       is_record(object, f.type);
}

struct json claude_origin_of(struct json forked_from, struct json request,
			     struct json session)
{
	static const struct json none = { 0 };
	struct json from = json_get(forked_from, "sessionId");
	if (json_is_string(from))
		return from;
	return json_is_string(request) && !span_eq(request.raw, session.raw)
		       ? request
		       : none;
}

/* A fork is a copy. The first line of the assistant tells, or one before it. */
static int read_origin(struct json line, struct buf *out)
{
	JSON_FIELDS(f, line, type, forkedFrom, requestSessionId, sessionId);
	json_decode(out, claude_origin_of(f.forkedFrom, f.requestSessionId,
					  f.sessionId));
	return out->len > 0 || json_is(f.type, SPAN("assistant"));
}

static int base_id(const struct log *log, struct buf *out)
{
	int err = parent_read(log, read_origin, out);
	return err ? err : out->len > 0;
}

const struct dialect_bases claude_bases = {
	.file_id = parent_file_id,
	.base_id = base_id,
	.find_file = parent_find_beside,
};

bool claude_has_block(struct json content, const char *type)
{
	JSON_EACH(block, content) {
		if (json_is(json_get(block, "type"), span_of(type)))
			return true;
	}
	return false;
}

void claude_write_with(struct json_writer *w, struct json block,
		       const char *key, struct buf *value)
{
	const struct json_change change = { key, buf_span(value) };
	struct buf *out = json_begin_value(w, NULL);
	json_splice(out, block, &change, 1);
	buf_free_into(value, out);
}
