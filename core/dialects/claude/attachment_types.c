#include "core/dialects/claude/attachment_note.h"

#include "core/json/js.h"

/* -- the types that need more than a format */

static void add_async_hook(struct claude_making *m)
{
	struct json response = claude_note_get(m, "response");
	struct json message = json_get(response, "systemMessage");
	struct json more =
		json_at(response, SPAN("hookSpecificOutput.additionalContext"));
	if (json_has_text(message)) {
		json_decode(&m->text, message);
		claude_note_add(m, CLAUDE_GUARD_HOOK);
	}
	if (!json_has_text(more))
		return;
	if (json_type(claude_note_get(m, "isPlainOutput")) == JSON_TRUE &&
	    json_type(claude_note_get(m, "hookName")) == JSON_STRING)
		claude_note_format(m, m->attachment,
				   "{hookName} hook success: ");
	json_decode(&m->text, more);
	claude_note_add(m, CLAUDE_GUARD_HOOK);
}

static bool has_hook_words(const struct claude_making *m)
{
	struct json response = claude_note_get(m, "response");
	return json_has_text(json_get(response, "systemMessage")) ||
	       json_has_text(json_at(
		       response, SPAN("hookSpecificOutput.additionalContext")));
}

static void add_diagnostic(struct claude_making *m, struct json d)
{
	static const struct row {
		struct span severity;
		const char *mark;
	} marks[] = {
		{ SPAN("Error"), "\u2718" },
		{ SPAN("Warning"), "\u26A0" },
		{ SPAN("Info"), "\u2139" },
		{ SPAN("Hint"), "\u2605" },
	};
	const struct row *row = JSON_ROW(json_get(d, "severity"), marks);
	struct json start = json_at(d, SPAN("range.start"));
	buf_addf(&m->text, "\n  %s [Line ", row ? row->mark : "\u25CF");
	js_add_number(&m->text, json_number(json_get(start, "line")) + 1);
	buf_addc(&m->text, ':');
	js_add_number(&m->text, json_number(json_get(start, "character")) + 1);
	claude_note_format(m, d,
			   "] {message}{?code} [{code}]{}"
			   "{?source} ({source}){}");
}

static bool has_diagnostics(const struct claude_making *m)
{
	struct json files = claude_note_get(m, "files");
	JSON_EACH(file, files) {
		if (json_has_members(json_get(file, "diagnostics")))
			return true;
	}
	return false;
}

