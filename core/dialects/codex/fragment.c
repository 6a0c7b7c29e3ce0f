/*
 * What the agent itself puts into a conversation as a message of the user or
 * the developer: its surroundings, instructions, notices. 0.171.0 knows these
 * messages by how their texts begin and end. They are no turns of the user.
 *
 * With each new version of the agent the lists are compared with the texts in
 * its program and its source (core/src/event_mapping.rs and core/src/context,
 * and the copy in thread-store that migrates rollouts). Whether a text is such
 * a message is tried with the agent itself: a rollback of the turn after it
 * takes the text back as well.
 */
#include "core/dialects/codex/codex.h"

#include <ctype.h>

#include "core/base/text.h"

/* What a fragment tells. */
enum fragment_kind {
	FRAGMENT_NONE,	/* it is none */
	FRAGMENT_NOTE,	/* what any agent says itself: where it runs, how it is
			   used, warnings */
	FRAGMENT_GIVEN, /* what the model is to work with */
	FRAGMENT_SAID,	/* what a person or another agent did */
};

#define TAGGED(name) SPAN("<" name ">"), SPAN("</" name ">")

/*
 * A text is such a fragment if it begins and ends so, in any case or exactly.
 */
static const struct mark {
	struct span start;
	struct span end;
	bool exact;
	enum fragment_kind kind;
} user_marks[] = {
	{ SPAN("# AGENTS.md instructions"), SPAN("</INSTRUCTIONS>"), false,
	  FRAGMENT_NOTE },
	{ TAGGED("environment_context"), false, FRAGMENT_NOTE },
	{ TAGGED("skill"), false, FRAGMENT_GIVEN },
	{ TAGGED("user_shell_command"), false, FRAGMENT_SAID },
	{ TAGGED("turn_aborted"), false, FRAGMENT_SAID },
	{ TAGGED("subagent_notification"), false, FRAGMENT_SAID },
	{ TAGGED("recommended_plugins"), false, FRAGMENT_NOTE },
	{ TAGGED("agent_message_board_notification"), false, FRAGMENT_SAID },
	{ TAGGED("goal_context"), true, FRAGMENT_GIVEN },
	{ SPAN("Warning: The maximum number of unified exec processes you can "
	       "keep open is"),
	  SPAN(""), true, FRAGMENT_NOTE },
	{ SPAN("Warning: apply_patch was requested via "),
	  SPAN("Use the apply_patch tool instead of exec_command."), true,
	  FRAGMENT_NOTE },
	{ SPAN("Warning: Your account was flagged for potentially high-risk "
	       "cyber activity"),
	  SPAN(""), true, FRAGMENT_NOTE },
};

/* In any case. */
static const struct span developer_starts[] = {
	SPAN("<permissions instructions>"),
	SPAN("Approved command prefix saved:"),
	SPAN("<model_switch>"),
	SPAN("<managed_developer_instructions>"),
	SPAN("<persistent_mode>"),
	SPAN("<apps_instructions>"),
	SPAN("<catalog_apps_instructions>"),
	SPAN("<plugins_instructions>"),
	SPAN("<collaboration_mode>"),
	SPAN("<multi_agent_role>"),
	SPAN("<multi_agent_mode>"),
	SPAN("<environments_instructions>"),
	SPAN("<git_attribution>"),
	SPAN("<realtime_conversation>"),
	SPAN("<skills_instructions>"),
	SPAN("<tools>"),
	SPAN("<personality_spec>"),
	SPAN("<token_budget>"),
	SPAN("<context_window>"),
	SPAN("<context_window_guidance>"),
	SPAN("<rollout_budget>"),
};

static bool ends(struct span text, struct span with)
{
	return text.n >= with.n &&
	       span_eq_any_case(
		       (struct span){ text.p + text.n - with.n, with.n }, with);
}

/* <external_NAME>…</external_NAME> */
static bool is_external(struct span text)
{
	static const struct span start = SPAN("<external_");
	if (!span_starts(text, start))
		return false;
	const char *close = memchr(text.p, '>', text.n);
	struct span name = { text.p + 1, 0 };
	if (!close)
		return false;
	name.n = (size_t)(close - name.p) + 1;
	return text.n >= 2 * name.n + 3 && span_ends(text, name) &&
	       span_starts((struct span){ text.p + text.n - name.n - 2, 2 },
			   SPAN("</"));
}

