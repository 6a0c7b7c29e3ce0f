#include "core/dialects/claude/attachment_note.h"

#include "core/json/js.h"

/* --- the types that need more than a format --- */

static void add_async_hook(struct claude_making *m)
{
	struct json message =
		json_at(m->attachment, SPAN("response.systemMessage"));
	struct json more =
		json_at(m->attachment,
			SPAN("response.hookSpecificOutput.additionalContext"));
	if (claude_note_is_string(message)) {
		json_decode(&m->text, message);
		claude_note_add(m, CLAUDE_GUARD_HOOK);
	}
	if (!claude_note_is_string(more))
		return;
	if (json_type(claude_note_get(m, "isPlainOutput")) == JSON_TRUE &&
	    json_type(claude_note_get(m, "hookName")) == JSON_STRING)
		claude_note_format(m, m->attachment,
				   "{hookName} hook success: ");
	json_decode(&m->text, more);
	claude_note_add(m, CLAUDE_GUARD_HOOK);
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
	buf_addf(&m->text, "\n  %s [Line ", row ? row->mark : "\u2022");
	js_add_number(&m->text, json_number(json_get(start, "line")) + 1);
	buf_addc(&m->text, ':');
	js_add_number(&m->text, json_number(json_get(start, "character")) + 1);
	claude_note_format(m, d,
			   "] {message}{?code} [{code}]{}"
			   "{?source} ({source}){}");
}

