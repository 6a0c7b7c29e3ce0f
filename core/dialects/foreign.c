#include "core/dialects/registry.h"

#include <string.h>

#define REMEDY " (sessfs -o dialect=lines shows it line by line)"
#define LOOKS_LIKE(whose) "looks like " whose ": not supported" REMEDY
#define OUTPUT(of) "the output of " of ", not a session" REMEDY
#define OTHER(what) what ", not a session" REMEDY

#define SIGNS 3

/* The members that the signs are about. */
/* clang-format off */
#define MEMBERS(X)                                                            \
	X(sessionId) X(parentUuid) X(uuid) X(type) X(data) X(parentId)        \
	X(projectHash) X(id) X(cwd) X(status) X(protocol_version)             \
	X(protocolVersion) X(messages) X(sessionID) X(working_dir)            \
	X(message_count) X(record_type) X(message) X(thread_id) X(subtype)    \
	X(session_id) X(display) X(pastedContents) X(project) X(ts) X(text)   \
	X(thread_name) X(updated_at)
/* clang-format on */

#define AS_MEMBER(name) MEMBER_##name,
#define AS_NAME(name) #name,

enum member { MEMBERS(AS_MEMBER) N_MEMBERS };

static const char *const names[N_MEMBERS] = { MEMBERS(AS_NAME) };

/* What a member has to be. */
struct sign {
	enum sign_kind { NO_SIGN, IS_THERE, IS_MISSING, IS_TEXT } kind;
	enum member member;
	const char *text; /* before "*": its start */
};

#define HAS(name) ((struct sign){ IS_THERE, MEMBER_##name, NULL })
#define LACKS(name) ((struct sign){ IS_MISSING, MEMBER_##name, NULL })
#define IS(name, text) ((struct sign){ IS_TEXT, MEMBER_##name, text })

/* A line with all signs of a row is that program's. */
static const struct program {
	const char *reason;
	struct sign signs[SIGNS];
} programs[] = {
	{ LOOKS_LIKE("iFlow CLI's"),
	  { IS(sessionId, "session-*"), HAS(parentUuid), HAS(uuid) } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { IS(type, "session.start"), HAS(data), HAS(parentId) } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { IS(type, "user.message"), HAS(data), HAS(parentId) } },
	{ LOOKS_LIKE("Gemini CLI's"), { HAS(sessionId), HAS(projectHash) } },
	{ LOOKS_LIKE("Factory Droid's"),
	  { IS(type, "session_start"), HAS(id), HAS(cwd) } },
	{ LOOKS_LIKE("Cursor's"), { IS(type, "turn_ended"), HAS(status) } },
	{ LOOKS_LIKE("Kimi's"),
	  { IS(type, "metadata"), HAS(protocol_version) } },
	{ LOOKS_LIKE("Kimi's"),
	  { IS(type, "metadata"), HAS(protocolVersion) } },
	{ LOOKS_LIKE("Amp's"), { IS(id, "T-*"), HAS(messages) } },
	{ LOOKS_LIKE("OpenCode's"), { IS(sessionID, "ses_*") } },
	{ LOOKS_LIKE("Goose's"), { HAS(working_dir), HAS(message_count) } },
	{ LOOKS_LIKE("that of a Codex before September 2025"),
	  { IS(record_type, "state") } },
	{ OUTPUT("pi --mode json"), { IS(type, "agent_start"), LACKS(id) } },
	{ OUTPUT("pi --mode json"), { IS(type, "turn_start"), LACKS(id) } },
	{ OUTPUT("pi --mode json"),
	  { IS(type, "message_start"), HAS(message), LACKS(id) } },
	{ OUTPUT("pi --mode json"),
	  { IS(type, "message_end"), HAS(message), LACKS(id) } },
	{ OUTPUT("codex exec --json"),
	  { IS(type, "thread.started"), HAS(thread_id) } },
	{ OUTPUT("an agent's stream-json"),
	  { IS(type, "system"), IS(subtype, "init"), HAS(session_id) } },
	{ OTHER("a history of prompts"),
	  { HAS(display), HAS(pastedContents), HAS(project) } },
	{ OTHER("a history of prompts"),
	  { HAS(session_id), HAS(ts), HAS(text) } },
	{ OTHER("an index of sessions"),
	  { HAS(thread_name), HAS(updated_at), HAS(id) } },
};

#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))

/* Has the value a text, which may end with "*"? */
static bool fits(struct json v, struct span text)
{
	if (text.p[text.n - 1] != '*')
		return json_is(v, text);
	text.n--;
	return json_is_string(v) && v.raw.n > text.n &&
	       memcmp(v.raw.p + 1, text.p, text.n) == 0;
}

static bool has_sign(const struct json values[N_MEMBERS],
		     const struct sign *sign)
{
	struct json v = values[sign->member];
	switch (sign->kind) {
	case IS_THERE:
		return json_type(v) != JSON_ABSENT;
	case IS_MISSING:
		return json_type(v) == JSON_ABSENT;
	case IS_TEXT:
		return fits(v, span_of(sign->text));
	default:
		return true;
	}
}

const char *foreign_reason(struct json line)
{
	struct json values[N_MEMBERS];
	json_get_all(line, N_MEMBERS, names, values);
	for (size_t i = 0; i < PROGRAMS; i++) {
		size_t n = 0;
		while (n < SIGNS && has_sign(values, &programs[i].signs[n]))
			n++;
		if (n == SIGNS)
			return programs[i].reason;
	}
	return NULL;
}
