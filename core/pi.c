/*
 * Pi's sessions, versions 1 to 3 (FORMATS.md, section 3; Pi 1.5.2).
 *
 * Version 1 is linear: entries have no ids and follow each other. They get ids
 * derived from the session's id and the line's number, the same at every
 * reading, which migration then writes into the file. A compaction there names
 * the first kept entry by its place among the parsed lines, the header being 0;
 * session.now.skipped lists the places that are no entries.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/dialect.h"
#include "core/ids.h"
#include "core/js.h"
#include "core/path.h"
#include "core/pi_lines.h"
#include "core/text.h"
#include "core/timestamp.h"

#define CURRENT_VERSION 3

static bool claims(struct json first)
{
	static const char *const names[] = { "type", "id",     "uuid",
					     "kind", "parent", "parentId" };
	struct json f[6];
	json_get_all(first, 6, names, f);
	if (json_type(f[0]) != JSON_STRING || json_type(f[1]) != JSON_STRING)
		return false;
	if (json_is(f[0], SPAN("session")))
		return json_type(f[2]) == JSON_ABSENT &&
		       json_type(f[4]) != JSON_NUMBER;
	/* An entry without a header before it. */
	return json_type(f[5]) != JSON_ABSENT && json_type(f[3]) == JSON_ABSENT;
}

/* header.version ?? 1, as JavaScript compares it with a number. */
static double header_version(struct json v)
{
	switch (json_type(v)) {
	case JSON_NUMBER:
		return json_number(v);
	case JSON_STRING: {
		struct buf text = { 0 };
		json_decode(&text, v);
		const char *s = buf_cstr(&text);
		char *end = NULL;
		double d = s ? strtod(s, &end) : NAN;
		bool number = s && end != s && *end == '\0';
		buf_free(&text);
		return number ? d : CURRENT_VERSION;
	}
	case JSON_ABSENT:
	case JSON_NULL:
	case JSON_TRUE:
		return 1;
	case JSON_FALSE:
		return 0;
	default:
		return CURRENT_VERSION;
	}
}

/* Remember that the value at this place is no entry. */
static int skip_value(struct session *s)
{
	struct skipped *k = &s->now.skipped;
	if (k->n == k->cap) {
		uint32_t cap = k->cap ? k->cap * 2 : 4;
		uint32_t *list = realloc(k->list, cap * sizeof(*list));
		if (!list)
			return -ENOMEM;
		k->list = list;
		k->cap = cap;
	}
	k->list[k->n++] = s->now.values;
	return 0;
}

static int take_header(struct session *s, struct json line,
		       const struct line_place *at)
{
	struct contents *c = &s->now;
	if (c->header.len > 0) {
		problems_note(&c->problems, PROBLEM_HEADER, at->number);
		return skip_value(s);
	}
	buf_add(&c->header, line.raw);
	c->header_first = c->values == 0;
	c->version = header_version(json_get(line, "version"));
	int err = buf_error(&c->header);
	return err ? err : skip_value(s);
}

/* The value of a string, without a copy where it is plain. */
static struct span string_value(struct buf *scratch, struct json v)
{
	if (json_type(v) != JSON_STRING)
		return (struct span){ "", 0 };
	struct span in = { v.raw.p + 1, v.raw.n - 2 };
	if (!memchr(in.p, '\\', in.n) && text_is_utf8(in))
		return in;
	json_decode(scratch, v);
	return buf_span(scratch);
}

static const struct type_name {
	struct span name;
	enum entry_type type;
} types[] = {
	{ SPAN("message"), ENTRY_MESSAGE },
	{ SPAN("custom_message"), ENTRY_CUSTOM_MESSAGE },
	{ SPAN("branch_summary"), ENTRY_BRANCH_SUMMARY },
	{ SPAN("compaction"), ENTRY_COMPACTION },
	{ SPAN("context_edit"), ENTRY_CONTEXT_EDIT },
	{ SPAN("model_change"), ENTRY_MODEL },
	{ SPAN("thinking_level_change"), ENTRY_THINKING },
	{ SPAN("label"), ENTRY_LABEL },
	{ SPAN("session_info"), ENTRY_NAME },
};

