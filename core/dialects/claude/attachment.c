#include "core/dialects/claude/attachment.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/dialects/claude/reminder.h"
#include "core/json/js.h"
#include "core/json/writer.h"
#include "core/session/block.h"

#define TASK_HEADING                                                      \
	"[SYSTEM NOTIFICATION - NOT USER INPUT]\n"                        \
	"This is an automated background-task event, NOT a message from " \
	"the user.\n\n"
/* The UTF-16 units of a selection that are sent. */
#define SELECTION_UNITS 2000

#define OTHER_HEADING "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"

/*
 * The types that are one text. {name} stands for a member of the attachment,
 * {a.b} for one of its member a. Before the name:
 *
 *     /   a path: < and > and control characters are escaped
 *     &   the same, and &
 *     ,   the elements of an array, with commas
 *     |   the same, with newlines
 *
 * No text is sent if the member `needs` is not a string or an array, or empty.
 */
static const struct text_row {
	const char *type;
	enum claude_guard guard;
	const char *needs;
	const char *text;
} texts[] = {
	{ "agent_mention", CLAUDE_GUARD_NONE, NULL,
	  "The user has expressed a desire to invoke the agent "
	  "\"{agentType}\". Please invoke the agent appropriately, passing in "
	  "the required context to it. " },
	{ "agent_ask_notice", CLAUDE_GUARD_NONE, "lines", "{|lines}" },
	{ "at_mention_reference", CLAUDE_GUARD_NONE, "mentions",
	  "The user @-mentioned {,/mentions}. File contents are not attached "
	  "automatically in this session: if these are files or directories in "
	  "your working directory, read them with your file tools before "
	  "responding." },
	{ "bash_output_audience_note", CLAUDE_GUARD_NONE, NULL,
	  "Only you see that command's output \u2014 the user's terminal shows "
	  "at most a few lines of it. If the user needs to read any of it, put "
	  "it in your reply." },
	{ "budget_usd", CLAUDE_GUARD_NONE, NULL,
	  "USD budget: ${used}/${total}; ${remaining} remaining" },
	{ "claude_app_notice", CLAUDE_GUARD_NONE, "lines", "{|lines}" },
	{ "compact_file_reference", CLAUDE_GUARD_NONE, NULL,
	  "Note: {/filename} was read before the last conversation was "
	  "summarized, but the contents are too large to include. Use Read "
	  "tool if you need to access it." },
	{ "critical_system_reminder", CLAUDE_GUARD_NONE, "content",
	  "{content}" },
	{ "date", CLAUDE_GUARD_NONE, "date", "Today's date is {date}." },
	{ "date_change", CLAUDE_GUARD_NONE, NULL,
	  "The date has changed. Today's date is now {newDate}. No need to "
	  "announce the new date \u2014 the user's own clock shows it." },
	{ "elapsed_time_reminder", CLAUDE_GUARD_NONE, NULL, "{text}" },
	{ "hook_additional_context", CLAUDE_GUARD_HOOK, "content",
	  "{hookName} hook additional context: {|content}" },
	{ "hook_blocking_error", CLAUDE_GUARD_HOOK, NULL,
	  "{hookName} hook blocking error from command: "
	  "\"{blockingError.command}\": {blockingError.blockingError}" },
	{ "hook_stopped_continuation", CLAUDE_GUARD_HOOK, NULL,
	  "{hookName} hook stopped continuation: {message}" },
	{ "hook_success", CLAUDE_GUARD_HOOK, "content",
	  "{hookName} hook success: {content}" },
	{ "linked_plugin_tools_note", CLAUDE_GUARD_NONE, "text", "{text}" },
	{ "nested_memory", CLAUDE_GUARD_SLASH, NULL,
	  "Contents of {content.path}:\n\n{content.content}" },
	{ "opened_file_in_ide", CLAUDE_GUARD_NONE, NULL,
	  "The user opened the file {/filename} in the IDE. This may or may "
	  "not be related to the current task." },
	{ "plugin_note", CLAUDE_GUARD_NONE, "content",
	  "Note from the {plugin} plugin, not from the user:\n{|content}" },
	{ "prefix_delta", CLAUDE_GUARD_NONE, "text", "{text}" },
	{ "read_truncation_notice", CLAUDE_GUARD_NONE, NULL, "{&banner}" },
	{ "silent_turn_reminder", CLAUDE_GUARD_NONE, NULL, "{text}" },
	{ "skill_listing", CLAUDE_GUARD_NONE, "content",
	  "The following skills are available for use with the Skill "
	  "tool:\n\n{content}" },
	{ "token_usage", CLAUDE_GUARD_NONE, NULL,
	  "Token usage: {used}/{total}; {remaining} remaining" },
	{ "tool_hosts_correction", CLAUDE_GUARD_NONE, "lines", "{|lines}" },
	{ "total_tokens_reminder", CLAUDE_GUARD_NONE, NULL, "{text}" },
	{ "ultra_effort_exit", CLAUDE_GUARD_NONE, NULL,
	  "Ultracode is off \u2014 the Workflow tool's standard opt-in rule "
	  "applies again." },
	{ "ultrathink_effort", CLAUDE_GUARD_NONE, NULL,
	  "The user included the keyword \"ultrathink\", requesting deeper "
	  "reasoning on this turn. Reason as thoroughly as the task "
	  "warrants." },
	{ "workflow_keyword_request", CLAUDE_GUARD_NONE, NULL,
	  "The user included the keyword \"ultracode\", opting this turn into "
	  "multi-agent orchestration \u2014 use the Workflow tool to fulfill "
	  "the request." },
};

