#include "core/dialects/claude/attachment_note.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/js.h"

/* The UTF-16 units of a selection that are sent. */
#define SELECTION_UNITS 2000

void claude_note_async_hook(struct claude_making *m)
{
	struct json response = claude_note_get(m, "response");
	struct json more =
		json_at(response, SPAN("hookSpecificOutput.additionalContext"));
	struct json message = json_get(response, "systemMessage");
	if (json_type(message) == JSON_STRING &&
	    claude_note_is_filled(message)) {
		json_decode(&m->text, message);
		claude_note_add(m, CLAUDE_GUARD_HOOK);
	}
	if (json_type(more) != JSON_STRING || !claude_note_is_filled(more))
		return;
	if (json_type(claude_note_get(m, "isPlainOutput")) == JSON_TRUE &&
	    json_type(claude_note_get(m, "hookName")) == JSON_STRING)
		claude_note_format(m, "{hookName} hook success: ");
	json_decode(&m->text, more);
	claude_note_add(m, CLAUDE_GUARD_HOOK);
}

static const char *severity_mark(struct json severity)
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
	const struct row *row = JSON_ROW(severity, marks);
	return row ? row->mark : "\u2022";
}

static void add_diagnostic(struct buf *out, struct json d)
{
	struct json start = json_at(d, SPAN("range.start"));
	struct json code = json_get(d, "code");
	struct json source = json_get(d, "source");
	buf_adds(out, "\n  ");
	buf_adds(out, severity_mark(json_get(d, "severity")));
	buf_adds(out, " [Line ");
	js_add_number(out, json_number(json_get(start, "line")) + 1);
	buf_addc(out, ':');
	js_add_number(out, json_number(json_get(start, "character")) + 1);
	buf_adds(out, "] ");
	js_to_string(out, json_get(d, "message"));
	if (json_truthy(code)) {
		buf_adds(out, " [");
		js_to_string(out, code);
		buf_addc(out, ']');
	}
	if (json_truthy(source)) {
		buf_adds(out, " (");
		js_to_string(out, source);
		buf_addc(out, ')');
	}
}

static void add_diagnosed_file(struct claude_making *m, struct json file)
{
	struct buf uri = { 0 };
	struct json_walk w = json_walk(json_get(file, "diagnostics"));
	struct json d;
	json_decode(&uri, json_get(file, "uri"));
	buf_add(&m->text, span_last_part(buf_span(&uri)));
	buf_addc(&m->text, ':');
	while (json_next_element(&w, &d))
		add_diagnostic(&m->text, d);
	if (buf_error(&uri))
		m->err = -ENOMEM;
	buf_free(&uri);
}

void claude_note_diagnostics(struct claude_making *m)
{
	struct json files = claude_note_get(m, "files");
	struct json_walk w = json_walk(files);
	struct json file;
	bool any = false;
	if (json_type(files) != JSON_ARRAY)
		return;
	while (json_next_element(&w, &file)) {
		if (!json_has_members(json_get(file, "diagnostics")))
			continue;
		buf_adds(&m->text, any ? "\n\n"
				       : "<new-diagnostics>The following new "
					 "diagnostic issues were "
					 "detected:\n\n");
		any = true;
		add_diagnosed_file(m, file);
	}
	buf_adds(&m->text, any ? "</new-diagnostics>" : "");
	if (any)
		claude_note_add(m, CLAUDE_GUARD_NONE);
}

static void add_quoted_safe(struct claude_making *m, struct json v)
{
	struct buf plain = { 0 };
	struct buf safe = { 0 };
	js_to_string(&plain, v);
	claude_add_escaped(&safe, buf_span(&plain), false);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.data[i] == '"')
			buf_adds(&m->text, "&quot;");
		else
			buf_addc(&m->text, safe.data[i]);
	}
	if (buf_error(&plain) || buf_error(&safe))
		m->err = -ENOMEM;
	buf_free(&plain);
	buf_free(&safe);
}

