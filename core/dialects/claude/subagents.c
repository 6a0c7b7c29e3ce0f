/*
 * Subagents: sessions that a call in another session started.
 *
 * Claude Code writes the transcript of a subagent to
 *
 *     SESSION/subagents/agent-ID.jsonl    beside SESSION.jsonl
 *     agent-ID.jsonl                      beside it, up to about 2.1.0
 *
 * A subagent that a subagent starts is in the same folder. The result of the
 * call has the ID: as toolUseResult.agentId, and in the transcript of a
 * subagent, where that is missing, in a line "agentId: ID (…" at the end of the
 * result's text. So a subagent is found when its call has a result. That of a
 * call in the background comes when the subagent starts.
 *
 * All lines of such a transcript are sidechains. There they are the
 * conversation, and as no sidechains to sessfs.
 */
#include "core/dialects/claude/claude.h"

#include <ctype.h>

#include "core/dialects/claude/state.h"

/* Longer ids are not the agent's. */
#define ID_LIMIT 64

static const struct span prefix = SPAN("agent-");

/* A file is made of the id, so it has no other bytes than the agent's ids. */
static bool is_id(struct span id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!isalnum((unsigned char)id.p[i]) && id.p[i] != '-' &&
		    id.p[i] != '_')
			return false;
	return id.n > 0 && id.n <= ID_LIMIT;
}

/* The id in the last line of a text that has one. */
static struct span id_in_text(struct span text)
{
	static const struct span mark = SPAN("agentId: ");
	struct span found = { text.p, 0 };
	while (text.n > 0) {
		struct span line = span_next_line(&text);
		if (!span_starts(line, mark))
			continue;
		line = span_from(line, mark.n);
		struct span id = span_next(&line, ' ');
		if (id.n > 0)
			found = id;
	}
	return found;
}

/* Append the id that the text of a result ends with, if any. */
static void add_id_of_text(struct buf *out, struct json message)
{
	struct json last = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(out);
	BLOCK_EACH(b, block_read_api, json_get(message, "content")) {
		if (b.type == BLOCK_TEXT && b.inner)
			last = b.text;
	}
	json_decode(&text, last);
	if (text.len > 0)
		buf_add(out, id_in_text(buf_span(&text)));
}

static bool is_assistant(const struct session *s, uint32_t entry)
{
	return entry != INDEX_NONE &&
	       claude_entry(s, entry)->part == CLAUDE_ASSISTANT;
}

int claude_ingest_subagent(struct session *s, struct json line)
{
	struct buf id BUF_SCOPED = { 0 };
	JSON_FIELDS(f, line, toolUseResult, message, sourceToolAssistantUUID,
		    parentUuid);
	buf_add(&id, prefix);
	json_decode(&id, json_get(f.toolUseResult, "agentId"));
	if (json_type(f.toolUseResult) == JSON_ABSENT && session_is_subagent(s))
		add_id_of_text(&id, f.message);
	int err = buf_error(&id);
	const struct span own = { id.data + prefix.n, id.len - prefix.n };
	if (err || !is_id(own))
		return err;
	uint32_t caller = ingest_find_id(s, f.sourceToolAssistantUUID);
	if (!is_assistant(s, caller))
		caller = ingest_find_id(s, f.parentUuid);
	return is_assistant(s, caller)
		       ? started_add(&s->now.started, caller, buf_span(&id))
		       : 0;
}

const struct dialect_subagents claude_subagents = { .folder = "subagents" };