struct making {
	struct claude_notes *to;
	struct json line;
	struct json attachment;
	struct json type;
	struct json_writer w;
	size_t from;
	bool texts;
	struct buf text;    /* of a reminder, being made */
	struct buf guarded; /* the same, in its tags */
	int err;
};

static void begin_note(struct making *m)
{
	m->w = (struct json_writer){ .out = &m->to->json };
	m->from = m->to->json.len;
	m->texts = true;
	json_begin_array(&m->w, NULL);
}

static void end_note(struct making *m)
{
	struct claude_notes *to = m->to;
	json_end_array(&m->w);
	if (array_reserve(&to->list, &to->cap, to->n, 1) < 0) {
		m->err = -ENOMEM;
		return;
	}
	to->list[to->n++] =
		(struct claude_note){ m->from, to->json.len, m->texts };
}

/* Write m->text as a block, in its tags, and empty it. */
static void write_reminder(struct making *m, enum claude_guard guard)
{
	buf_clear(&m->guarded);
	buf_adds(&m->guarded, CLAUDE_OPEN_TAG "\n");
	claude_add_guarded(&m->guarded, buf_span(&m->text), guard);
	buf_adds(&m->guarded, "\n" CLAUDE_CLOSE_TAG);
	if (buf_error(&m->text) || buf_error(&m->guarded))
		m->err = -ENOMEM;
	block_write_text(&m->w, buf_span(&m->guarded));
	buf_clear(&m->text);
}

static void add_reminder_note(struct making *m, enum claude_guard guard)
{
	begin_note(m);
	write_reminder(m, guard);
	end_note(m);
}

static bool is_type(const struct making *m, struct span name)
{
	return json_is(m->type, name);
}

static struct json get(const struct making *m, const char *name)
{
	return json_get(m->attachment, name);
}

static bool is_filled(struct json v)
{
	if (json_type(v) == JSON_STRING)
		return json_truthy(v);
	return json_type(v) == JSON_ARRAY && json_has_members(v);
}

/* --- templates --- */

/* Append `${v}`, escaped. */
static void add_safe(struct making *m, struct json v, bool ampersand)
{
	struct buf plain = { 0 };
	if (!js_is_nullish(v))
		js_to_string(&plain, v);
	claude_add_escaped(&m->text, buf_span(&plain), ampersand);
	if (buf_error(&plain))
		m->err = -ENOMEM;
	buf_free(&plain);
}

struct place {
	bool path;
	bool ampersand;
	const char *join; /* NULL: it is not an array */
	struct json value;
};

static void add_one(struct making *m, const struct place *p, struct json v)
{
	if (p->path || p->ampersand)
		add_safe(m, v, p->ampersand);
	else
		js_to_string(&m->text, v);
}

static void add_place(struct making *m, const struct place *p)
{
	struct json_walk w = json_walk(p->value);
	struct json v;
	bool first = true;
	if (!p->join) {
		add_one(m, p, p->value);
		return;
	}
	while (json_next_element(&w, &v)) {
		if (!first)
			buf_adds(&m->text, p->join);
		first = false;
		if (!js_is_nullish(v))
			add_one(m, p, v);
	}
}

