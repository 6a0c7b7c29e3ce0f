#include "core/dialects/registry.h"

#include <string.h>

#define REMEDY " (-o dialect=lines shows it line by line)"
#define LOOKS_LIKE(whose) "looks like " whose ": not supported" REMEDY
#define OUTPUT(of) "the output of " of ", not a session" REMEDY
#define OTHER(what) what ", not a session" REMEDY

#define SIGNS 3

/* The members that the signs are about. */
enum member {
	SESSION_ID,
	PARENT_UUID,
	UUID,
	TYPE,
	DATA,
	PARENT_ID,
	PROJECT_HASH,
	ID,
	CWD,
	STATUS,
	PROTOCOL_VERSION_SNAKE,
	PROTOCOL_VERSION,
	MESSAGES,
	SESSION_ID_CAPITAL,
	WORKING_DIR,
	MESSAGE_COUNT,
	RECORD_TYPE,
	MESSAGE,
	THREAD_ID,
	SUBTYPE,
	SESSION_ID_SNAKE,
	DISPLAY,
	PASTED_CONTENTS,
	PROJECT,
	TS,
	TEXT,
	THREAD_NAME,
	UPDATED_AT,
	MEMBERS
};

static const char *const names[MEMBERS] = {
	[SESSION_ID] = "sessionId",
	[PARENT_UUID] = "parentUuid",
	[UUID] = "uuid",
	[TYPE] = "type",
	[DATA] = "data",
	[PARENT_ID] = "parentId",
	[PROJECT_HASH] = "projectHash",
	[ID] = "id",
	[CWD] = "cwd",
	[STATUS] = "status",
	[PROTOCOL_VERSION_SNAKE] = "protocol_version",
	[PROTOCOL_VERSION] = "protocolVersion",
	[MESSAGES] = "messages",
	[SESSION_ID_CAPITAL] = "sessionID",
	[WORKING_DIR] = "working_dir",
	[MESSAGE_COUNT] = "message_count",
	[RECORD_TYPE] = "record_type",
	[MESSAGE] = "message",
	[THREAD_ID] = "thread_id",
	[SUBTYPE] = "subtype",
	[SESSION_ID_SNAKE] = "session_id",
	[DISPLAY] = "display",
	[PASTED_CONTENTS] = "pastedContents",
	[PROJECT] = "project",
	[TS] = "ts",
	[TEXT] = "text",
	[THREAD_NAME] = "thread_name",
	[UPDATED_AT] = "updated_at",
};

/* What a member has to be. */
struct sign {
	enum sign_kind { NO_SIGN, IS_THERE, IS_MISSING, IS_TEXT } kind;
	enum member member;
	struct span text; /* before "*": its start */
};

#define HAS(m)                  \
	{                       \
		IS_THERE, m,    \
		{               \
			NULL, 0 \
		}               \
	}
#define LACKS(m)                \
	{                       \
		IS_MISSING, m,  \
		{               \
			NULL, 0 \
		}               \
	}
#define IS(m, text)                    \
	{                              \
		IS_TEXT, m, SPAN(text) \
	}

/* A line with all signs of a row is that program's. */
static const struct program {
	const char *reason;
	struct sign signs[SIGNS];
} programs[] = {
	{ LOOKS_LIKE("iFlow CLI's"),
	  { IS(SESSION_ID, "session-*"), HAS(PARENT_UUID), HAS(UUID) } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { IS(TYPE, "session.start"), HAS(DATA), HAS(PARENT_ID) } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { IS(TYPE, "user.message"), HAS(DATA), HAS(PARENT_ID) } },
	{ LOOKS_LIKE("Gemini CLI's"), { HAS(SESSION_ID), HAS(PROJECT_HASH) } },
	{ LOOKS_LIKE("Factory Droid's"),
	  { IS(TYPE, "session_start"), HAS(ID), HAS(CWD) } },
	{ LOOKS_LIKE("Cursor's"), { IS(TYPE, "turn_ended"), HAS(STATUS) } },
	{ LOOKS_LIKE("Kimi's"),
	  { IS(TYPE, "metadata"), HAS(PROTOCOL_VERSION_SNAKE) } },
	{ LOOKS_LIKE("Kimi's"),
	  { IS(TYPE, "metadata"), HAS(PROTOCOL_VERSION) } },
	{ LOOKS_LIKE("Amp's"), { IS(ID, "T-*"), HAS(MESSAGES) } },
	{ LOOKS_LIKE("OpenCode's"), { IS(SESSION_ID_CAPITAL, "ses_*") } },
	{ LOOKS_LIKE("Goose's"), { HAS(WORKING_DIR), HAS(MESSAGE_COUNT) } },
	{ LOOKS_LIKE("that of a Codex before September 2025"),
	  { IS(RECORD_TYPE, "state") } },
	{ OUTPUT("pi --mode json"), { IS(TYPE, "agent_start"), LACKS(ID) } },
	{ OUTPUT("pi --mode json"), { IS(TYPE, "turn_start"), LACKS(ID) } },
	{ OUTPUT("pi --mode json"),
	  { IS(TYPE, "message_start"), HAS(MESSAGE), LACKS(ID) } },
	{ OUTPUT("pi --mode json"),
	  { IS(TYPE, "message_end"), HAS(MESSAGE), LACKS(ID) } },
	{ OUTPUT("codex exec --json"),
	  { IS(TYPE, "thread.started"), HAS(THREAD_ID) } },
	{ OUTPUT("an agent's stream-json"),
	  { IS(TYPE, "system"), IS(SUBTYPE, "init"), HAS(SESSION_ID_SNAKE) } },
	{ OTHER("a history of prompts"),
	  { HAS(DISPLAY), HAS(PASTED_CONTENTS), HAS(PROJECT) } },
	{ OTHER("a history of prompts"),
	  { HAS(SESSION_ID_SNAKE), HAS(TS), HAS(TEXT) } },
	{ OTHER("an index of sessions"),
	  { HAS(THREAD_NAME), HAS(UPDATED_AT), HAS(ID) } },
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

static bool has_sign(const struct json values[MEMBERS], const struct sign *sign)
{
	struct json v = values[sign->member];
	switch (sign->kind) {
	case IS_THERE:
		return json_type(v) != JSON_ABSENT;
	case IS_MISSING:
		return json_type(v) == JSON_ABSENT;
	case IS_TEXT:
		return fits(v, sign->text);
	default:
		return true;
	}
}

const char *foreign_reason(struct json line)
{
	struct json values[MEMBERS];
	json_get_all(line, MEMBERS, names, values);
	for (size_t i = 0; i < PROGRAMS; i++) {
		size_t n = 0;
		while (n < SIGNS && has_sign(values, &programs[i].signs[n]))
			n++;
		if (n == SIGNS)
			return programs[i].reason;
	}
	return NULL;
}
