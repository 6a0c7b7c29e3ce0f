/*
 * How oh-my-pi sends a message of its session to a model (messages.ts,
 * convertToLlm, and pi-agent-core's compaction/messages.ts; 18.3.4).
 *
 *   user, developer  unchanged, with an attribution
 *   assistant        unchanged
 *   toolResult       unchanged; the texts of a pruned one are joined
 *   bashExecution, pythonExecution, fileMention, custom, hookMessage,
 *   branchSummary, compactionSummary        converted to one or two messages
 *
 * A message with any other role is not sent. Its members may be of any type.
 * Blob references in it have been resolved.
 *
 * Entries that are not messages become one first, as in the agent: a
 * custom_message, notes and a branch_summary here, a compaction in
 * compaction.c.
 */
#include "core/dialects/omp/omp.h"

#include "core/dialects/pi/pi.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/json/writer.h"

#define NOTES_LIMIT 16384

static const struct json of_user = { .raw = SPAN("\"user\"") };
static const struct json of_agent = { .raw = SPAN("\"agent\"") };

/*
 * Is it a note (message.note): a reminder, or that a turn went wrong? What the
 * program says in a developer's message of itself is known by the tag at its
 * start (prompts/system/). News such as results of background jobs
 * (<system-notice>) are none, nor is a prompt that a turn began with.
 */
static bool is_note(struct json content)
{
	static const char *const marks[] = {
		"<system-reminder",	    "<system-warning",
		"<system-injection",	    "<system-interrupt",
		"<context-window-reminder",
	};
	struct buf text BUF_SCOPED = { 0 };
	bool is = false;
	json_decode(&text, block_first_text(block_read_pi, content));
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && !is; i++)
		is = span_starts(buf_span(&text), span_of(marks[i]));
	return is;
}

/* Send a message as it is. `content` is its content. */
static void pass(struct messages *to, enum message_role role,
		 struct json message, struct json content)
{
	const struct message m = {
		.role = role,
		.source = message,
		.how = json_type(content) == JSON_ABSENT ? CONTENT_NONE
							 : CONTENT_JSON,
		.content = content,
		.result = pi_message_result(message),
		.note = role == MESSAGE_DEVELOPER && is_note(content),
	};
	messages_add(to, &m);
}

/* Send the message in a buffer. */
static void pass_buf(struct messages *to, enum message_role role,
		     const struct buf *message)
{
	const struct json m = { .raw = buf_span(message) };
	if (!message->failed)
		pass(to, role, m, json_get(m, "content"));
}

/* The same as pass(), but with an attribution if it has none. */
static void pass_attributed(struct messages *to, enum message_role role,
			    struct json message, struct json attribution)
{
	const struct json_change added = { "attribution", attribution.raw };
	JSON_FIELDS(f, message, attribution, content);
	struct buf changed BUF_SCOPED = BUF_INTO(to->out);
	if (!js_is_nullish(f.attribution)) {
		pass(to, role, message, f.content);
		return;
	}
	json_rewrite(&changed, message, &added, 1);
	pass_buf(to, role, &changed);
}

/* A new message, which is being written. */
struct draft {
	enum message_role role;
	struct buf object;
	struct json_writer w;
};

/* Begin a message. The caller writes its blocks next. */
static void begin(struct draft *m, enum message_role role)
{
	*m = (struct draft){ .role = role };
	m->w.out = &m->object;
	json_begin_object(&m->w, NULL);
	json_write_word(&m->w, "role",
			role == MESSAGE_USER ? "user" : "developer");
	json_begin_array(&m->w, "content");
}

/* End the blocks. */
static void end_blocks(struct draft *m, struct json attribution)
{
	json_end_array(&m->w);
	json_write_value(&m->w, "attribution", attribution);
}

/* End the message, send it and free it. */
static void send(struct messages *to, struct draft *m, struct json time)
{
	json_write_value(&m->w, "timestamp", time);
	json_end_object(&m->w);
	pass_buf(to, m->role, &m->object);
	buf_free_into(&m->object, to->out);
}

/* Write the texts joined, at the place of the first, and the other blocks. */
static void add_pruned(struct json_writer *w, struct json content)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	bool any = false;
	bool added = false;
	JSON_EACH(block, content) {
		JSON_FIELDS(f, block, type, text);
		bool is = json_is(f.type, SPAN("text"));
		if (is && !js_is_nullish(f.text))
			js_to_string(&text, f.text);
		any = any || is;
	}
	if (text.len == 0)
		buf_adds(&text, "[Output truncated]");
	if (!any)
		block_write_text(w, buf_span(&text));
	JSON_EACH(block, content) {
		if (!json_is(json_get(block, "type"), SPAN("text"))) {
			json_write_value(w, NULL, block);
		} else if (!added) {
			block_write_text(w, buf_span(&text));
			added = true;
		}
	}
}