/* Parse {…} at *p, and leave *p after it. */
static struct place read_place(const struct making *m, const char **p)
{
	struct place place = { .value = m->attachment };
	char name[32];
	for ((*p)++; **p != '}';) {
		size_t n = strcspn(*p, ".}");
		if (**p == '/')
			place.path = true;
		else if (**p == '&')
			place.ampersand = true;
		else if (**p == ',')
			place.join = ", ";
		else if (**p == '|')
			place.join = "\n";
		else if (**p != '.' && n < sizeof(name)) {
			memcpy(name, *p, n);
			name[n] = '\0';
			place.value = json_get(place.value, name);
			*p += n;
			continue;
		}
		(*p)++;
	}
	(*p)++;
	return place;
}

static void add_template(struct making *m, const char *p)
{
	while (*p) {
		size_t n = strcspn(p, "{");
		buf_add(&m->text, (struct span){ p, n });
		p += n;
		if (*p == '{') {
			struct place place = read_place(m, &p);
			add_place(m, &place);
		}
	}
}

/* Only what these hooks print is sent. */
static bool hook_counts(const struct making *m)
{
	struct json event = get(m, "hookEvent");
	return !is_type(m, SPAN("hook_success")) ||
	       json_is(event, SPAN("SessionStart")) ||
	       json_is(event, SPAN("UserPromptSubmit")) ||
	       json_is(event, SPAN("UserPromptExpansion"));
}

/* The agent joins these members, and fails if they are no array. */
static bool has_needed(const struct making *m, const struct text_row *row)
{
	struct json v = row->needs ? get(m, row->needs) : m->attachment;
	if (!row->needs)
		return true;
	return is_filled(v) &&
	       ((json_type(v) == JSON_ARRAY) ==
		(strpbrk(row->text, ",|") &&
		 (strstr(row->text, "{|") || strstr(row->text, "{,"))));
}

static void add_plain(struct making *m)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct text_row *row = &texts[i];
		if (!is_type(m, span_of(row->type)))
			continue;
		if (!hook_counts(m) || !has_needed(m, row))
			return;
		add_template(m, row->text);
		add_reminder_note(m, row->guard);
		return;
	}
}

/* --- what was typed or sent during a turn --- */

struct sender {
	const char *kind; /* of origin; NULL: none */
	const char *before;
	const char *after;
	bool trusted;
};

#define MID_TURN                                                             \
	"\n\nThis is how Claude Code surfaces messages the user sends "      \
	"mid-turn \u2014 within the running turn, often alongside the next " \
	"tool result, rather than as a separate conversation turn. Address " \
	"the message above as you continue this turn."

static const struct sender user = {
	NULL, "The user sent a new message while you were working:\n", MID_TURN,
	true
};
static const struct sender other = { NULL, OTHER_HEADING, "", false };
static const struct sender task = { NULL, TASK_HEADING, "", false };

static const struct sender senders[] = {
	{ "human", "The user sent a new message while you were working:\n",
	  MID_TURN, true },
	{ "auto-continuation",
	  "The user sent a new message while you were working:\n", MID_TURN,
	  false },
	{ "task-notification", TASK_HEADING, "", false },
	{ "coordinator",
	  "The coordinator sent a message while you were working:\n",
	  "\n\nAddress this before completing your current task.", false },
	{ "channel",
	  "A message arrived from {origin.server} while you were working:\n",
	  "", false },
	{ "peer",
	  "Another Claude session sent a message while you were working:\n", "",
	  false },
	{ "observer",
	  "Your background observer ({origin.from}) sent a report while you "
	  "were working:\n",
	  "", false },
	{ "plugin",
	  "The {origin.name} plugin sent a message while you were working:\n",
	  "\n\nThis is how Claude Code surfaces prompts a plugin submits "
	  "mid-turn \u2014 within the running turn, often alongside the next "
	  "tool result. Address the message above as you continue this turn.",
	  false },
};

static const struct sender *sender_of(const struct making *m)
{
	struct json kind = json_get(get(m, "origin"), "kind");
	if (js_is_nullish(kind)) {
		if (json_is(get(m, "commandMode"), SPAN("task-notification")))
			return &task;
		return json_truthy(get(m, "isMeta")) ? &other : &user;
	}
	for (size_t i = 0; i < sizeof(senders) / sizeof(*senders); i++) {
		if (json_is(kind, span_of(senders[i].kind)))
			return &senders[i];
	}
	return &other;
}