static void add_diagnostics(struct claude_making *m)
{
	struct json files = claude_note_get(m, "files");
	struct buf uri BUF_SCOPED = BUF_INTO(&m->text);
	bool any = false;
	JSON_EACH(file, files) {
		struct json diagnostics = json_get(file, "diagnostics");
		if (!json_has_members(diagnostics))
			continue;
		buf_adds(&m->text, any ? "\n\n"
				       : "<new-diagnostics>The following new "
					 "diagnostic issues were "
					 "detected:\n\n");
		any = true;
		buf_clear(&uri);
		json_decode(&uri, json_get(file, "uri"));
		buf_add(&m->text, span_last_part(buf_span(&uri)));
		buf_addc(&m->text, ':');
		JSON_EACH(d, diagnostics)
			add_diagnostic(m, d);
	}
	buf_adds(&m->text, "</new-diagnostics>");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

static bool has_ended(const struct claude_making *m)
{
	return !json_is(claude_note_get(m, "status"), SPAN("running"));
}

static void add_task(struct claude_making *m)
{
	struct json status = claude_note_get(m, "status");
	claude_note_format(
		m, m->attachment,
		json_is(status, SPAN("killed"))
			? "Task \"{&description}\" ({&taskId}) was stopped."
			: "Task {&taskId} (type: {&taskType}) (status: "
			  "{&status}) (description: {&description})"
			  "{?deltaSummary} Delta: {&deltaSummary}{}"
			  "{?outputFilePath} Read the output file to retrieve "
			  "the result: {/outputFilePath}{}");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

/* Without a header, the text has the age that the memory has now. */
static bool have_headers(const struct claude_making *m)
{
	struct json memories = claude_note_get(m, "memories");
	JSON_EACH(memory, memories) {
		if (json_type(json_get(memory, "header")) != JSON_STRING)
			return false;
	}
	return json_has_elements(memories);
}

static void add_memories(struct claude_making *m)
{
	buf_adds(&m->text,
		 "Retrieved for possible relevance \u2014 use only if it "
		 "actually applies to what the user asked.\n\n");
	JSON_EACH(memory, claude_note_get(m, "memories")) {
		claude_note_format(m, memory, "{header}\n\n{content}");
		claude_note_add(m, CLAUDE_GUARD_SLASH);
	}
}

#define SELECTION \
	"{#content}\n\nThis may or may not be related to the current task."

static void add_diff_lines(struct claude_making *m)
{
	bool one = json_number(claude_note_get(m, "lineCount")) == 1;
	claude_note_format(m, m->attachment,
			   "The user selected the following {lineCount} ");
	buf_adds(&m->text, one ? "line" : "lines");
	claude_note_format(m, m->attachment,
			   " from the diff view{?filePath} (in {/filePath}){}:"
			   "\n" SELECTION);
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

static bool has_style(const struct claude_making *m)
{
	return json_has_text(claude_note_get(m, "style"));
}

static void add_output_style(struct claude_making *m)
{
	claude_note_format(m, m->attachment,
			   "{&style} output style is active. ");
	claude_note_format(m, m->attachment,
			   js_is_nullish(claude_note_get(m, "turnReminder"))
				   ? "Remember to follow the specific "
				     "guidelines for this style."
				   : "{turnReminder}");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

/* -- all types */

#define TEXT(of, type, guard, needs, text)                                    \
	{                                                                     \
		SPAN(type), of, CLAUDE_GUARD_##guard, needs, text, NULL, NULL \
	}
#define NOTES(of, type, add, adds)                                       \
	{                                                                \
		SPAN(type), of, CLAUDE_GUARD_NONE, NULL, NULL, add, adds \
	}
/* The agent's long text is not reproduced: it is sent if it was recorded. */
#define RENDERED(of, type) NOTES(of, type, NULL, NULL)

/* Who needs what an attachment says: see claude_attachment_is_agents(). */
enum whose { AGENTS, USERS };

/*
 * A row has a function that adds the notes, or is one text, as
 * claude_note_format() takes it. No text is sent if the member `needs` is not a
 * string or an array, or empty.
 */
static const struct row {
	struct span type;
	enum whose whose;
	enum claude_guard guard;
	const char *needs;
	const char *text;
	void (*add)(struct claude_making *m);
	/* Is there anything to add? add() is called only then. NULL: always. */
	bool (*adds)(const struct claude_making *m);
} types[] = {
	TEXT(AGENTS, "agent_ask_notice", NONE, "lines", "{|lines}"),
	TEXT(AGENTS, "agent_mention", NONE, NULL,
	     "The user has expressed a desire to invoke the agent "
	     "\"{agentType}\". Please invoke the agent appropriately, passing "
	     "in the required context to it. "),
	NOTES(USERS, "async_hook_response", add_async_hook, has_hook_words),
	TEXT(AGENTS, "at_mention_reference", NONE, "mentions",
	     "The user @-mentioned {,/mentions}. File contents are not "
	     "attached automatically in this session: if these are files or "
	     "directories in your working directory, read them with your file "
	     "tools before responding."),
	TEXT(AGENTS, "bash_output_audience_note", NONE, NULL,
	     "Only you see that command's output \u2014 the user's terminal "
	     "shows at most a few lines of it. If the user needs to read any "
	     "of it, put it in your reply."),
	TEXT(AGENTS, "budget_usd", NONE, NULL,
	     "USD budget: ${used}/${total}; ${remaining} remaining"),
	TEXT(AGENTS, "claude_app_notice", NONE, "lines", "{|lines}"),
	TEXT(AGENTS, "compact_file_reference", NONE, NULL,
	     "Note: {/filename} was read before the last conversation was "
	     "summarized, but the contents are too large to include. Use Read "
	     "tool if you need to access it."),
	TEXT(AGENTS, "critical_system_reminder", NONE, "content", "{content}"),
	TEXT(AGENTS, "date", NONE, "date", "Today's date is {date}."),
	TEXT(AGENTS, "date_change", NONE, NULL,
	     "The date has changed. Today's date is now {newDate}. No need to "
	     "announce the new date \u2014 the user's own clock shows it."),
	NOTES(USERS, "diagnostics", add_diagnostics, has_diagnostics),
	NOTES(USERS, "directory", claude_note_directory, NULL),
	NOTES(USERS, "edited_text_file", claude_note_edited, NULL),
	TEXT(AGENTS, "elapsed_time_reminder", NONE, NULL, "{text}"),
	NOTES(USERS, "file", claude_note_file, claude_note_shows_file),
	TEXT(USERS, "hook_additional_context", HOOK, "content",
	     "{hookName} hook additional context: {|content}"),
	TEXT(USERS, "hook_blocking_error", HOOK, NULL,
	     "{hookName} hook blocking error from command: "
	     "\"{blockingError.command}\": {blockingError.blockingError}"),
	TEXT(USERS, "hook_stopped_continuation", HOOK, NULL,
	     "{hookName} hook stopped continuation: {message}"),
	TEXT(USERS, "hook_success", HOOK, "content",
	     "{hookName} hook success: {content}"),
	RENDERED(USERS, "invoked_skills"),
	TEXT(AGENTS, "linked_plugin_tools_note", NONE, "text", "{text}"),
	NOTES(USERS, "mcp_resource", claude_note_resource, NULL),
	TEXT(AGENTS, "nested_memory", SLASH, NULL,
	     "Contents of {content.path}:\n\n{content.content}"),
	TEXT(USERS, "opened_file_in_ide", NONE, NULL,
	     "The user opened the file {/filename} in the IDE. This may or "
	     "may not be related to the current task."),
	NOTES(AGENTS, "output_style", add_output_style, has_style),
	RENDERED(USERS, "pdf_reference"),
	TEXT(USERS, "plan_file_reference", NONE, NULL,
	     "{?planFilePath}A plan file exists from plan mode at: "
	     "{planFilePath}{}{!planFilePath}A plan exists from plan "
	     "mode.{}\n\nPlan contents:\n\n{planContent}\n\nIf this plan is "
	     "relevant to the current work and not already complete, continue "
	     "working on it."),
	TEXT(AGENTS, "plan_mode_exit", NONE, NULL,
	     "## Exited Plan Mode\n\nYou have exited plan mode. You can now "
	     "make edits, run tools, and take actions.{?planExists} The plan "
	     "file is located at {planFilePath} if you need to reference "
	     "it.{}"),
	TEXT(USERS, "plugin_note", NONE, "content",
	     "Note from the {plugin} plugin, not from the user:\n{|content}"),
	TEXT(AGENTS, "prefix_delta", NONE, "text", "{text}"),
	NOTES(USERS, "queued_command", claude_note_queued,
	      claude_note_is_queued),
	TEXT(USERS, "read_truncation_notice", NONE, NULL, "{&banner}"),
	NOTES(AGENTS, "relevant_memories", add_memories, have_headers),
	NOTES(USERS, "selected_lines_in_diff", add_diff_lines, NULL),
	TEXT(USERS, "selected_lines_in_ide", NONE, NULL,
	     "The user selected the lines {lineStart} to {lineEnd} from "
	     "{/filename}:\n" SELECTION),
	TEXT(AGENTS, "silent_turn_reminder", NONE, NULL, "{text}"),
	TEXT(AGENTS, "skill_listing", NONE, "content",
	     "The following skills are available for use with the Skill "
	     "tool:\n\n{content}"),
	NOTES(USERS, "task_status", add_task, has_ended),
	TEXT(AGENTS, "token_usage", NONE, NULL,
	     "Token usage: {used}/{total}; {remaining} remaining"),
	TEXT(AGENTS, "tool_hosts_correction", NONE, "lines", "{|lines}"),
	TEXT(AGENTS, "total_tokens_reminder", NONE, NULL, "{text}"),
	TEXT(AGENTS, "ultra_effort_exit", NONE, NULL,
	     "Ultracode is off \u2014 the Workflow tool's standard opt-in "
	     "rule applies again."),
	TEXT(AGENTS, "ultrathink_effort", NONE, NULL,
	     "The user included the keyword \"ultrathink\", requesting deeper "
	     "reasoning on this turn. Reason as thoroughly as the task "
	     "warrants."),
	TEXT(AGENTS, "workflow_keyword_request", NONE, NULL,
	     "The user included the keyword \"ultracode\", opting this turn "
	     "into multi-agent orchestration \u2014 use the Workflow tool to "
	     "fulfill the request."),
};

bool claude_note_is_sent(const struct claude_making *m)
{
	const struct row *row = JSON_ROW(m->type, types);
	if (!row)
		return false;
	if (row->add)
		return !row->adds || row->adds(m);
	if (!row->text || !row->needs)
		return row->text;
	/* Only what these hooks print is sent. */
	if (json_is(m->type, SPAN("hook_success")) &&
	    !JSON_IS(claude_note_get(m, "hookEvent"), "SessionStart",
		     "UserPromptSubmit", "UserPromptExpansion"))
		return false;
	/* Members that are joined must be arrays, and others strings. */
	struct json v = claude_note_get(m, row->needs);
	bool joined = strstr(row->text, "{|") || strstr(row->text, "{,");
	return joined ? json_has_elements(v) : json_has_text(v);
}

bool claude_attachment_is_agents(struct json line)
{
	const struct row *row =
		JSON_ROW(json_at(line, SPAN("attachment.type")), types);
	return !row || row->whose == AGENTS;
}

void claude_note_by_type(struct claude_making *m)
{
	const struct row *row = JSON_ROW(m->type, types);
	if (!claude_note_is_sent(m))
		return;
	if (row->add) {
		row->add(m);
	} else {
		claude_note_format(m, m->attachment, row->text);
		claude_note_add(m, row->guard);
	}
}
