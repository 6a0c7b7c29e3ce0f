#include "core/dialects/claude/attachment_note.h"

/*
 * The types that are one text, as claude_note_format() takes it. No text is
 * sent if the member `needs` is not a string or an array, or empty.
 */
static const struct text_row {
	struct span type;
	enum claude_guard guard;
	const char *needs;
	const char *text;
} texts[] = {
	{ SPAN("agent_mention"), CLAUDE_GUARD_NONE, NULL,
	  "The user has expressed a desire to invoke the agent "
	  "\"{agentType}\". Please invoke the agent appropriately, passing in "
	  "the required context to it. " },
	{ SPAN("agent_ask_notice"), CLAUDE_GUARD_NONE, "lines", "{|lines}" },
	{ SPAN("at_mention_reference"), CLAUDE_GUARD_NONE, "mentions",
	  "The user @-mentioned {,/mentions}. File contents are not attached "
	  "automatically in this session: if these are files or directories in "
	  "your working directory, read them with your file tools before "
	  "responding." },
	{ SPAN("bash_output_audience_note"), CLAUDE_GUARD_NONE, NULL,
	  "Only you see that command's output \u2014 the user's terminal shows "
	  "at most a few lines of it. If the user needs to read any of it, put "
	  "it in your reply." },
	{ SPAN("budget_usd"), CLAUDE_GUARD_NONE, NULL,
	  "USD budget: ${used}/${total}; ${remaining} remaining" },
	{ SPAN("claude_app_notice"), CLAUDE_GUARD_NONE, "lines", "{|lines}" },
	{ SPAN("compact_file_reference"), CLAUDE_GUARD_NONE, NULL,
	  "Note: {/filename} was read before the last conversation was "
	  "summarized, but the contents are too large to include. Use Read "
	  "tool if you need to access it." },
	{ SPAN("critical_system_reminder"), CLAUDE_GUARD_NONE, "content",
	  "{content}" },
	{ SPAN("date"), CLAUDE_GUARD_NONE, "date", "Today's date is {date}." },
	{ SPAN("date_change"), CLAUDE_GUARD_NONE, NULL,
	  "The date has changed. Today's date is now {newDate}. No need to "
	  "announce the new date \u2014 the user's own clock shows it." },
	{ SPAN("elapsed_time_reminder"), CLAUDE_GUARD_NONE, NULL, "{text}" },
	{ SPAN("hook_additional_context"), CLAUDE_GUARD_HOOK, "content",
	  "{hookName} hook additional context: {|content}" },
	{ SPAN("hook_blocking_error"), CLAUDE_GUARD_HOOK, NULL,
	  "{hookName} hook blocking error from command: "
	  "\"{blockingError.command}\": {blockingError.blockingError}" },
	{ SPAN("hook_stopped_continuation"), CLAUDE_GUARD_HOOK, NULL,
	  "{hookName} hook stopped continuation: {message}" },
	{ SPAN("hook_success"), CLAUDE_GUARD_HOOK, "content",
	  "{hookName} hook success: {content}" },
	{ SPAN("linked_plugin_tools_note"), CLAUDE_GUARD_NONE, "text",
	  "{text}" },
	{ SPAN("nested_memory"), CLAUDE_GUARD_SLASH, NULL,
	  "Contents of {content.path}:\n\n{content.content}" },
	{ SPAN("opened_file_in_ide"), CLAUDE_GUARD_NONE, NULL,
	  "The user opened the file {/filename} in the IDE. This may or may "
	  "not be related to the current task." },
	{ SPAN("plugin_note"), CLAUDE_GUARD_NONE, "content",
	  "Note from the {plugin} plugin, not from the user:\n{|content}" },
	{ SPAN("prefix_delta"), CLAUDE_GUARD_NONE, "text", "{text}" },
	{ SPAN("read_truncation_notice"), CLAUDE_GUARD_NONE, NULL,
	  "{&banner}" },
	{ SPAN("silent_turn_reminder"), CLAUDE_GUARD_NONE, NULL, "{text}" },
	{ SPAN("skill_listing"), CLAUDE_GUARD_NONE, "content",
	  "The following skills are available for use with the Skill "
	  "tool:\n\n{content}" },
	{ SPAN("token_usage"), CLAUDE_GUARD_NONE, NULL,
	  "Token usage: {used}/{total}; {remaining} remaining" },
	{ SPAN("tool_hosts_correction"), CLAUDE_GUARD_NONE, "lines",
	  "{|lines}" },
	{ SPAN("total_tokens_reminder"), CLAUDE_GUARD_NONE, NULL, "{text}" },
	{ SPAN("ultra_effort_exit"), CLAUDE_GUARD_NONE, NULL,
	  "Ultracode is off \u2014 the Workflow tool's standard opt-in rule "
	  "applies again." },
	{ SPAN("ultrathink_effort"), CLAUDE_GUARD_NONE, NULL,
	  "The user included the keyword \"ultrathink\", requesting deeper "
	  "reasoning on this turn. Reason as thoroughly as the task "
	  "warrants." },
	{ SPAN("workflow_keyword_request"), CLAUDE_GUARD_NONE, NULL,
	  "The user included the keyword \"ultracode\", opting this turn into "
	  "multi-agent orchestration \u2014 use the Workflow tool to fulfill "
	  "the request." },
};

/* Only what these hooks print is sent. */
static bool hook_counts(const struct claude_making *m)
{
	struct json event = claude_note_get(m, "hookEvent");
	return !claude_note_is_type(m, SPAN("hook_success")) ||
	       JSON_IS(event, "SessionStart", "UserPromptSubmit",
		       "UserPromptExpansion");
}

/* Members that are joined must be arrays, and others strings. */
static bool has_needed(const struct claude_making *m,
		       const struct text_row *row)
{
	if (!row->needs)
		return true;
	struct json v = claude_note_get(m, row->needs);
	bool joined = strstr(row->text, "{|") || strstr(row->text, "{,");
	return claude_note_is_filled(v) &&
	       (json_type(v) == JSON_ARRAY) == joined;
}

/* The row whose text is sent; NULL: none is. */
static const struct text_row *row_of(const struct claude_making *m)
{
	const struct text_row *row = JSON_ROW(m->type, texts);
	return row && hook_counts(m) && has_needed(m, row) ? row : NULL;
}

bool claude_note_has_text(const struct claude_making *m)
{
	return row_of(m) != NULL;
}

void claude_note_texts(struct claude_making *m)
{
	const struct text_row *row = row_of(m);
	if (!row)
		return;
	claude_note_format(m, row->text);
	claude_note_add(m, row->guard);
}