static bool is_block(struct json block, struct span type)
{
	return json_is(json_get(block, "type"), type);
}

/* Append the texts of a content, one a line. */
static void add_texts(struct buf *out, struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	bool first = true;
	while (json_next_element(&w, &block)) {
		if (!is_block(block, SPAN("text")))
			continue;
		if (!first)
			buf_addc(out, '\n');
		first = false;
		json_decode(out, json_get(block, "text"));
	}
}

static void add_prompt(struct making *m, struct json prompt, bool trusted)
{
	struct buf plain = { 0 };
	if (json_type(prompt) == JSON_ARRAY)
		add_texts(&plain, prompt);
	else
		js_to_string(&plain, prompt);
	claude_add_guarded(&m->text, buf_span(&plain),
			   trusted ? CLAUDE_GUARD_NONE : CLAUDE_GUARD_WHOLE);
	if (buf_error(&plain))
		m->err = -ENOMEM;
	buf_free(&plain);
}

static void add_queued(struct making *m)
{
	const struct sender *from = sender_of(m);
	struct json prompt = get(m, "prompt");
	struct json_walk w = json_walk(prompt);
	struct json block;
	if (json_truthy(get(m, "renderedByBatchHead")))
		return;
	begin_note(m);
	add_template(m, from->before);
	add_prompt(m, prompt, from->trusted && !json_truthy(get(m, "isMeta")));
	buf_adds(&m->text, from->after);
	write_reminder(m, CLAUDE_GUARD_NONE);
	while (json_next_element(&w, &block)) {
		if (!is_block(block, SPAN("image")))
			continue;
		json_write_value(&m->w, NULL, block);
		m->texts = false;
	}
	end_note(m);
}

bool claude_add_notification(struct json line, struct buf *content)
{
	struct json message = json_get(json_get(line, "message"), "content");
	struct json_writer w = { .out = content };
	struct json_walk walk = json_walk(message);
	struct json block;
	struct buf plain = { 0 };
	struct buf text = { 0 };
	if (!json_is(json_get(json_get(line, "origin"), "kind"),
		     SPAN("task-notification")))
		return false;
	if (json_type(message) == JSON_STRING)
		json_decode(&plain, message);
	else
		add_texts(&plain, message);
	buf_adds(&text, CLAUDE_OPEN_TAG "\n" TASK_HEADING);
	claude_add_guarded(&text, buf_span(&plain), CLAUDE_GUARD_WHOLE);
	buf_adds(&text, "\n" CLAUDE_CLOSE_TAG);
	if (buf_error(&plain) || buf_error(&text))
		content->failed = true;
	json_begin_array(&w, NULL);
	block_write_text(&w, buf_span(&text));
	while (json_next_element(&walk, &block)) {
		if (!is_block(block, SPAN("text")))
			json_write_value(&w, NULL, block);
	}
	json_end_array(&w);
	buf_free(&plain);
	buf_free(&text);
	return true;
}

/* --- files and directories --- */

static void add_call(struct making *m, const char *tool, struct buf *input)
{
	buf_adds(&m->text, "Called the ");
	buf_adds(&m->text, tool);
	buf_adds(&m->text, " tool with the following input: ");
	buf_add(&m->text, buf_span(input));
	if (buf_error(input))
		m->err = -ENOMEM;
	add_reminder_note(m, CLAUDE_GUARD_CLOSE);
}

static void add_read(struct making *m)
{
	struct buf input = { 0 };
	struct buf name = { 0 };
	struct json_writer w = { .out = &input };
	json_decode(&name, get(m, "filename"));
	json_begin_object(&w, NULL);
	json_write_string_buf(&w, "file_path", &name);
	json_end_object(&w);
	add_call(m, "Read", &input);
	buf_free(&name);
	buf_free(&input);
}

static bool is_plain(char c)
{
	char low = span_lower(c);
	return (low >= 'a' && low <= 'z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_./:=@+,-", c));
}

/* As a word of the shell: in quotes, if it has other than these characters. */
static void add_word(struct buf *out, struct span word)
{
	bool plain = word.n > 0;
	for (size_t i = 0; i < word.n; i++)
		plain = plain && is_plain(word.p[i]);
	if (plain) {
		buf_add(out, word);
		return;
	}
	buf_addc(out, '\'');
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] == '\'')
			buf_adds(out, "'\"'\"'");
		else
			buf_addc(out, word.p[i]);
	}
	buf_addc(out, '\'');
}