static void add_diagnostics(struct claude_making *m)
{
	struct json files = claude_note_get(m, "files");
	struct json_walk w = json_walk(files);
	struct json file;
	struct json d;
	struct buf uri = { 0 };
	bool any = false;
	while (json_type(files) == JSON_ARRAY && json_next_element(&w, &file)) {
		struct json diagnostics = json_get(file, "diagnostics");
		struct json_walk each = json_walk(diagnostics);
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
		while (json_next_element(&each, &d))
			add_diagnostic(m, d);
	}
	buf_free_into(&uri, &m->text);
	if (!any)
		return;
	buf_adds(&m->text, "</new-diagnostics>");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

static void add_task(struct claude_making *m)
{
	struct json status = claude_note_get(m, "status");
	if (json_is(status, SPAN("running")))
		return;
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
static bool have_headers(struct json memories)
{
	struct json_walk w = json_walk(memories);
	struct json memory;
	while (json_next_element(&w, &memory)) {
		if (json_type(json_get(memory, "header")) != JSON_STRING)
			return false;
	}
	return json_type(memories) == JSON_ARRAY;
}

static void add_memories(struct claude_making *m)
{
	struct json memories = claude_note_get(m, "memories");
	struct json_walk w = json_walk(memories);
	struct json memory;
	if (!have_headers(memories))
		return;
	for (bool first = true; json_next_element(&w, &memory); first = false) {
		if (first)
			buf_adds(&m->text,
				 "Retrieved for possible relevance \u2014 use "
				 "only if it actually applies to what the user "
				 "asked.\n\n");
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

static void add_output_style(struct claude_making *m)
{
	if (!claude_note_is_string(claude_note_get(m, "style")))
		return;
	claude_note_format(m, m->attachment,
			   "{&style} output style is active. ");
	claude_note_format(m, m->attachment,
			   js_is_nullish(claude_note_get(m, "turnReminder"))
				   ? "Remember to follow the specific "
				     "guidelines for this style."
				   : "{turnReminder}");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

static bool always(const struct claude_making *m)
{
	(void)m;
	return true;
}

/* --- all types --- */

/*
 * A row has a function that adds the notes, or is one text, as
 * claude_note_format() takes it. No text is sent if the member `needs` is not a
 * string or an array, or empty.
 */
static const struct row {
	struct span type;
	enum claude_guard guard;
	const char *needs;
	const char *text;
	void (*add)(struct claude_making *m);
	/* Does add() make a note? NULL: it has to be tried, and the text is
	   short. */
	bool (*adds)(const struct claude_making *m);
} types[] = {
	{ SPAN("agent_ask_notice"), .needs = "lines", .text = "{|lines}" },
	{ SPAN("agent_mention"),
	  .text = "The user has expressed a desire to invoke the agent "
		  "\"{agentType}\". Please invoke the agent appropriately, "
		  "passing in "
		  "the required context to it. " },
	{ SPAN("async_hook_response"), .add = add_async_hook },
	{ SPAN("at_mention_reference"), .needs = "mentions",
	  .text = "The user @-mentioned {,/mentions}. File contents are not "
		  "attached "
		  "automatically in this session: if these are files or "
		  "directories in "
		  "your working directory, read them with your file tools "
		  "before "
		  "responding." },
	{ SPAN("bash_output_audience_note"),
	  .text = "Only you see that command's output \u2014 the user's "
		  "terminal shows "
		  "at most a few lines of it. If the user needs to read any of "
		  "it, put "
		  "it in your reply." },
	{ SPAN("budget_usd"),
	  .text = "USD budget: ${used}/${total}; ${remaining} remaining" },
	{ SPAN("claude_app_notice"), .needs = "lines", .text = "{|lines}" },
	{ SPAN("compact_file_reference"),
	  .text = "Note: {/filename} was read before the last conversation was "
		  "summarized, but the contents are too large to include. Use "
		  "Read "
		  "tool if you need to access it." },
	{ SPAN("critical_system_reminder"), .needs = "content",
	  .text = "{content}" },
	{ SPAN("date"), .needs = "date", .text = "Today's date is {date}." },
	{ SPAN("date_change"), .text = "The date has changed. Today's date is "
				       "now {newDate}. No need to "
				       "announce the new date \u2014 the "
				       "user's own clock shows it." },
	{ SPAN("diagnostics"), .add = add_diagnostics },
	{ SPAN("directory"), .add = claude_note_directory, .adds = always },
	{ SPAN("edited_text_file"), .add = claude_note_edited, .adds = always },
	{ SPAN("elapsed_time_reminder"), .text = "{text}" },
	{ SPAN("file"), .add = claude_note_file,
	  .adds = claude_note_shows_file },
	{ SPAN("hook_additional_context"), .guard = CLAUDE_GUARD_HOOK,
	  .needs = "content",
	  .text = "{hookName} hook additional context: {|content}" },
	{ SPAN("hook_blocking_error"), .guard = CLAUDE_GUARD_HOOK,
	  .text = "{hookName} hook blocking error from command: "
		  "\"{blockingError.command}\": "
		  "{blockingError.blockingError}" },
	{ SPAN("hook_stopped_continuation"), .guard = CLAUDE_GUARD_HOOK,
	  .text = "{hookName} hook stopped continuation: {message}" },
	{ SPAN("hook_success"), .guard = CLAUDE_GUARD_HOOK, .needs = "content",
	  .text = "{hookName} hook success: {content}" },
	{ SPAN("linked_plugin_tools_note"), .needs = "text", .text = "{text}" },
	{ SPAN("mcp_resource"), .add = claude_note_resource, .adds = always },
	{ SPAN("nested_memory"), .guard = CLAUDE_GUARD_SLASH,
	  .text = "Contents of {content.path}:\n\n{content.content}" },
	{ SPAN("opened_file_in_ide"),
	  .text = "The user opened the file {/filename} in the IDE. This may "
		  "or may "
		  "not be related to the current task." },
	{ SPAN("output_style"), .add = add_output_style },
	{ SPAN("plan_file_reference"),
	  .text = "{?planFilePath}A plan file exists from plan mode at: "
		  "{planFilePath}{}{!planFilePath}A plan exists from plan "
		  "mode.{}"
		  "\n\nPlan contents:\n\n{planContent}\n\nIf this plan is "
		  "relevant to "
		  "the current work and not already complete, continue working "
		  "on "
		  "it." },
	{ SPAN("plan_mode_exit"),
	  .text = "## Exited Plan Mode\n\nYou have exited plan mode. You can "
		  "now make "
		  "edits, run tools, and take actions.{?planExists} The plan "
		  "file is "
		  "located at {planFilePath} if you need to reference it.{}" },
	{ SPAN("plugin_note"), .needs = "content",
	  .text = "Note from the {plugin} plugin, not from the "
		  "user:\n{|content}" },
	{ SPAN("prefix_delta"), .needs = "text", .text = "{text}" },
	{ SPAN("queued_command"), .add = claude_note_queued },
	{ SPAN("read_truncation_notice"), .text = "{&banner}" },
	{ SPAN("relevant_memories"), .add = add_memories },
	{ SPAN("selected_lines_in_diff"), .add = add_diff_lines },
	{ SPAN("selected_lines_in_ide"),
	  .text = "The user selected the lines {lineStart} to {lineEnd} from "
		  "{/filename}:\n" SELECTION },
	{ SPAN("silent_turn_reminder"), .text = "{text}" },
	{ SPAN("skill_listing"), .needs = "content",
	  .text = "The following skills are available for use with the Skill "
		  "tool:\n\n{content}" },
	{ SPAN("task_status"), .add = add_task },
	{ SPAN("token_usage"),
	  .text = "Token usage: {used}/{total}; {remaining} remaining" },
	{ SPAN("tool_hosts_correction"), .needs = "lines", .text = "{|lines}" },
	{ SPAN("total_tokens_reminder"), .text = "{text}" },
	{ SPAN("ultra_effort_exit"),
	  .text = "Ultracode is off \u2014 the Workflow tool's standard opt-in "
		  "rule "
		  "applies again." },
	{ SPAN("ultrathink_effort"),
	  .text = "The user included the keyword \"ultrathink\", requesting "
		  "deeper "
		  "reasoning on this turn. Reason as thoroughly as the task "
		  "warrants." },
	{ SPAN("workflow_keyword_request"),
	  .text = "The user included the keyword \"ultracode\", opting this "
		  "turn into "
		  "multi-agent orchestration \u2014 use the Workflow tool to "
		  "fulfill "
		  "the request." },
};

/* Only what these hooks print is sent. */
static bool hook_counts(const struct claude_making *m)
{
	struct json event = claude_note_get(m, "hookEvent");
	return !json_is(m->type, SPAN("hook_success")) ||
	       JSON_IS(event, "SessionStart", "UserPromptSubmit",
		       "UserPromptExpansion");
}

/* Members that are joined must be arrays, and others strings. */
static bool has_text(const struct claude_making *m, const struct row *row)
{
	if (!row->needs)
		return true;
	struct json v = claude_note_get(m, row->needs);
	bool joined = strstr(row->text, "{|") || strstr(row->text, "{,");
	return hook_counts(m) &&
	       (joined ? json_type(v) == JSON_ARRAY && json_has_members(v)
		       : claude_note_is_string(v));
}

void claude_note_by_type(struct claude_making *m)
{
	const struct row *row = JSON_ROW(m->type, types);
	if (row && row->add) {
		row->add(m);
	} else if (row && has_text(m, row)) {
		claude_note_format(m, m->attachment, row->text);
		claude_note_add(m, row->guard);
	}
}

bool claude_note_is_sent(const struct claude_making *m, bool *tried)
{
	const struct row *row = JSON_ROW(m->type, types);
	*tried = row && row->add && !row->adds;
	if (!row || *tried)
		return false;
	return row->add ? row->adds(m) : has_text(m, row);
}
