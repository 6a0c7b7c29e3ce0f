#include "core/dialects/registry.h"

#include <string.h>

#define REMEDY " (-o dialect=lines shows it line by line)"
#define LOOKS_LIKE(whose) "looks like " whose ": not supported" REMEDY
#define OUTPUT(of) "the output of " of ", not a session" REMEDY
#define OTHER(what) what ", not a session" REMEDY

#define SIGNS 3

/*
 * A line with all signs of a row is that program's. A sign is a member that the
 * line has, with "=" and a string that is its value (before "*": its start), or
 * after "!" one that it lacks.
 */
static const struct program {
	const char *reason;
	const char *signs[SIGNS];
} programs[] = {
	{ LOOKS_LIKE("Qwen Code's"),
	  { "provenance", "sessionId", "parentUuid" } },
	{ LOOKS_LIKE("Qwen Code's"),
	  { "systemPayload", "sessionId", "parentUuid" } },
	{ LOOKS_LIKE("iFlow CLI's"),
	  { "sessionId=session-*", "parentUuid", "uuid" } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { "type=session.start", "data", "parentId" } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { "type=user.message", "data", "parentId" } },
	{ LOOKS_LIKE("Gemini CLI's"), { "sessionId", "projectHash" } },
	{ LOOKS_LIKE("Factory Droid's"),
	  { "type=session_start", "id", "cwd" } },
	{ LOOKS_LIKE("Cursor's"), { "type=turn_ended", "status" } },
	{ LOOKS_LIKE("Kimi's"), { "type=metadata", "protocol_version" } },
	{ LOOKS_LIKE("Kimi's"), { "type=metadata", "protocolVersion" } },
	{ LOOKS_LIKE("Amp's"), { "id=T-*", "messages" } },
	{ LOOKS_LIKE("OpenCode's"), { "sessionID=ses_*" } },
	{ LOOKS_LIKE("Goose's"), { "working_dir", "message_count" } },
	{ LOOKS_LIKE("that of a Codex before September 2025"),
	  { "record_type=state" } },
	{ OUTPUT("pi --mode json"), { "type=agent_start", "!id" } },
	{ OUTPUT("pi --mode json"), { "type=turn_start", "!id" } },
	{ OUTPUT("pi --mode json"),
	  { "type=message_start", "message", "!id" } },
	{ OUTPUT("pi --mode json"), { "type=message_end", "message", "!id" } },
	{ OUTPUT("codex exec --json"), { "type=thread.started", "thread_id" } },
	{ OUTPUT("an agent's stream-json"),
	  { "type=system", "subtype=init", "session_id" } },
	{ OTHER("a history of prompts"),
	  { "display", "pastedContents", "project" } },
	{ OTHER("a history of prompts"), { "session_id", "ts", "text" } },
	{ OTHER("an index of sessions"),
	  { "thread_name", "updated_at", "id" } },
};

#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

/* Has the value a text, which may end with "*"? */
static bool fits(struct json v, struct span text)
{
	if (text.p[text.n - 1] != '*')
		return json_is(v, text);
	text.n--;
	return json_type(v) == JSON_STRING && v.raw.n > text.n &&
	       memcmp(v.raw.p + 1, text.p, text.n) == 0;
}

/* Is a sign there, if it is about this member? */
static void look(const char *sign, struct json key, struct json value, bool *is)
{
	/* Few can be: keys are compared by their first letters first. */
	char first = sign[*sign == '!'];
	if (key.raw.p[1] != first && key.raw.p[1] != '\\')
		return;
	struct span text = span_of(sign);
	struct span name = span_next(&text, '=');
	if (*sign == '!' && json_is(key, span_of(sign + 1)))
		*is = false;
	else if (json_is(key, name))
		*is = text.n == 0 || fits(value, text);
}

const char *foreign_reason(struct json line)
{
	bool is[PROGRAMS][SIGNS];
	struct json_walk w = json_walk(line);
	struct json key;
	struct json value;
	for (size_t i = 0; i < PROGRAMS; i++) {
		for (size_t n = 0; n < SIGNS; n++) {
			const char *sign = programs[i].signs[n];
			is[i][n] = !sign || *sign == '!';
		}
	}
	while (json_type(line) == JSON_OBJECT &&
	       json_next_member(&w, &key, &value)) {
		for (size_t i = 0; i < PROGRAMS; i++) {
			for (size_t n = 0; n < SIGNS; n++) {
				if (programs[i].signs[n])
					look(programs[i].signs[n], key, value,
					     &is[i][n]);
			}
		}
	}
	for (size_t i = 0; i < PROGRAMS; i++) {
		if (is[i][0] && is[i][1] && is[i][2])
			return programs[i].reason;
	}
	return NULL;
}