static void add_directory(struct making *m)
{
	struct buf input = { 0 };
	struct buf path = { 0 };
	struct buf text = { 0 };
	struct json_writer w = { .out = &input };
	json_decode(&path, get(m, "path"));
	json_begin_object(&w, NULL);
	buf_adds(&text, "ls ");
	add_word(&text, buf_span(&path));
	json_write_string_buf(&w, "command", &text);
	buf_clear(&text);
	buf_adds(&text, "Lists files in ");
	buf_add(&text, buf_span(&path));
	json_write_string_buf(&w, "description", &text);
	json_end_object(&w);
	add_call(m, "Bash", &input);
	buf_adds(&m->text, "Result of calling the Bash tool:\n");
	json_decode(&m->text, get(m, "content"));
	add_reminder_note(m, CLAUDE_GUARD_NONE);
	buf_free(&text);
	buf_free(&path);
	buf_free(&input);
}

static void add_numbered(struct buf *out, struct span s, double number)
{
	while (true) {
		const char *end = s.n > 0 ? memchr(s.p, '\n', s.n) : NULL;
		struct span line = { s.p, end ? (size_t)(end - s.p) : s.n };
		size_t skip = line.n + 1;
		if (end && line.n > 0 && line.p[line.n - 1] == '\r')
			line.n--;
		js_add_number(out, number++);
		buf_addc(out, '\t');
		buf_add(out, line);
		if (!end)
			break;
		buf_addc(out, '\n');
		s = (struct span){ s.p + skip, s.n - skip };
	}
}

static void add_no_lines(struct making *m, struct json file)
{
	double lines = json_number(json_get(file, "numLines"));
	double total = json_number(json_get(file, "totalLines"));
	if (lines >= 1 && total > 1) {
		js_to_string(&m->text, json_get(file, "startLine"));
		buf_addc(&m->text, '\t');
	} else if (lines >= 1 || total == 0) {
		buf_adds(&m->text, CLAUDE_OPEN_TAG
			 "Warning: the file exists but the contents "
			 "are empty." CLAUDE_CLOSE_TAG);
	} else {
		buf_adds(&m->text, CLAUDE_OPEN_TAG
			 "Warning: the file exists but is shorter "
			 "than the provided offset (");
		js_to_string(&m->text, json_get(file, "startLine"));
		buf_adds(&m->text, "). The file has ");
		js_to_string(&m->text, json_get(file, "totalLines"));
		buf_adds(&m->text, " lines." CLAUDE_CLOSE_TAG);
	}
}

static void add_hidden_tag_note(struct making *m)
{
	add_template(m, "Note: {/filename} is not shown exactly as it is on "
			"disk. Each closing system-reminder tag in it starts "
			"with `<` on disk and is shown above with `&lt;` "
			"instead, so that it cannot end the reminder around "
			"the text.");
}

static void add_file_text(struct making *m, struct json file)
{
	struct buf content = { 0 };
	struct buf guarded = { 0 };
	json_decode(&content, json_get(file, "content"));
	claude_add_guarded(&guarded, buf_span(&content), CLAUDE_GUARD_CLOSE);
	buf_adds(&m->text, "Result of calling the Read tool:\n");
	if (content.len > 0)
		add_numbered(&m->text, buf_span(&guarded),
			     json_number(json_get(file, "startLine")));
	else
		add_no_lines(m, file);
	add_reminder_note(m, CLAUDE_GUARD_NONE);
	if (guarded.len != content.len) {
		add_hidden_tag_note(m);
		add_reminder_note(m, CLAUDE_GUARD_NONE);
	}
	if (buf_error(&content) || buf_error(&guarded))
		m->err = -ENOMEM;
	buf_free(&guarded);
	buf_free(&content);
	if (!json_truthy(get(m, "truncated")))
		return;
	add_template(m, "Note: The file {/filename} was too large and has been "
			"truncated to the first 2000 lines. No need to mention "
			"the truncation. Use Read to read more of the file if "
			"you need.");
	add_reminder_note(m, CLAUDE_GUARD_NONE);
}

