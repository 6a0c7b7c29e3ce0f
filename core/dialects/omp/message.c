#include "core/dialects/omp/message.h"

#include "core/dialects/omp/json.h"
#include "core/dialects/omp/notice.h"
#include "core/dialects/omp/prompt.h"
#include "core/dialects/omp/turn.h"
#include "core/json/js.h"
#include "core/json/writer.h"

/* A message that is sent as it is. */
static void pass(struct messages *to, enum message_role role,
		 struct json message)
{
	struct message m = { .role = role,
			     .source = message,
			     .content = json_get(message, "content") };
	m.how = json_type(m.content) == JSON_ABSENT ? CONTENT_NONE
						    : CONTENT_JSON;
	messages_add(to, &m);
}

/* One that has been written. */
static void pass_made(struct messages *to, enum message_role role,
		      const struct buf *object)
{
	if (object->failed)
		to->out->failed = true;
	else
		pass(to, role, (struct json){ .raw = buf_span(object) });
}

/* One that is being written, and is closed here. */
static void send(struct messages *to, enum message_role role,
		 struct buf *object)
{
	buf_addc(object, '}');
	pass_made(to, role, object);
}

/* Begin a message that is made anew, up to the inside of its content. */
static void begin(struct buf *out, const char *role)
{
	buf_addf(out, "{\"role\":\"%s\",\"content\":[", role);
}

/* End its content, and say whose it is. An absent attribution is left out. */
static void end(struct buf *out, struct json attribution, struct json time)
{
	buf_addc(out, ']');
	omp_add_member(out, "attribution", attribution);
	omp_add_member(out, "timestamp", time);
}

static const struct json of_user = { .raw = SPAN("\"user\"") };
static const struct json of_agent = { .raw = SPAN("\"agent\"") };

/* As it is, but with an attribution. */
static void send_attributed(struct messages *to, enum message_role role,
			    struct json message, struct json attribution)
{
	const struct json_change whose = { "attribution", attribution.raw };
	if (!omp_is_nullish(json_get(message, "attribution"))) {
		pass(to, role, message);
		return;
	}
	struct buf m = { 0 };
	json_rewrite(&m, message, &whose, 1);
	pass_made(to, role, &m);
	buf_free(&m);
}

static bool is_text(struct json block)
{
	return json_is(json_get(block, "type"), SPAN("text"));
}

/* The text blocks, joined; false if there are none. */
static bool join_texts(struct buf *out, struct json content, char separator)
{
	struct json_walk w = json_walk(content);
	struct json block;
	bool any = false;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		if (!is_text(block))
			continue;
		struct json text = json_get(block, "text");
		if (any && separator)
			buf_addc(out, separator);
		if (!omp_is_nullish(text))
			js_to_string(out, text);
		any = true;
	}
	return any;
}

/* The texts as one, where the first of them stood; the rest as it is. */
static void add_pruned(struct buf *out, struct json content)
{
	struct buf text = { 0 };
	bool any = join_texts(&text, content, 0);
	bool added = false;
	if (text.len == 0)
		buf_adds(&text, "[Output truncated]");
	out->failed = out->failed || text.failed;
	if (!any)
		omp_add_text_block(out, buf_span(&text));
	struct json_walk w = json_walk(content);
	struct json block;
	while (json_next_element(&w, &block)) {
		if (!is_text(block)) {
			omp_add_element(out, block);
		} else if (!added) {
			omp_add_text_block(out, buf_span(&text));
			added = true;
		}
	}
	buf_free(&text);
}

static void send_tool_result(struct messages *to, struct json message)
{
	static const char *const names[] = { "content", "attribution",
					     "prunedAt" };
	struct json f[3];
	json_get_all(message, 3, names, f);
	if (json_type(f[2]) == JSON_ABSENT || json_type(f[0]) != JSON_ARRAY) {
		send_attributed(to, MESSAGE_TOOL_RESULT, message, of_agent);
		return;
	}
	struct buf m = { 0 };
	struct buf content = { 0 };
	buf_addc(&content, '[');
	add_pruned(&content, f[0]);
	buf_addc(&content, ']');
	const struct json_change changed[] = {
		{ "content", buf_span(&content) },
		{ "attribution",
		  omp_is_nullish(f[1]) ? of_agent.raw : f[1].raw },
	};
	json_rewrite(&m, message, changed, 2);
	m.failed = m.failed || content.failed;
	pass_made(to, MESSAGE_TOOL_RESULT, &m);
	buf_free(&m);
	buf_free(&content);
}