enum field {
	F_TYPE,
	F_ID,
	F_PARENT,
	F_TIMESTAMP,
	F_TARGET,
	F_LABEL,
	F_NAME,
	F_CUSTOM_TYPE,
	F_COUNT
};

static const char *const field_names[] = {
	[F_TYPE] = "type",	 [F_ID] = "id",
	[F_PARENT] = "parentId", [F_TIMESTAMP] = "timestamp",
	[F_TARGET] = "targetId", [F_LABEL] = "label",
	[F_NAME] = "name",	 [F_CUSTOM_TYPE] = "customType",
};
_Static_assert(sizeof(field_names) / sizeof(field_names[0]) == F_COUNT,
	       "a name for every field");

static enum entry_type type_of(const struct json f[F_COUNT])
{
	if (json_is(f[F_TYPE], SPAN("custom")) &&
	    json_is(f[F_CUSTOM_TYPE], SPAN("sessfs.head")))
		return ENTRY_HEAD;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (json_is(f[F_TYPE], types[i].name))
			return types[i].type;
	}
	return ENTRY_OTHER;
}

static int take_label(struct session *s, const struct json f[F_COUNT],
		      const struct label_line *line)
{
	struct buf target = { 0 };
	struct buf text = { 0 };
	if (json_type(f[F_TARGET]) != JSON_STRING)
		return 0;
	json_decode(&target, f[F_TARGET]);
	if (json_truthy(f[F_LABEL]))
		js_to_string(&text, f[F_LABEL]);
	int err = buf_error(&target) || buf_error(&text) ? -ENOMEM : 0;
	if (!err)
		err = labels_set(&s->now.labels, buf_span(&target),
				 buf_span(&text), line);
	buf_free(&target);
	buf_free(&text);
	return err;
}

static int take_name(struct session *s, const struct json f[F_COUNT])
{
	struct buf name = { 0 };
	json_decode(&name, f[F_NAME]);
	buf_clear(&s->now.name);
	buf_add(&s->now.name, text_trim(buf_span(&name)));
	int err = buf_error(&name) ? -ENOMEM : buf_error(&s->now.name);
	buf_free(&name);
	text_finish(&s->now.name, 0);
	return err;
}

/* Id and parent of a version 1 line: its number, and the entry before it. */
static void derive_id(const struct session *s, const struct line_place *at,
		      struct buf *id, struct buf *parent)
{
	char number[16];
	int n = snprintf(number, sizeof(number), "%u", at->number);
	ids_derive(s, id, (struct span){ number, (size_t)n });
	if (s->now.index.n > 0)
		buf_add(parent, index_id(&s->now.index, s->now.index.n - 1));
}

static int take_entry(struct session *s, const struct json f[F_COUNT],
		      const struct line_place *at)
{
	struct contents *c = &s->now;
	struct buf id = { 0 };
	struct buf parent = { 0 };
	struct index_line l = { .offset = at->offset,
				.length = at->length,
				.line = at->number,
				.time = timestamp_parse(f[F_TIMESTAMP]),
				.type = type_of(f) };
	if (c->linear) {
		derive_id(s, at, &id, &parent);
		l.id = buf_span(&id);
		l.parent = buf_span(&parent);
	} else {
		l.id = string_value(&id, f[F_ID]);
		l.parent = string_value(&parent, f[F_PARENT]);
	}
	uint32_t entry;
	bool again;
	int err = buf_error(&id) || buf_error(&parent) ? -ENOMEM : 0;
	if (!err)
		err = index_add(&c->index, &l, &entry, &again);
	buf_free(&id);
	buf_free(&parent);
	if (err == -EFBIG) {
		problems_note(&c->problems, PROBLEM_TOO_LONG, at->number);
		return 0;
	}
	if (err)
		return err;
	c->leaf = entry;
	if (again) {
		c->retold++;
		problems_note(&c->problems, PROBLEM_DUPLICATE, at->number);
	}
	const struct label_line said = { .number = at->number,
					 .length = (uint32_t)at->length,
					 .offset = at->offset,
					 .time = l.time,
					 .version = s->version };
	if (l.type == ENTRY_LABEL)
		return take_label(s, f, &said);
	return l.type == ENTRY_NAME ? take_name(s, f) : 0;
}