static void add_picture(struct making *m, struct json file)
{
	begin_note(m);
	m->texts = false;
	json_begin_object(&m->w, NULL);
	json_write_word(&m->w, "type", "image");
	json_begin_object(&m->w, "source");
	json_write_word(&m->w, "type", "base64");
	json_write_value(&m->w, "data", json_get(file, "base64"));
	json_write_value(&m->w, "media_type", json_get(file, "type"));
	json_end_object(&m->w);
	json_end_object(&m->w);
	end_note(m);
}

static void add_file(struct making *m)
{
	struct json content = get(m, "content");
	struct json file = json_get(content, "file");
	struct json type = json_get(content, "type");
	bool picture = json_is(type, SPAN("image"));
	if (!picture && !json_is(type, SPAN("text")))
		return;
	add_read(m);
	if (picture)
		add_picture(m, file);
	else
		add_file_text(m, file);
}

static void add_edited(struct making *m)
{
	struct buf snippet = { 0 };
	struct buf guarded = { 0 };
	json_decode(&snippet, get(m, "snippet"));
	claude_add_guarded(&guarded, buf_span(&snippet), CLAUDE_GUARD_CLOSE);
	add_template(m, "Note: {/filename} changed on disk since you last read "
			"it. That's usually deliberate, so take it as the "
			"current state rather than reverting it; if the change "
			"looks wrong, say so rather than undoing it yourself "
			"\u2014 otherwise no need to call it out. ");
	if (snippet.len == 0) {
		buf_adds(&m->text, "The changes are not shown here; use Read "
				   "if you need the current content.");
	} else {
		buf_adds(&m->text, "Here are the relevant changes (shown with "
				   "line numbers):\n");
		buf_add(&m->text, buf_span(&guarded));
	}
	if (guarded.len != snippet.len) {
		buf_addc(&m->text, '\n');
		add_hidden_tag_note(m);
	}
	if (buf_error(&snippet) || buf_error(&guarded))
		m->err = -ENOMEM;
	add_reminder_note(m, CLAUDE_GUARD_NONE);
	buf_free(&guarded);
	buf_free(&snippet);
}

/* --- the other types --- */

static void add_async_hook(struct making *m)
{
	struct json response = get(m, "response");
	struct json more = json_get(json_get(response, "hookSpecificOutput"),
				    "additionalContext");
	struct json message = json_get(response, "systemMessage");
	if (json_type(message) == JSON_STRING && is_filled(message)) {
		json_decode(&m->text, message);
		add_reminder_note(m, CLAUDE_GUARD_HOOK);
	}
	if (json_type(more) != JSON_STRING || !is_filled(more))
		return;
	if (json_type(get(m, "isPlainOutput")) == JSON_TRUE &&
	    json_type(get(m, "hookName")) == JSON_STRING)
		add_template(m, "{hookName} hook success: ");
	json_decode(&m->text, more);
	add_reminder_note(m, CLAUDE_GUARD_HOOK);
}

static const char *severity_mark(struct json severity)
{
	static const char *const marks[][2] = { { "Error", "\u2718" },
						{ "Warning", "\u26A0" },
						{ "Info", "\u2139" },
						{ "Hint", "\u2605" } };
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (json_is(severity, span_of(marks[i][0])))
			return marks[i][1];
	}
	return "\u2022";
}