/* How the two kinds of executions are told. */
struct execution {
	const char *of; /* the member that was run */
	const char *before;
	const char *behind;
	const char *output;
	const char *cancelled;
	const char *failed;
};

static const struct execution bash = {
	"command",
	"Ran `",
	"`\n",
	"```\n",
	"\n\n(command cancelled)",
	"\n\nCommand exited with code ",
};
static const struct execution python = {
	"code",
	"Ran Python:\n```python\n",
	"\n```\n",
	"Output:\n```\n",
	"\n\n(execution cancelled)",
	"\n\nExecution failed with code ",
};

static void add_execution(struct buf *out, const struct execution *e,
			  struct json message)
{
	const char *const names[] = { e->of, "output", "cancelled", "exitCode",
				      "meta" };
	struct json f[5];
	json_get_all(message, 5, names, f);
	buf_adds(out, e->before);
	js_to_string(out, f[0]);
	buf_adds(out, e->behind);
	if (json_truthy(f[1])) {
		buf_adds(out, e->output);
		js_to_string(out, f[1]);
		buf_adds(out, "\n```");
	} else {
		buf_adds(out, "(no output)");
	}
	bool zero = json_type(f[3]) == JSON_NUMBER && json_number(f[3]) == 0;
	if (json_truthy(f[2])) {
		buf_adds(out, e->cancelled);
	} else if (!omp_is_nullish(f[3]) && !zero) {
		buf_adds(out, e->failed);
		js_to_string(out, f[3]);
	}
	omp_notice_add(out, f[4]);
}

static void send_execution(struct messages *to, const struct execution *e,
			   struct json message)
{
	struct buf text = { 0 };
	struct buf m = { 0 };
	if (json_truthy(json_get(message, "excludeFromContext")))
		return;
	add_execution(&text, e, message);
	m.failed = text.failed;
	begin(&m, "user");
	omp_add_text_block(&m, buf_span(&text));
	if (e == &bash)
		omp_add_elements(&m, json_get(message, "images"));
	end(&m, of_user, json_get(message, "timestamp"));
	send(to, MESSAGE_USER, &m);
	buf_free(&text);
	buf_free(&m);
}

enum which_files { FILES_ALL, FILES_TEXT, FILES_IMAGE };

/* The files as text; false if there are none. */
static bool add_files(struct buf *out, struct json files,
		      enum which_files which)
{
	static const char *const names[] = { "path", "content", "image" };
	struct json_walk w = json_walk(files);
	struct json file;
	bool any = false;
	while (json_type(files) == JSON_ARRAY && json_next_element(&w, &file)) {
		struct json f[3];
		json_get_all(file, 3, names, f);
		if (which != FILES_ALL &&
		    json_truthy(f[2]) != (which == FILES_IMAGE))
			continue;
		buf_adds(out, any ? "\n<file path=\"" : "<file path=\"");
		js_to_string(out, f[0]);
		buf_adds(out, "\">\n");
		if (json_truthy(f[1])) {
			js_to_string(out, f[1]);
			buf_addc(out, '\n');
		}
		buf_adds(out, "</file>");
		any = true;
	}
	return any;
}

static void add_images(struct buf *out, struct json files)
{
	struct json_walk w = json_walk(files);
	struct json file;
	while (json_next_element(&w, &file)) {
		struct json image = json_get(file, "image");
		if (json_truthy(image))
			omp_add_element(out, image);
	}
}

/* Files with a picture go as the user's, the others as the developer's. */
static void send_files(struct messages *to, struct json message,
		       enum which_files which)
{
	struct json files = json_get(message, "files");
	struct buf text = { 0 };
	struct buf m = { 0 };
	bool images = which == FILES_IMAGE;
	if (add_files(&text, files, which)) {
		m.failed = text.failed;
		begin(&m, images ? "user" : "developer");
		omp_add_text_block(&m, buf_span(&text));
		if (images)
			add_images(&m, files);
		end(&m, of_user, json_get(message, "timestamp"));
		send(to, images ? MESSAGE_USER : MESSAGE_DEVELOPER, &m);
	}
	buf_free(&text);
	buf_free(&m);
}

bool omp_message_text(struct buf *out, struct json message)
{
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("bashExecution")))
		add_execution(out, &bash, message);
	else if (json_is(role, SPAN("pythonExecution")))
		add_execution(out, &python, message);
	else if (json_is(role, SPAN("fileMention")))
		add_files(out, json_get(message, "files"), FILES_ALL);
	else
		return false;
	return true;
}

