#include "core/dialects/foreign.h"

#include <string.h>

#define REMEDY " (-o dialect=lines shows it line by line)"
#define LOOKS_LIKE(whose) "looks like " whose ": not supported" REMEDY
#define OUTPUT(of) "the output of " of ", not a session" REMEDY
#define OTHER(what) what ", not a session" REMEDY

#define SIGNS 3

/* The members that signs are of. */
enum member {
	PROVENANCE,
	SESSION_ID,
	SESSION_ID_UPPER,
	SESSION_ID_SNAKE,
	PARENT_UUID,
	SYSTEM_PAYLOAD,
	UUID,
	TYPE,
	DATA,
	PARENT_ID,
	PROJECT_HASH,
	ID,
	CWD,
	STATUS,
	PROTOCOL,
	PROTOCOL_SNAKE,
	MESSAGES,
	WORKING_DIR,
	MESSAGE_COUNT,
	RECORD_TYPE,
	MESSAGE,
	THREAD_ID,
	SUBTYPE,
	DISPLAY,
	PASTED_CONTENTS,
	PROJECT,
	TS,
	TEXT,
	THREAD_NAME,
	UPDATED_AT,
	MEMBERS
};

static const char *const member_names[] = {
	[PROVENANCE] = "provenance",
	[SESSION_ID] = "sessionId",
	[SESSION_ID_UPPER] = "sessionID",
	[SESSION_ID_SNAKE] = "session_id",
	[PARENT_UUID] = "parentUuid",
	[SYSTEM_PAYLOAD] = "systemPayload",
	[UUID] = "uuid",
	[TYPE] = "type",
	[DATA] = "data",
	[PARENT_ID] = "parentId",
	[PROJECT_HASH] = "projectHash",
	[ID] = "id",
	[CWD] = "cwd",
	[STATUS] = "status",
	[PROTOCOL] = "protocolVersion",
	[PROTOCOL_SNAKE] = "protocol_version",
	[MESSAGES] = "messages",
	[WORKING_DIR] = "working_dir",
	[MESSAGE_COUNT] = "message_count",
	[RECORD_TYPE] = "record_type",
	[MESSAGE] = "message",
	[THREAD_ID] = "thread_id",
	[SUBTYPE] = "subtype",
	[DISPLAY] = "display",
	[PASTED_CONTENTS] = "pastedContents",
	[PROJECT] = "project",
	[TS] = "ts",
	[TEXT] = "text",
	[THREAD_NAME] = "thread_name",
	[UPDATED_AT] = "updated_at",
};
_Static_assert(sizeof(member_names) / sizeof(member_names[0]) == MEMBERS,
	       "a name for every member");

/* What a member has to be. */
enum sign_rule {
	SIGN_NONE, /* the row has no more */
	SIGN_PRESENT,
	SIGN_ABSENT,
	SIGN_TEXT, /* this string */
	SIGN_START /* a string that begins with this */
};

struct sign {
	enum member member;
	enum sign_rule rule;
	struct span text;
};

#define HAS(name)                     \
	{                             \
		(name), SIGN_PRESENT, \
		{                     \
			NULL, 0       \
		}                     \
	}
#define LACKS(name)                  \
	{                            \
		(name), SIGN_ABSENT, \
		{                    \
			NULL, 0      \
		}                    \
	}
#define IS(name, value)                        \
	{                                      \
		(name), SIGN_TEXT, SPAN(value) \
	}
#define BEGINS(name, value)                     \
	{                                       \
		(name), SIGN_START, SPAN(value) \
	}

/* A line with all signs of a row is that program's. */
static const struct program {
	const char *reason;
	struct sign signs[SIGNS];
} programs[] = {
	{ LOOKS_LIKE("Qwen Code's"),
	  { HAS(PROVENANCE), HAS(SESSION_ID), HAS(PARENT_UUID) } },
	{ LOOKS_LIKE("Qwen Code's"),
	  { HAS(SYSTEM_PAYLOAD), HAS(SESSION_ID), HAS(PARENT_UUID) } },
	{ LOOKS_LIKE("iFlow CLI's"),
	  { BEGINS(SESSION_ID, "session-"), HAS(PARENT_UUID), HAS(UUID) } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { IS(TYPE, "session.start"), HAS(DATA), HAS(PARENT_ID) } },
	{ LOOKS_LIKE("Copilot CLI's"),
	  { IS(TYPE, "user.message"), HAS(DATA), HAS(PARENT_ID) } },
	{ LOOKS_LIKE("Gemini CLI's"), { HAS(SESSION_ID), HAS(PROJECT_HASH) } },
	{ LOOKS_LIKE("Factory Droid's"),
	  { IS(TYPE, "session_start"), HAS(ID), HAS(CWD) } },
	{ LOOKS_LIKE("Cursor's"), { IS(TYPE, "turn_ended"), HAS(STATUS) } },
	{ LOOKS_LIKE("Kimi's"), { IS(TYPE, "metadata"), HAS(PROTOCOL_SNAKE) } },
	{ LOOKS_LIKE("Kimi's"), { IS(TYPE, "metadata"), HAS(PROTOCOL) } },
	{ LOOKS_LIKE("Amp's"), { BEGINS(ID, "T-"), HAS(MESSAGES) } },
	{ LOOKS_LIKE("OpenCode's"), { BEGINS(SESSION_ID_UPPER, "ses_") } },
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

static bool begins(struct json v, struct span start)
{
	return json_type(v) == JSON_STRING && v.raw.n > start.n &&
	       memcmp(v.raw.p + 1, start.p, start.n) == 0;
}

static bool has(const struct json f[MEMBERS], const struct sign *s)
{
	struct json v = f[s->member];
	switch (s->rule) {
	case SIGN_PRESENT:
		return json_type(v) != JSON_ABSENT;
	case SIGN_ABSENT:
		return json_type(v) == JSON_ABSENT;
	case SIGN_TEXT:
		return json_is(v, s->text);
	case SIGN_START:
		return begins(v, s->text);
	default:
		return true;
	}
}

const char *foreign_reason(struct json line)
{
	struct json f[MEMBERS];
	json_get_all(line, MEMBERS, member_names, f);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		const struct program *p = &programs[i];
		bool all = true;
		for (size_t n = 0; n < SIGNS && all; n++)
			all = has(f, &p->signs[n]);
		if (all)
			return p->reason;
	}
	return NULL;
}