static void add_diagnostic(struct buf *out, struct json d)
{
	struct json start = json_get(json_get(d, "range"), "start");
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

static void add_diagnosed_file(struct making *m, struct json file)
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

static void add_diagnostics(struct making *m)
{
	struct json files = get(m, "files");
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
		add_reminder_note(m, CLAUDE_GUARD_NONE);
}

static void add_quoted_safe(struct making *m, struct json v)
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

static void add_no_resource(struct making *m, const char *why)
{
	buf_adds(&m->text, "<mcp-resource server=\"");
	add_quoted_safe(m, get(m, "server"));
	buf_adds(&m->text, "\" uri=\"");
	add_quoted_safe(m, get(m, "uri"));
	buf_adds(&m->text, "\">(");
	buf_adds(&m->text, why);
	buf_adds(&m->text, ")</mcp-resource>");
	add_reminder_note(m, CLAUDE_GUARD_NONE);
}

/* Write the blocks of a part of a resource; false if there are none. */
static bool write_resource(struct making *m, struct json part)
{
	struct json text = json_get(part, "text");
	struct json mime = json_get(part, "mimeType");
	if (json_type(text) == JSON_STRING) {
		buf_adds(&m->text, "Full contents of resource:");
		write_reminder(m, CLAUDE_GUARD_NONE);
		json_decode(&m->text, text);
		write_reminder(m, CLAUDE_GUARD_WHOLE);
		buf_adds(&m->text, "Do NOT read this resource again unless you "
				   "think it may have changed, since you "
				   "already have the full contents.");
		write_reminder(m, CLAUDE_GUARD_NONE);
		return true;
	}
	if (json_type(json_get(part, "blob")) == JSON_ABSENT)
		return false;
	buf_adds(&m->text, "[Binary content: ");
	if (json_type(mime) == JSON_ABSENT)
		buf_adds(&m->text, "application/octet-stream");
	else
		add_safe(m, mime, false);
	buf_addc(&m->text, ']');
	write_reminder(m, CLAUDE_GUARD_NONE);
	return true;
}

static void add_resource(struct making *m)
{
	struct json contents = json_get(get(m, "content"), "contents");
	struct json_walk w = json_walk(contents);
	struct json part;
	bool any = false;
	if (json_type(contents) != JSON_ARRAY || !json_has_members(contents)) {
		add_no_resource(m, "No content");
		return;
	}
	begin_note(m);
	while (json_next_element(&w, &part))
		any = write_resource(m, part) || any;
	if (any) {
		end_note(m);
		return;
	}
	m->to->json.len = m->from;
	add_no_resource(m, "No displayable content");
}

static void add_task(struct making *m)
{
	struct json status = get(m, "status");
	if (json_is(status, SPAN("running")))
		return;
	if (json_is(status, SPAN("killed"))) {
		add_template(m, "Task \"{&description}\" ({&taskId}) was "
				"stopped.");
		add_reminder_note(m, CLAUDE_GUARD_NONE);
		return;
	}
	add_template(m, "Task {&taskId} (type: {&taskType}) (status: "
			"{&status}) (description: {&description})");
	if (json_truthy(get(m, "deltaSummary")))
		add_template(m, " Delta: {&deltaSummary}");
	if (json_truthy(get(m, "outputFilePath")))
		add_template(m, " Read the output file to retrieve the result: "
				"{/outputFilePath}");
	add_reminder_note(m, CLAUDE_GUARD_NONE);
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

static void add_memories(struct making *m)
{
	struct json memories = get(m, "memories");
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
		add_reminder_note(m, CLAUDE_GUARD_SLASH);
	}
}

/* Append a selection, of which only the start is sent. */
static void add_selection(struct making *m)
{
	struct buf plain = { 0 };
	size_t units = 0;
	size_t n = 0;
	size_t len;
	js_to_string(&plain, get(m, "content"));
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
	add_reminder_note(m, CLAUDE_GUARD_NONE);
}

static void add_ide_lines(struct making *m)
{
	add_template(m, "The user selected the lines {lineStart} to {lineEnd} "
			"from {/filename}:\n");
	add_selection(m);
}

static void add_diff_lines(struct making *m)
{
	bool one = json_number(get(m, "lineCount")) == 1;
	add_template(m, "The user selected the following {lineCount} ");
	buf_adds(&m->text, one ? "line" : "lines");
	buf_adds(&m->text, " from the diff view");
	if (json_truthy(get(m, "filePath")))
		add_template(m, " (in {/filePath})");
	buf_adds(&m->text, ":\n");
	add_selection(m);
}

static void add_plan_file(struct making *m)
{
	add_template(m, json_truthy(get(m, "planFilePath"))
				? "A plan file exists from plan mode at: "
				  "{planFilePath}"
				: "A plan exists from plan mode.");
	add_template(m, "\n\nPlan contents:\n\n{planContent}\n\nIf this plan "
			"is relevant to the current work and not already "
			"complete, continue working on it.");
	add_reminder_note(m, CLAUDE_GUARD_NONE);
}

static void add_plan_exit(struct making *m)
{
	buf_adds(&m->text, "## Exited Plan Mode\n\nYou have exited plan mode. "
			   "You can now make edits, run tools, and take "
			   "actions.");
	if (json_truthy(get(m, "planExists")))
		add_template(m, " The plan file is located at {planFilePath} "
				"if you need to reference it.");
	add_reminder_note(m, CLAUDE_GUARD_NONE);
}

static void add_output_style(struct making *m)
{
	struct json reminder = get(m, "turnReminder");
	if (json_type(get(m, "style")) != JSON_STRING ||
	    !is_filled(get(m, "style")))
		return;
	add_template(m, "{&style} output style is active. ");
	if (js_is_nullish(reminder))
		buf_adds(&m->text, "Remember to follow the specific guidelines "
				   "for this style.");
	else
		js_to_string(&m->text, reminder);
	add_reminder_note(m, CLAUDE_GUARD_NONE);
}

static void add_by_type(struct making *m)
{
	static const struct {
		const char *type;
		void (*add)(struct making *m);
	} makers[] = {
		{ "async_hook_response", add_async_hook },
		{ "diagnostics", add_diagnostics },
		{ "directory", add_directory },
		{ "edited_text_file", add_edited },
		{ "file", add_file },
		{ "mcp_resource", add_resource },
		{ "output_style", add_output_style },
		{ "plan_file_reference", add_plan_file },
		{ "plan_mode_exit", add_plan_exit },
		{ "queued_command", add_queued },
		{ "relevant_memories", add_memories },
		{ "selected_lines_in_diff", add_diff_lines },
		{ "selected_lines_in_ide", add_ide_lines },
		{ "task_status", add_task },
	};
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		if (is_type(m, span_of(makers[i].type))) {
			makers[i].add(m);
			return;
		}
	}
	add_plain(m);
}