static int take(struct session *s, struct json line,
		const struct line_place *at)
{
	struct contents *c = &s->now;
	struct json f[F_COUNT];
	json_get_all(line, F_COUNT, field_names, f);
	if (json_is(f[F_TYPE], SPAN("session")))
		return take_header(s, line, at);

	bool has_id = json_type(f[F_ID]) == JSON_STRING && f[F_ID].raw.n > 2;
	bool object = json_type(line) == JSON_OBJECT;
	if (c->index.n == 0 && c->header.len > 0 && c->version < 2 && object)
		c->linear = !has_id;
	if (!object || !(has_id || c->linear)) {
		problems_note(&c->problems, PROBLEM_NO_ENTRY, at->number);
		return skip_value(s);
	}
	return take_entry(s, f, at);
}

static const char *const envelope[] = { "id", "parentId", "type", "timestamp",
					NULL };

static struct json role_of(struct json entry)
{
	return json_get(json_get(entry, "message"), "role");
}

static void kind(struct buf *out, struct json entry)
{
	struct json type = json_get(entry, "type");
	struct json role = { 0 };
	if (json_is(type, SPAN("message")))
		role = role_of(entry);
	if (json_type(role) == JSON_STRING)
		json_decode(out, role);
	else if (json_type(type) == JSON_STRING)
		json_decode(out, type);
	else
		buf_adds(out, "unknown");
}

static struct json blocks(struct json entry)
{
	static const char *const names[] = { "type", "message", "content",
					     "summary" };
	struct json f[4];
	json_get_all(entry, 4, names, f);
	struct json v = { 0 };
	if (json_is(f[0], SPAN("message")))
		v = json_get(f[1], "content");
	else if (json_is(f[0], SPAN("custom_message")))
		v = f[2];
	else if (json_is(f[0], SPAN("compaction")) ||
		 json_is(f[0], SPAN("branch_summary")))
		v = f[3];
	enum json_type type = json_type(v);
	bool any = type == JSON_STRING || type == JSON_ARRAY;
	return any ? v : (struct json){ 0 };
}

/* bashExecutionToText */
static void add_bash(struct buf *out, struct json m)
{
	static const char *const names[] = { "command",	  "output",
					     "cancelled", "exitCode",
					     "truncated", "fullOutputPath" };
	struct json f[6];
	json_get_all(m, 6, names, f);
	buf_adds(out, "Ran `");
	js_to_string(out, f[0]);
	buf_adds(out, "`\n");
	if (json_truthy(f[1])) {
		buf_adds(out, "```\n");
		js_to_string(out, f[1]);
		buf_adds(out, "\n```");
	} else {
		buf_adds(out, "(no output)");
	}
	enum json_type code = json_type(f[3]);
	if (json_truthy(f[2])) {
		buf_adds(out, "\n\n(command cancelled)");
	} else if (code != JSON_ABSENT && code != JSON_NULL &&
		   (code != JSON_NUMBER || json_number(f[3]) != 0)) {
		buf_adds(out, "\n\nCommand exited with code ");
		js_to_string(out, f[3]);
	}
	if (json_truthy(f[4]) && json_truthy(f[5])) {
		buf_adds(out, "\n\n[Output truncated. Full output: ");
		js_to_string(out, f[5]);
		buf_addc(out, ']');
	}
}

static bool text_of(const struct session *s, struct buf *out, struct json entry)
{
	(void)s;
	if (!json_is(json_get(entry, "type"), SPAN("message")) ||
	    !json_is(role_of(entry), SPAN("bashExecution")))
		return false;
	add_bash(out, json_get(entry, "message"));
	return true;
}

static void model(struct buf *out, struct json entry)
{
	static const char *const names[] = { "type", "provider", "modelId",
					     "message" };
	struct json f[4];
	json_get_all(entry, 4, names, f);
	struct json provider = f[1];
	struct json name = f[2];
	if (json_is(f[0], SPAN("message"))) {
		if (!json_is(json_get(f[3], "role"), SPAN("assistant")))
			return;
		provider = json_get(f[3], "provider");
		name = json_get(f[3], "model");
	} else if (!json_is(f[0], SPAN("model_change"))) {
		return;
	}
	js_to_string(out, provider);
	buf_addc(out, '/');
	js_to_string(out, name);
}