/* <codex_internal_context source="NAME">…</codex_internal_context> */
static bool is_internal(struct span text)
{
	static const struct span start =
		SPAN("<codex_internal_context source=\"");
	static const struct span end = SPAN("</codex_internal_context>");
	size_t i = start.n;
	if (!span_starts(text, start) || !span_ends(text, end))
		return false;
	while (i < text.n &&
	       (islower((unsigned char)text.p[i]) ||
		(i > start.n &&
		 (isdigit((unsigned char)text.p[i]) || text.p[i] == '_'))))
		i++;
	return i > start.n && i + 2 + end.n <= text.n && text.p[i] == '"' &&
	       text.p[i + 1] == '>';
}

/* <hook_prompt hook_run_id="ID">…</hook_prompt> */
static bool is_hook_prompt(struct span text)
{
	static const struct span start = SPAN("<hook_prompt ");
	static const struct span id = SPAN("hook_run_id=\"");
	if (!span_starts(text, start) || !ends(text, SPAN("</hook_prompt>")))
		return false;
	const char *at = memmem(text.p, text.n, id.p, id.n);
	return at && at[id.n] != '"';
}

static enum fragment_kind kind_of(struct span text)
{
	text = text_trim(text);
	for (size_t i = 0; i < sizeof(user_marks) / sizeof(user_marks[0]);
	     i++) {
		const struct mark *m = &user_marks[i];
		if (m->exact ? span_starts(text, m->start) &&
				       span_ends(text, m->end)
			     : span_starts_any_case(text, m->start) &&
				       ends(text, m->end))
			return m->kind;
	}
	return is_external(text) || is_internal(text) || is_hook_prompt(text)
		       ? FRAGMENT_GIVEN
		       : FRAGMENT_NONE;
}

static bool is_users_fragment(struct span text)
{
	return kind_of(text) != FRAGMENT_NONE;
}

bool codex_is_note(struct span text)
{
	return kind_of(text) == FRAGMENT_NOTE;
}

static bool is_said(struct span text)
{
	enum fragment_kind kind = kind_of(text);
	return kind == FRAGMENT_NONE || kind == FRAGMENT_SAID;
}

static bool is_developers_fragment(struct span text)
{
	text = text_trim(text);
	for (size_t i = 0;
	     i < sizeof(developer_starts) / sizeof(developer_starts[0]); i++) {
		if (span_starts_any_case(text, developer_starts[i]))
			return true;
	}
	return false;
}

/* Has an input text of a message of that role this property? */
static bool any_text(struct json item, struct span role,
		     bool (*is)(struct span text))
{
	struct buf text BUF_SCOPED = { 0 };
	bool any = false;
	JSON_FIELDS(f, item, type, role, content);
	if (!json_is(f.type, SPAN("message")) || !json_is(f.role, role))
		return false;
	JSON_EACH_WHILE(!any, part, f.content) {
		JSON_FIELDS(m, part, type, text);
		buf_reset(&text);
		if (json_is(m.type, SPAN("input_text")))
			json_decode(&text, m.text);
		any = is(buf_span(&text));
	}
	return any;
}

bool codex_is_users_context(struct json item)
{
	return any_text(item, SPAN("user"), is_users_fragment);
}

bool codex_is_users_own(struct json item)
{
	struct json content = json_get(item, "content");
	bool empty = !json_has_members(content);
	return empty || any_text(item, SPAN("user"), is_said);
}

bool codex_is_developers_context(struct json item)
{
	return any_text(item, SPAN("developer"), is_developers_fragment);
}

bool codex_begins_turn(struct json item)
{
	JSON_FIELDS(f, item, type, role);
	if (json_is(f.type, SPAN("agent_message")))
		return true;
	return json_is(f.type, SPAN("message")) &&
	       json_is(f.role, SPAN("user")) && !codex_is_users_context(item);
}