/* --- what was recorded --- */

static bool is_rendered_text(struct json block)
{
	struct json text = json_get(block, "text");
	return is_block(block, SPAN("text")) &&
	       json_type(text) == JSON_STRING && json_truthy(text);
}

static bool is_rendered(struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	if (!is_filled(content))
		return false;
	if (json_type(content) == JSON_STRING)
		return true;
	while (json_next_element(&w, &block)) {
		if (!is_rendered_text(block))
			return false;
	}
	return true;
}

static bool all_rendered(struct json rendered)
{
	struct json_walk w = json_walk(rendered);
	struct json element;
	if (json_type(rendered) != JSON_ARRAY || !json_has_members(rendered))
		return false;
	while (json_next_element(&w, &element)) {
		if (!is_rendered(json_get(element, "content")))
			return false;
	}
	return true;
}

static void add_rendered(struct making *m, struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	begin_note(m);
	if (json_type(content) == JSON_STRING)
		block_write_text_value(&m->w, content);
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		block_write_text_value(&m->w, json_get(block, "text"));
	end_note(m);
}

/* Does the agent set these files and hooks apart from the result? */
static bool is_beside(const struct making *m)
{
	struct json hook = get(m, "hookName");
	if (is_type(m, SPAN("hook_additional_context")))
		return json_is(hook, SPAN("prompt.submit")) ||
		       json_is(hook, SPAN("prompt.mention"));
	return is_type(m, SPAN("file")) || is_type(m, SPAN("directory")) ||
	       is_type(m, SPAN("nested_memory"));
}

static void set_role(struct making *m)
{
	struct json role = json_get(m->line, "renderedRole");
	bool user_role = json_is(role, SPAN("user"));
	if (!user_role && !json_is(role, SPAN("system")))
		m->to->system = !is_type(m, SPAN("plugin_note"));
	else
		m->to->system = !user_role;
	m->to->beside = user_role && is_beside(m);
}

int claude_attachment(struct json line, struct claude_notes *to)
{
	struct making m = { .to = to,
			    .line = line,
			    .attachment = json_get(line, "attachment") };
	struct json rendered = json_get(line, "rendered");
	struct json_walk w = json_walk(rendered);
	struct json element;
	to->n = 0;
	buf_clear(&to->json);
	m.type = json_get(m.attachment, "type");
	if (json_type(m.type) != JSON_STRING)
		return 0;
	set_role(&m);
	if (all_rendered(rendered)) {
		while (json_next_element(&w, &element))
			add_rendered(&m, json_get(element, "content"));
	} else {
		add_by_type(&m);
	}
	buf_free(&m.text);
	buf_free(&m.guarded);
	return m.err ? m.err : buf_error(&to->json);
}

void claude_notes_free(struct claude_notes *notes)
{
	free(notes->list);
	buf_free(&notes->json);
	*notes = (struct claude_notes){ 0 };
}

struct json claude_note_blocks(const struct claude_notes *notes, size_t i)
{
	const struct claude_note *note = &notes->list[i];
	return (struct json){ .raw = { notes->json.data + note->from,
				       note->to - note->from } };
}
