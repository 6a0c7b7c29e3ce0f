/*
 * Contexts of Pi's sessions, as buildSessionProjection() and convertToLlm() in
 * Pi 1.6.0 make them.
 */
#include "core/dialects/pi/pi.h"

#include "core/dialects/kit/compacted.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"

uint32_t pi_first_kept(const struct session *s, uint32_t entry,
		       struct json compaction)
{
	return s->now.linear ? pi_linear_first_kept(s, entry, compaction)
			     : ingest_find_id(s, json_get(compaction,
							  "firstKeptEntryId"));
}

static uint32_t edit_target(const struct session *s, struct json edit)
{
	return ingest_find_id(s, json_get(edit, "targetId"));
}

/* Add a message of the user with a text. */
static void add_user_text(struct messages *to, const struct buf *body,
			  struct message m)
{
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

static void add_summary(struct messages *to, bool branch, struct json summary,
			struct message m)
{
	struct buf body BUF_SCOPED = BUF_INTO(to->out);
	buf_adds(&body, branch ? BRANCH_HEAD : COMPACTION_HEAD);
	js_to_string(&body, summary);
	buf_adds(&body, branch ? BRANCH_FOOT : COMPACTION_FOOT);
	add_user_text(to, &body, m);
}

static struct message message_of(struct json time)
{
	return (struct message){ .role = MESSAGE_USER,
				 .time = timestamp_parse(time),
				 .has_time = true };
}

/* `wrap`: a string becomes a text block. */
static void set_content(struct message *m, struct json content, bool wrap)
{
	m->content = content;
	m->how = json_type(content) == JSON_ABSENT ? CONTENT_NONE
		 : wrap && json_is_string(content) ? CONTENT_BLOCK
						   : CONTENT_JSON;
}

/* The content by which an edit replaces that of a message, if it does. */
static bool edited(struct json edit, struct json *content)
{
	struct json replacement = json_get(edit, "replacement");
	if (json_type(replacement) == JSON_ABSENT)
		return false;
	*content = json_get(replacement, "content");
	return true;
}

/*
 * Add a system, user, assistant or toolResult message unchanged. `fill`:
 * content that is null or missing becomes empty.
 */
static void add_passing(struct messages *to, struct json message,
			enum message_role role, int64_t when, bool fill,
			struct json edit)
{
	static const struct json empty_string = { .raw = SPAN("\"\"") };
	static const struct json empty_array = { .raw = SPAN("[]") };
	struct message m = { .role = role,
			     .source = message,
			     .result = pi_message_result(message),
			     .when = when };
	struct json content = json_get(message, "content");

	if (fill && js_is_nullish(content)) {
		content = role == MESSAGE_SYSTEM ? empty_string : empty_array;
		m.replaced = true;
	}
	bool edit_it = role != MESSAGE_SYSTEM && edited(edit, &content);
	m.replaced = m.replaced || edit_it;
	set_content(&m, content, edit_it && role != MESSAGE_USER);
	messages_add(to, &m);
}

void pi_add_message(const struct session *s, struct messages *to,
		    struct json message, struct json time, bool fill,
		    struct json edit)
{
	static const struct passing {
		struct span name;
		enum message_role role;
	} passing[] = {
		{ SPAN("system"), MESSAGE_SYSTEM },
		{ SPAN("user"), MESSAGE_USER },
		{ SPAN("assistant"), MESSAGE_ASSISTANT },
		{ SPAN("toolResult"), MESSAGE_TOOL_RESULT },
	};
	JSON_FIELDS(f, message, role, timestamp, content, summary,
		    excludeFromContext);
	const struct passing *passes = JSON_ROW(f.role, passing);
	/* The entry's, for a message without one. */
	int64_t when = js_is_nullish(f.timestamp) ? timestamp_parse(time) : 0;
	when = when == TIMESTAMP_NONE ? 0 : when;
	if (passes) {
		add_passing(to, message, passes->role, when, fill, edit);
		return;
	}
	struct message m = { .role = MESSAGE_USER,
			     .time_json = f.timestamp,
			     .when = when };
	if (json_is(f.role, SPAN("custom")) || pi_is_hook(s, f.role)) {
		edited(edit, &f.content);
		set_content(&m, f.content, true);
		messages_add(to, &m);
	} else if (json_is(f.role, SPAN("bashExecution"))) {
		struct buf body BUF_SCOPED = BUF_INTO(to->out);
		pi_add_bash(&body, message);
		if (!json_truthy(f.excludeFromContext))
			add_user_text(to, &body, m);
	} else if (json_is(f.role, SPAN("branchSummary"))) {
		add_summary(to, true, f.summary, m);
	} else if (json_is(f.role, SPAN("compactionSummary"))) {
		add_summary(to, false, f.summary, m);
	}
}

static int messages(const struct session *s, struct json entry,
		    struct json edit, bool kept, struct messages *to)
{
	static const struct json empty_array = { .raw = SPAN("[]") };
	JSON_FIELDS(f, entry, type, message, timestamp, content, summary,
		    systemMessage);
	bool branch = json_is(f.type, SPAN("branch_summary"));

	/* An edit with null removes its target from the context. */
	if (json_type(json_get(edit, "replacement")) == JSON_NULL)
		return 0;
	if (json_is(f.type, SPAN("message"))) {
		/* A compaction has its own system message, or drops it. */
		if (!kept ||
		    !json_is(json_get(f.message, "role"), SPAN("system")))
			pi_add_message(s, to, f.message, f.timestamp, true,
				       edit);
	} else if (json_is(f.type, SPAN("custom_message"))) {
		struct message m = message_of(f.timestamp);
		if (js_is_nullish(f.content))
			f.content = empty_array;
		edited(edit, &f.content);
		set_content(&m, f.content, true);
		messages_add(to, &m);
	} else {
		if (json_is(f.type, SPAN("compaction")) &&
		    json_truthy(f.systemMessage))
			pi_add_message(s, to, f.systemMessage, f.timestamp,
				       false, edit);
		if (!branch || json_truthy(f.summary))
			add_summary(to, branch, f.summary,
				    message_of(f.timestamp));
	}
	return buf_error(to->out);
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	static const struct compaction_rules rules = {
		.first_kept = pi_first_kept,
		.messages = messages,
		.edit_target = edit_target,
	};
	return compacted_context(s, p, &rules, to);
}

const struct dialect_sending pi_sending = {
	.context = context,
	.branch = pi_branch,
};

static bool read_model(struct buf *model, struct json entry)
{
	pi_model(model, entry);
	return model->len > 0;
}

const struct dialect_telling pi_telling = {
	.model = { { ENTRY_BIT(ENTRY_MESSAGE) | ENTRY_BIT(ENTRY_MODEL),
		     .read = read_model } },
	.thinking = { ENTRY_BIT(ENTRY_THINKING), .at = "thinkingLevel" },
	.no_thinking = "off",
};