bool omp_is_content(struct json content)
{
	enum json_type type = json_type(content);
	return type == JSON_STRING || type == JSON_ARRAY;
}

static bool is_peers_prompt(struct json custom_type, struct json attribution)
{
	return json_is(custom_type, SPAN("collab-prompt")) &&
	       json_is(attribution, SPAN("user"));
}

static bool is_skill_call(struct json custom_type, struct json attribution)
{
	return json_is(custom_type, SPAN("skill-prompt")) &&
	       json_is(attribution, SPAN("user"));
}

bool omp_begins_turn(struct json custom_type, struct json attribution)
{
	return is_peers_prompt(custom_type, attribution) ||
	       is_skill_call(custom_type, attribution);
}

/* Content as blocks, a string as the one text block. */
static void add_as_blocks(struct buf *out, struct json content)
{
	if (json_type(content) == JSON_STRING) {
		omp_add_comma(out);
		buf_adds(out, "{\"type\":\"text\",\"text\":");
		buf_add(out, content.raw);
		buf_addc(out, '}');
	} else {
		omp_add_elements(out, content);
	}
}

/* The text in the envelope, and the pictures; without text it stays. */
static void add_steering(struct buf *out, struct json content)
{
	bool string = json_type(content) == JSON_STRING;
	struct buf text = { 0 };
	struct buf wrapped = { 0 };
	if (string)
		json_decode(&text, content);
	else
		join_texts(&text, content, '\n');
	if (text.len > 0)
		omp_prompt_add(&wrapped, OMP_PROMPT_STEERING, buf_span(&text));
	out->failed = out->failed || text.failed || wrapped.failed;
	if (text.len == 0) {
		buf_add(out, content.raw);
	} else if (string) {
		json_quote(out, buf_span(&wrapped));
	} else {
		buf_addc(out, '[');
		omp_add_text_block(out, buf_span(&wrapped));
		omp_add_blocks_of(out, content, SPAN("image"));
		buf_addc(out, ']');
	}
	buf_free(&text);
	buf_free(&wrapped);
}

enum custom_field { C_TYPE, C_CONTENT, C_ATTRIBUTION, C_TIME, C_COUNT };

static void send_steering(struct messages *to, const struct json f[C_COUNT])
{
	struct buf m = { 0 };
	buf_adds(&m, "{\"role\":\"user\",\"content\":");
	add_steering(&m, f[C_CONTENT]);
	omp_add_member(&m, "attribution", of_user);
	omp_add_member(&m, "timestamp", f[C_TIME]);
	send(to, MESSAGE_USER, &m);
	buf_free(&m);
}

static bool has_blocks_of(struct json content, struct span type)
{
	struct json_walk w = json_walk(content);
	struct json block;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block)) {
		if (json_is(json_get(block, "type"), type))
			return true;
	}
	return false;
}

/* The texts as the developer's, then the pictures as the user's. */
static void send_with_images(struct messages *to, const struct json f[C_COUNT])
{
	struct buf m = { 0 };
	struct buf text = { 0 };
	if (has_blocks_of(f[C_CONTENT], SPAN("text"))) {
		begin(&m, "developer");
		omp_add_blocks_of(&m, f[C_CONTENT], SPAN("text"));
		end(&m, f[C_ATTRIBUTION], f[C_TIME]);
		send(to, MESSAGE_DEVELOPER, &m);
		buf_clear(&m);
	}
	buf_adds(&text, "Images attached to ");
	js_to_string(&text, f[C_TYPE]);
	buf_addc(&text, '.');
	m.failed = m.failed || text.failed;
	begin(&m, "user");
	omp_add_text_block(&m, buf_span(&text));
	omp_add_blocks_of(&m, f[C_CONTENT], SPAN("image"));
	end(&m, f[C_ATTRIBUTION], f[C_TIME]);
	send(to, MESSAGE_USER, &m);
	buf_free(&m);
	buf_free(&text);
}

static void send_custom(struct messages *to, struct json message, bool hook)
{
	static const char *const names[] = {
		[C_TYPE] = "customType",
		[C_CONTENT] = "content",
		[C_ATTRIBUTION] = "attribution",
		[C_TIME] = "timestamp",
	};
	struct json f[C_COUNT];
	json_get_all(message, C_COUNT, names, f);
	if (!omp_is_content(f[C_CONTENT]))
		return;
	if (!hook && is_peers_prompt(f[C_TYPE], f[C_ATTRIBUTION])) {
		send_steering(to, f);
		return;
	}
	bool skill = !hook && is_skill_call(f[C_TYPE], f[C_ATTRIBUTION]);
	if (!skill && has_blocks_of(f[C_CONTENT], SPAN("image"))) {
		send_with_images(to, f);
		return;
	}
	struct buf m = { 0 };
	begin(&m, skill ? "user" : "developer");
	add_as_blocks(&m, f[C_CONTENT]);
	end(&m, f[C_ATTRIBUTION], f[C_TIME]);
	send(to, skill ? MESSAGE_USER : MESSAGE_DEVELOPER, &m);
	buf_free(&m);
}