/* Rows of `meta`. */

static void add_if_any(struct buf *out, struct json v)
{
	if (json_type(v) != JSON_ABSENT && json_type(v) != JSON_NULL)
		js_to_string(out, v);
}

static void meta_role(struct buf *out, struct json entry)
{
	add_if_any(out, role_of(entry));
}

static struct json usage_of(struct json entry)
{
	struct json usage = json_get(json_get(entry, "message"), "usage");
	return json_type(usage) == JSON_ABSENT ? json_get(entry, "usage")
					       : usage;
}

static void meta_tokens(struct buf *out, struct json entry)
{
	static const char *const names[] = { "totalTokens", "input", "output",
					     "cacheRead", "cacheWrite" };
	struct json f[5];
	json_get_all(usage_of(entry), 5, names, f);
	if (json_type(f[0]) == JSON_NUMBER) {
		js_to_string(out, f[0]);
		return;
	}
	/* Old versions of Pi did not write the total. */
	double total = 0;
	bool any = false;
	for (int i = 1; i < 5; i++) {
		if (json_type(f[i]) == JSON_NUMBER) {
			total += json_number(f[i]);
			any = true;
		}
	}
	if (any)
		buf_addf(out, "%.0f", total);
}

static void meta_cost(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(json_get(usage_of(entry), "cost"), "total"));
}

/* A result's tool, or the tools that an assistant calls. */
static void meta_tool(struct buf *out, struct json entry)
{
	struct json m = json_get(entry, "message");
	struct json name = json_get(m, "toolName");
	if (json_type(name) != JSON_ABSENT) {
		add_if_any(out, name);
		return;
	}
	struct json_walk w = json_walk(json_get(m, "content"));
	struct json block;
	const char *between = "";
	if (json_type(json_get(m, "content")) != JSON_ARRAY)
		return;
	while (json_next_element(&w, &block)) {
		if (!json_is(json_get(block, "type"), SPAN("toolCall")))
			continue;
		buf_adds(out, between);
		js_to_string(out, json_get(block, "name"));
		between = ", ";
	}
}

static void meta_error(struct buf *out, struct json entry)
{
	struct json m = json_get(entry, "message");
	if (json_truthy(json_get(m, "isError")))
		buf_adds(out, "yes");
	else
		add_if_any(out, json_get(m, "errorMessage"));
}

static void meta_stop(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(json_get(entry, "message"), "stopReason"));
}

static void meta_command(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(json_get(entry, "message"), "command"));
}

static void meta_custom_type(struct buf *out, struct json entry)
{
	struct json v = json_get(entry, "customType");
	if (json_type(v) == JSON_ABSENT)
		v = json_get(json_get(entry, "message"), "customType");
	add_if_any(out, v);
}

static void meta_thinking(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(entry, "thinkingLevel"));
}

static void meta_target(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(entry, "targetId"));
}

static void meta_from(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(entry, "fromId"));
}

static void meta_tokens_before(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(entry, "tokensBefore"));
}

static void meta_first_kept(struct buf *out, struct json entry)
{
	add_if_any(out, json_get(entry, "firstKeptEntryId"));
}

/* The member that says most of an entry that is no message. */
static void preview(struct buf *out, struct json entry)
{
	static const char *const names[] = { "thinkingLevel", "label", "name",
					     "customType", "targetId" };
	model(out, entry);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !out->len;
	     i++)
		add_if_any(out, json_get(entry, names[i]));
}

static const struct meta_row meta[] = {
	{ "role", meta_role },
	{ "model", model },
	{ "thinking", meta_thinking },
	{ "tokens", meta_tokens },
	{ "cost", meta_cost },
	{ "stop", meta_stop },
	{ "tool", meta_tool },
	{ "command", meta_command },
	{ "error", meta_error },
	{ "custom-type", meta_custom_type },
	{ "target", meta_target },
	{ "from", meta_from },
	{ "first-kept", meta_first_kept },
	{ "tokens-before", meta_tokens_before },
};