static void send_tool_result(struct messages *to, struct json message)
{
	JSON_FIELDS(f, message, content, attribution, prunedAt);
	if (json_type(f.prunedAt) == JSON_ABSENT ||
	    json_type(f.content) != JSON_ARRAY) {
		pass_attributed(to, MESSAGE_TOOL_RESULT, message, of_agent);
		return;
	}
	struct buf changed BUF_SCOPED = BUF_INTO(to->out);
	struct buf content BUF_SCOPED = BUF_INTO(&changed);
	struct json_writer w = { .out = &content };
	json_begin_array(&w, NULL);
	add_pruned(&w, f.content);
	json_end_array(&w);
	const struct json_change changes[] = {
		{ "content", buf_span(&content) },
		{ "attribution", js_is_nullish(f.attribution)
					 ? of_agent.raw
					 : f.attribution.raw },
	};
	json_rewrite(&changed, message, changes, 2);
	pass_buf(to, MESSAGE_TOOL_RESULT, &changed);
}

static void send_execution(struct messages *to, struct json message)
{
	JSON_FIELDS(f, message, role, images, excludeFromContext, timestamp);
	struct buf text BUF_SCOPED = BUF_INTO(to->out);
	struct draft m;
	if (json_truthy(f.excludeFromContext))
		return;
	omp_message_text(&text, message);
	begin(&m, MESSAGE_USER);
	block_write_text(&m.w, buf_span(&text));
	if (json_is(f.role, SPAN("bashExecution")))
		json_write_elements(&m.w, f.images);
	end_blocks(&m, of_user);
	send(to, &m, f.timestamp);
}

/* Files with a picture are sent as the user's, others as the developer's. */
static void send_files(struct messages *to, struct json message,
		       enum omp_files which)
{
	JSON_FIELDS(f, message, files, timestamp);
	struct buf text BUF_SCOPED = BUF_INTO(to->out);
	struct draft m;
	if (!omp_add_files(&text, f.files, which))
		return;
	begin(&m, which == OMP_FILES_IMAGE ? MESSAGE_USER : MESSAGE_DEVELOPER);
	block_write_text(&m.w, buf_span(&text));
	JSON_EACH_WHILE(which == OMP_FILES_IMAGE, file, f.files) {
		struct json image = json_get(file, "image");
		if (json_truthy(image))
			json_write_value(&m.w, NULL, image);
	}
	end_blocks(&m, of_user);
	send(to, &m, f.timestamp);
}

bool omp_is_skill_call(struct json custom_type, struct json attribution)
{
	return json_is(custom_type, SPAN("skill-prompt")) &&
	       json_is(attribution, SPAN("user"));
}

/* Write the blocks of one type; w may be NULL. Returns whether there are any.
 */
static bool add_blocks_of(struct json_writer *w, struct json content,
			  struct span type)
{
	bool any = false;
	JSON_EACH(block, content) {
		if (!json_is(json_get(block, "type"), type))
			continue;
		if (w)
			json_write_value(w, NULL, block);
		any = true;
	}
	return any;
}

/*
 * Those with pictures are two messages, the texts as the developer's and the
 * pictures as the user's, unless it is the user's call of a skill.
 */
static void send_custom(struct messages *to, struct json message, bool hook)
{
	JSON_FIELDS(f, message, customType, content, attribution, timestamp);
	bool skill = !hook && omp_is_skill_call(f.customType, f.attribution);
	struct buf text BUF_SCOPED = BUF_INTO(to->out);
	struct draft m;
	if (!block_is_content(f.content))
		return;
	if (skill || !add_blocks_of(NULL, f.content, SPAN("image"))) {
		begin(&m, skill ? MESSAGE_USER : MESSAGE_DEVELOPER);
		if (json_is_string(f.content))
			block_write_text_value(&m.w, f.content);
		else
			json_write_elements(&m.w, f.content);
		end_blocks(&m, f.attribution);
		send(to, &m, f.timestamp);
		return;
	}
	if (add_blocks_of(NULL, f.content, SPAN("text"))) {
		begin(&m, MESSAGE_DEVELOPER);
		add_blocks_of(&m.w, f.content, SPAN("text"));
		end_blocks(&m, f.attribution);
		send(to, &m, f.timestamp);
	}
	pi_add_template(&text, message, "Images attached to {customType}.");
	begin(&m, MESSAGE_USER);
	block_write_text(&m.w, buf_span(&text));
	add_blocks_of(&m.w, f.content, SPAN("image"));
	end_blocks(&m, f.attribution);
	send(to, &m, f.timestamp);
}

/* Write a summary in its prompt, as a text block. */
static void add_summary(struct json_writer *w, enum omp_prompt prompt,
			struct json summary)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	struct buf whole BUF_SCOPED = BUF_INTO(w->out);
	if (!js_is_nullish(summary))
		js_to_string(&text, summary);
	omp_prompt_add(&whole, prompt, buf_span(&text));
	block_write_text(w, buf_span(&whole));
}