/* A summary in its prompt, as a text block. */
static void add_summary(struct buf *out, enum omp_prompt prompt,
			struct json summary)
{
	struct buf text = { 0 };
	struct buf whole = { 0 };
	if (!omp_is_nullish(summary))
		js_to_string(&text, summary);
	omp_prompt_add(&whole, prompt, buf_span(&text));
	out->failed = out->failed || text.failed || whole.failed;
	omp_add_text_block(out, buf_span(&whole));
	buf_free(&text);
	buf_free(&whole);
}

/* What the members after the content of a summary are. */
static void send_summary(struct messages *to, struct buf *m, struct json time,
			 struct json payload)
{
	buf_addc(m, ']');
	omp_add_member(m, "attribution", of_agent);
	omp_add_member(m, "historyRewriteAt", time);
	omp_add_member(m, "providerPayload", payload);
	omp_add_member(m, "timestamp", time);
	send(to, MESSAGE_USER, m);
}

static void send_branch_summary(struct messages *to, struct json message)
{
	struct buf m = { 0 };
	begin(&m, "user");
	add_summary(&m, OMP_PROMPT_BRANCH, json_get(message, "summary"));
	send_summary(to, &m, json_get(message, "timestamp"),
		     (struct json){ 0 });
	buf_free(&m);
}

static void send_compaction(struct messages *to, struct json message)
{
	static const char *const names[] = { "summary",	  "blocks",
					     "images",	  "method",
					     "timestamp", "providerPayload" };
	struct json f[6];
	struct buf m = { 0 };
	json_get_all(message, 6, names, f);
	begin(&m, "user");
	if (json_type(f[1]) != JSON_ABSENT) {
		buf_adds(&m, "{\"type\":\"text\"");
		omp_add_member(&m, "text", f[0]);
		buf_addc(&m, '}');
		omp_add_elements(&m, f[1]);
	} else {
		bool handoff = json_is(f[3], SPAN("handoff"));
		add_summary(&m,
			    handoff ? OMP_PROMPT_HANDOFF
				    : OMP_PROMPT_COMPACTION,
			    f[0]);
		omp_add_elements(&m, f[2]);
	}
	send_summary(to, &m, f[4], f[5]);
	buf_free(&m);
}

static void send_assistant(struct messages *to, struct json message,
			   bool interrupted)
{
	struct buf stripped = { 0 };
	if (interrupted && omp_turn_strip_thinking(&stripped, message)) {
		to->out->failed = to->out->failed || stripped.failed;
		message = (struct json){ .raw = buf_span(&stripped) };
	}
	if (!to->out->failed)
		pass(to, MESSAGE_ASSISTANT, message);
	buf_free(&stripped);
}

int omp_message_send(struct messages *to, struct json message, bool interrupted)
{
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("user"))) {
		send_attributed(to, MESSAGE_USER, message, of_user);
	} else if (json_is(role, SPAN("developer"))) {
		send_attributed(to, MESSAGE_DEVELOPER, message, of_agent);
	} else if (json_is(role, SPAN("assistant"))) {
		send_assistant(to, message, interrupted);
	} else if (json_is(role, SPAN("toolResult"))) {
		send_tool_result(to, message);
	} else if (json_is(role, SPAN("bashExecution"))) {
		send_execution(to, &bash, message);
	} else if (json_is(role, SPAN("pythonExecution"))) {
		send_execution(to, &python, message);
	} else if (json_is(role, SPAN("fileMention"))) {
		send_files(to, message, FILES_TEXT);
		send_files(to, message, FILES_IMAGE);
	} else if (json_is(role, SPAN("custom"))) {
		send_custom(to, message, false);
	} else if (json_is(role, SPAN("hookMessage"))) {
		send_custom(to, message, true);
	} else if (json_is(role, SPAN("branchSummary"))) {
		send_branch_summary(to, message);
	} else if (json_is(role, SPAN("compactionSummary"))) {
		send_compaction(to, message);
	}
	return buf_error(to->out);
}