/* entries[index] of the parsed lines, which is no header. */
static uint32_t entry_at_place(const struct session *s, double place)
{
	const struct skipped *k = &s->now.skipped;
	if (!(place >= 0) || place >= INDEX_LIMIT || floor(place) != place)
		return INDEX_NONE;
	uint32_t at = (uint32_t)place;
	uint32_t before = 0;
	while (before < k->n && k->list[before] < at)
		before++;
	if ((before < k->n && k->list[before] == at) ||
	    at - before >= s->now.index.n)
		return INDEX_NONE;
	return at - before;
}

static uint32_t first_kept(const struct session *s, uint32_t entry,
			   struct json compaction)
{
	if (s->now.linear) {
		uint32_t at = entry_at_place(
			s, json_number(json_get(compaction,
						"firstKeptEntryIndex")));
		/* Pi gives out ids in order: later entries have none yet. */
		return at == INDEX_NONE || at > entry ? INDEX_NONE : at;
	}
	struct buf id = { 0 };
	uint32_t found = INDEX_NONE;
	struct json v = json_get(compaction, "firstKeptEntryId");
	if (json_type(v) == JSON_STRING)
		found = index_find(&s->now.index, string_value(&id, v));
	buf_free(&id);
	return found;
}

static void edit_target(struct buf *out, struct json edit)
{
	json_decode(out, json_get(edit, "targetId"));
}

/* A message of the user's, made of a text. */
static void add_user_text(struct messages *to, struct buf *body,
			  struct message m)
{
	if (body->failed)
		to->out->failed = true;
	m.role = MESSAGE_USER;
	m.how = CONTENT_TEXT;
	m.text = buf_span(body);
	messages_add(to, &m);
}

#define COMPACTION_HEAD                                                  \
	"The conversation history before this point was compacted into " \
	"the following summary:\n\n<summary>\n"
#define COMPACTION_FOOT "\n</summary>"
#define BRANCH_HEAD                                                      \
	"The following is a summary of a branch that this conversation " \
	"came back from:\n\n<summary>\n"
#define BRANCH_FOOT "</summary>"

static void add_summary(struct messages *to, const char *head,
			struct json summary, const char *foot, struct message m)
{
	struct buf body = { 0 };
	buf_adds(&body, head);
	js_to_string(&body, summary);
	buf_adds(&body, foot);
	add_user_text(to, &body, m);
	buf_free(&body);
}

/* `content`, a string wrapped as a block where Pi does so. */
static void set_content(struct message *m, struct json content, bool wrap)
{
	m->content = content;
	m->how = json_type(content) == JSON_ABSENT	     ? CONTENT_NONE
		 : wrap && json_type(content) == JSON_STRING ? CONTENT_BLOCK
							     : CONTENT_JSON;
}

/* What takes the place of a message's content, if an edit does so. */
static bool edited(struct json edit, struct json *content)
{
	struct json replacement = json_get(edit, "replacement");
	if (json_type(replacement) == JSON_ABSENT)
		return false;
	*content = json_get(replacement, "content");
	return true;
}

/*
 * A system, user, assistant or toolResult message: it passes as it is. `fill`:
 * content that is null or missing is made empty.
 */
static void add_passing(struct messages *to, struct json message,
			enum message_role role, bool fill, struct json edit)
{
	static const struct json empty_string = { SPAN("\"\"") };
	static const struct json empty_array = { SPAN("[]") };
	struct message m = { .role = role, .source = message };
	struct json content = json_get(message, "content");
	enum json_type type = json_type(content);

	if (fill && (type == JSON_ABSENT || type == JSON_NULL)) {
		content = role == MESSAGE_SYSTEM ? empty_string : empty_array;
		m.replaced = true;
	}
	bool edit_it = role != MESSAGE_SYSTEM && edited(edit, &content);
	m.replaced = m.replaced || edit_it;
	set_content(&m, content, edit_it && role != MESSAGE_USER);
	messages_add(to, &m);
}