static void add_no_resource(struct claude_making *m, const char *why)
{
	buf_adds(&m->text, "<mcp-resource server=\"");
	add_quoted_safe(m, claude_note_get(m, "server"));
	buf_adds(&m->text, "\" uri=\"");
	add_quoted_safe(m, claude_note_get(m, "uri"));
	buf_adds(&m->text, "\">(");
	buf_adds(&m->text, why);
	buf_adds(&m->text, ")</mcp-resource>");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

/* Write the blocks of a part of a resource; false if there are none. */
static bool write_resource(struct claude_making *m, struct json part)
{
	struct json text = json_get(part, "text");
	struct json mime = json_get(part, "mimeType");
	if (json_type(text) == JSON_STRING) {
		buf_adds(&m->text, "Full contents of resource:");
		claude_note_write(m, CLAUDE_GUARD_NONE);
		json_decode(&m->text, text);
		claude_note_write(m, CLAUDE_GUARD_WHOLE);
		buf_adds(&m->text, "Do NOT read this resource again unless you "
				   "think it may have changed, since you "
				   "already have the full contents.");
		claude_note_write(m, CLAUDE_GUARD_NONE);
		return true;
	}
	if (json_type(json_get(part, "blob")) == JSON_ABSENT)
		return false;
	buf_adds(&m->text, "[Binary content: ");
	if (json_type(mime) == JSON_ABSENT)
		buf_adds(&m->text, "application/octet-stream");
	else
		claude_note_add_safe(m, mime, false);
	buf_addc(&m->text, ']');
	claude_note_write(m, CLAUDE_GUARD_NONE);
	return true;
}

void claude_note_resource(struct claude_making *m)
{
	struct json contents =
		json_get(claude_note_get(m, "content"), "contents");
	struct json_walk w = json_walk(contents);
	struct json part;
	bool any = false;
	if (json_type(contents) != JSON_ARRAY || !json_has_members(contents)) {
		add_no_resource(m, "No content");
		return;
	}
	claude_note_begin(m);
	while (json_next_element(&w, &part))
		any = write_resource(m, part) || any;
	if (any) {
		claude_note_end(m);
		return;
	}
	m->to->json.len = m->from;
	add_no_resource(m, "No displayable content");
}

void claude_note_task(struct claude_making *m)
{
	struct json status = claude_note_get(m, "status");
	if (json_is(status, SPAN("running")))
		return;
	if (json_is(status, SPAN("killed"))) {
		claude_note_format(m, "Task \"{&description}\" ({&taskId}) was "
				      "stopped.");
		claude_note_add(m, CLAUDE_GUARD_NONE);
		return;
	}
	claude_note_format(m, "Task {&taskId} (type: {&taskType}) (status: "
			      "{&status}) (description: {&description})");
	if (json_truthy(claude_note_get(m, "deltaSummary")))
		claude_note_format(m, " Delta: {&deltaSummary}");
	if (json_truthy(claude_note_get(m, "outputFilePath")))
		claude_note_format(
			m, " Read the output file to retrieve the result: "
			   "{/outputFilePath}");
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

void claude_note_memories(struct claude_making *m)
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
		json_decode(&m->text, json_get(memory, "header"));
		buf_adds(&m->text, "\n\n");
		js_to_string(&m->text, json_get(memory, "content"));
		claude_note_add(m, CLAUDE_GUARD_SLASH);
	}
}

/* Append a selection, of which only the start is sent. */
static void add_selection(struct claude_making *m)
{
	struct buf plain = { 0 };
	size_t units = 0;
	size_t n = 0;
	size_t len;
	js_to_string(&plain, claude_note_get(m, "content"));
	while (n < plain.len && units < SELECTION_UNITS) {
		const struct span rest = { plain.data + n, plain.len - n };
		units += text_code_point(rest, &len) > 0xFFFF ? 2 : 1;
		n += len;
	}
	buf_add(&m->text, (struct span){ plain.data, n });
	if (n < plain.len)
		buf_adds(&m->text, "\n... (truncated)");
	buf_adds(&m->text, "\n\nThis may or may not be related to the current "
			   "task.");
	if (buf_error(&plain))
		m->err = -ENOMEM;
	buf_free(&plain);
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

void claude_note_ide_lines(struct claude_making *m)
{
	claude_note_format(
		m, "The user selected the lines {lineStart} to {lineEnd} "
		   "from {/filename}:\n");
	add_selection(m);
}

void claude_note_diff_lines(struct claude_making *m)
{
	bool one = json_number(claude_note_get(m, "lineCount")) == 1;
	claude_note_format(m, "The user selected the following {lineCount} ");
	buf_adds(&m->text, one ? "line" : "lines");
	buf_adds(&m->text, " from the diff view");
	if (json_truthy(claude_note_get(m, "filePath")))
		claude_note_format(m, " (in {/filePath})");
	buf_adds(&m->text, ":\n");
	add_selection(m);
}

void claude_note_plan_file(struct claude_making *m)
{
	claude_note_format(m, json_truthy(claude_note_get(m, "planFilePath"))
				      ? "A plan file exists from plan mode at: "
					"{planFilePath}"
				      : "A plan exists from plan mode.");
	claude_note_format(
		m, "\n\nPlan contents:\n\n{planContent}\n\nIf this plan "
		   "is relevant to the current work and not already "
		   "complete, continue working on it.");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

void claude_note_plan_exit(struct claude_making *m)
{
	buf_adds(&m->text, "## Exited Plan Mode\n\nYou have exited plan mode. "
			   "You can now make edits, run tools, and take "
			   "actions.");
	if (json_truthy(claude_note_get(m, "planExists")))
		claude_note_format(
			m, " The plan file is located at {planFilePath} "
			   "if you need to reference it.");
	claude_note_add(m, CLAUDE_GUARD_NONE);
}

void claude_note_output_style(struct claude_making *m)
{
	struct json reminder = claude_note_get(m, "turnReminder");
	if (json_type(claude_note_get(m, "style")) != JSON_STRING ||
	    !claude_note_is_filled(claude_note_get(m, "style")))
		return;
	claude_note_format(m, "{&style} output style is active. ");
	if (js_is_nullish(reminder))
		buf_adds(&m->text, "Remember to follow the specific guidelines "
				   "for this style.");
	else
		js_to_string(&m->text, reminder);
	claude_note_add(m, CLAUDE_GUARD_NONE);
}