static void send_branch_summary(struct messages *to, struct json message)
{
	JSON_FIELDS(f, message, summary, timestamp);
	struct draft m;
	begin(&m, MESSAGE_USER);
	add_summary(&m.w, OMP_PROMPT_BRANCH, f.summary);
	end_blocks(&m, of_agent);
	json_write_value(&m.w, "historyRewriteAt", f.timestamp);
	send(to, &m, f.timestamp);
}

/* `blocks` are those of an archive, which the summary precedes as it is. */
static void send_compaction(struct messages *to, struct json message)
{
	JSON_FIELDS(f, message, summary, blocks, images, method, timestamp,
		    providerPayload, historyRewriteAt);
	bool handoff = json_is(f.method, SPAN("handoff"));
	struct draft m;
	begin(&m, MESSAGE_USER);
	if (json_type(f.blocks) != JSON_ABSENT) {
		block_write_text_value(&m.w, f.summary);
		json_write_elements(&m.w, f.blocks);
	} else {
		add_summary(&m.w,
			    handoff ? OMP_PROMPT_HANDOFF
				    : OMP_PROMPT_COMPACTION,
			    f.summary);
		json_write_elements(&m.w, f.images);
	}
	end_blocks(&m, of_agent);
	json_write_value(&m.w, "historyRewriteAt",
			 js_is_nullish(f.historyRewriteAt)
				 ? f.timestamp
				 : f.historyRewriteAt);
	json_write_value(&m.w, "providerPayload", f.providerPayload);
	send(to, &m, f.timestamp);
}

int omp_message_send(struct messages *to, struct json message, bool interrupted)
{
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("user"))) {
		pass_attributed(to, MESSAGE_USER, message, of_user);
	} else if (json_is(role, SPAN("developer"))) {
		pass_attributed(to, MESSAGE_DEVELOPER, message, of_agent);
	} else if (json_is(role, SPAN("assistant"))) {
		struct buf copy BUF_SCOPED = BUF_INTO(to->out);
		if (interrupted && omp_assistant_strip_thinking(&copy, message))
			pass_buf(to, MESSAGE_ASSISTANT, &copy);
		else
			pass(to, MESSAGE_ASSISTANT, message,
			     json_get(message, "content"));
	} else if (json_is(role, SPAN("toolResult"))) {
		send_tool_result(to, message);
	} else if (JSON_IS(role, "bashExecution", "pythonExecution")) {
		send_execution(to, message);
	} else if (json_is(role, SPAN("fileMention"))) {
		send_files(to, message, OMP_FILES_TEXT);
		send_files(to, message, OMP_FILES_IMAGE);
	} else if (JSON_IS(role, "custom", "hookMessage")) {
		send_custom(to, message, json_is(role, SPAN("hookMessage")));
	} else if (json_is(role, SPAN("branchSummary"))) {
		send_branch_summary(to, message);
	} else if (json_is(role, SPAN("compactionSummary"))) {
		send_compaction(to, message);
	}
	return buf_error(to->out);
}

/* -- messages of entries */

bool omp_is_notes(struct json data)
{
	struct js_members m = { 0 };
	struct buf text BUF_SCOPED = { 0 };
	if (json_type(data) != JSON_OBJECT || js_members_load(&m, data) < 0)
		return false;
	JSON_FIELDS(f, data, version, text);
	bool is = m.n == 2 && json_number(f.version) == 1 &&
		  json_is_string(f.text);
	js_members_free(&m);
	if (is)
		json_decode(&text, f.text);
	return is && text.len <= NOTES_LIMIT;
}

void omp_message_of(struct buf *out, struct json entry)
{
	JSON_FIELDS(f, entry, type, timestamp, summary, customType, content,
		    attribution, data);
	struct buf notes BUF_SCOPED = BUF_INTO(out);
	struct buf prompt BUF_SCOPED = BUF_INTO(out);
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	if (json_is(f.type, SPAN("custom_message"))) {
		json_write_word(&w, "role", "custom");
		if (json_has_text(f.customType))
			json_write_value(&w, "customType", f.customType);
		else
			json_write_word(&w, "customType", "custom-message");
		json_write_value(&w, "content", f.content);
		if (json_type(f.attribution) != JSON_ABSENT)
			json_write_value(&w, "attribution",
					 json_is(f.attribution, SPAN("user"))
						 ? of_user
						 : of_agent);
	} else if (json_is(f.type, SPAN("custom"))) {
		json_decode(&notes, json_get(f.data, "text"));
		omp_prompt_add(&prompt, OMP_PROMPT_NOTES, buf_span(&notes));
		json_write_word(&w, "role", "custom");
		json_write_word(&w, "customType", "experimental_context_notes");
		json_write_string(&w, "content", buf_span(&prompt));
	} else {
		json_write_word(&w, "role", "branchSummary");
		json_write_value(&w, "summary", f.summary);
	}
	timestamp_add_ms(json_begin_value(&w, "timestamp"),
			 timestamp_parse(f.timestamp));
	json_end_object(&w);
}