/* convertToLlm of one message, whatever its role. */
static void add_message(const struct session *s, struct messages *to,
			struct json message, bool fill, struct json edit)
{
	static const struct {
		struct span name;
		enum message_role role;
	} passing[] = {
		{ SPAN("system"), MESSAGE_SYSTEM },
		{ SPAN("user"), MESSAGE_USER },
		{ SPAN("assistant"), MESSAGE_ASSISTANT },
		{ SPAN("toolResult"), MESSAGE_TOOL_RESULT },
	};
	static const char *const names[] = { "role", "timestamp", "content",
					     "summary", "excludeFromContext" };
	struct json f[5];
	json_get_all(message, 5, names, f);
	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++) {
		if (json_is(f[0], passing[i].name)) {
			add_passing(to, message, passing[i].role, fill, edit);
			return;
		}
	}
	struct message m = { .role = MESSAGE_USER, .time_json = f[1] };
	if (json_is(f[0], SPAN("custom")) ||
	    (s->now.version < CURRENT_VERSION &&
	     json_is(f[0], SPAN("hookMessage")))) {
		edited(edit, &f[2]);
		set_content(&m, f[2], true);
		messages_add(to, &m);
	} else if (json_is(f[0], SPAN("bashExecution"))) {
		struct buf body = { 0 };
		add_bash(&body, message);
		if (!json_truthy(f[4]))
			add_user_text(to, &body, m);
		buf_free(&body);
	} else if (json_is(f[0], SPAN("branchSummary"))) {
		add_summary(to, BRANCH_HEAD, f[3], BRANCH_FOOT, m);
	} else if (json_is(f[0], SPAN("compactionSummary"))) {
		add_summary(to, COMPACTION_HEAD, f[3], COMPACTION_FOOT, m);
	}
}

static void add_custom_message(struct messages *to, struct json entry,
			       struct json edit, struct message m)
{
	static const struct json empty_array = { SPAN("[]") };
	struct json content = json_get(entry, "content");
	enum json_type type = json_type(content);
	if (type == JSON_ABSENT || type == JSON_NULL)
		content = empty_array;
	edited(edit, &content);
	set_content(&m, content, true);
	messages_add(to, &m);
}

static int messages(const struct session *s, struct json entry,
		    struct json edit, bool kept, struct messages *to)
{
	static const char *const names[] = { "type", "message", "summary",
					     "timestamp", "systemMessage" };
	struct json f[5];
	json_get_all(entry, 5, names, f);
	struct message m = { .role = MESSAGE_USER,
			     .time = timestamp_parse(f[3]),
			     .has_time = true };

	/* An edit with null takes away all that its target says. */
	if (json_type(json_get(edit, "replacement")) == JSON_NULL)
		return 0;
	if (json_is(f[0], SPAN("message"))) {
		/* A compaction brings its own system message, or none. */
		if (!kept || !json_is(json_get(f[1], "role"), SPAN("system")))
			add_message(s, to, f[1], true, edit);
	} else if (json_is(f[0], SPAN("custom_message"))) {
		add_custom_message(to, entry, edit, m);
	} else if (json_is(f[0], SPAN("branch_summary"))) {
		if (json_truthy(f[2]))
			add_summary(to, BRANCH_HEAD, f[2], BRANCH_FOOT, m);
	} else if (json_is(f[0], SPAN("compaction"))) {
		if (json_truthy(f[4]))
			add_message(s, to, f[4], false, edit);
		add_summary(to, COMPACTION_HEAD, f[2], COMPACTION_FOOT, m);
	}
	return buf_error(to->out);
}

const struct dialect dialect_pi = {
	.name = "pi",
	.claims = claims,
	.take = take,
	.envelope = envelope,
	.kind = kind,
	.blocks = blocks,
	.text = text_of,
	.preview = preview,
	.meta = meta,
	.n_meta = sizeof(meta) / sizeof(meta[0]),
	.first_kept = first_kept,
	.messages = messages,
	.edit_target = edit_target,
	.model = model,
	.branch = pi_branch,
	.head_line = pi_head_line,
	.label_line = pi_label_line,
	.needs_migration = pi_needs_migration,
	.migrate = pi_migrate,
	.backup_suffix = ".v1.bak",
};
