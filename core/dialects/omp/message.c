#include "core/dialects/omp/message.h"

#include "core/dialects/omp/message_text.h"
#include "core/dialects/omp/prompt.h"
#include "core/dialects/omp/assistant.h"
#include "core/json/js.h"
#include "core/json/splice.h"

static const struct json of_user = { .raw = SPAN("\"user\"") };
static const struct json of_agent = { .raw = SPAN("\"agent\"") };

/* Send a message as it is. `content` is its content. */
static void pass(struct messages *to, enum message_role role,
		 struct json message, struct json content)
{
	struct message m = { .role = role,
			     .source = message,
			     .how = CONTENT_JSON,
			     .content = content };
	if (json_type(content) == JSON_ABSENT)
		m.how = CONTENT_NONE;
	messages_add(to, &m);
}

/* The same with members changed; `content` is the changed one's. */
static void pass_changed(struct messages *to, enum message_role role,
			 struct json message, struct json content,
			 const struct json_change *changes, size_t n)
{
	struct buf m = { 0 };
	json_rewrite(&m, message, changes, n);
	if (m.failed)
		to->out->failed = true;
	else
		pass(to, role, (struct json){ .raw = buf_span(&m) }, content);
	buf_free(&m);
}

/* The same, but with an attribution if it has none. */
static void pass_attributed(struct messages *to, enum message_role role,
			    struct json message, struct json attribution)
{
	const struct json_change added = { "attribution", attribution.raw };
	JSON_FIELDS(f, message, attribution, content);
	if (js_is_nullish(f.attribution))
		pass_changed(to, role, message, f.content, &added, 1);
	else
		pass(to, role, message, f.content);
}

/* A new message, which is being written. */
struct draft {
	enum message_role role;
	struct buf object;
	struct json_writer w;
	size_t content; /* where it begins, and ends */
	size_t content_end;
};

/* Begin a message. The caller writes its content next, as a value. */
static void begin(struct draft *m, enum message_role role)
{
	*m = (struct draft){ .role = role };
	m->w.out = &m->object;
	json_begin_object(&m->w, NULL);
	json_write_word(&m->w, "role",
			role == MESSAGE_USER ? "user" : "developer");
	json_write_key(&m->w, SPAN("content"));
	m->content = m->object.len;
}

/* The content has been written. */
static void end_content(struct draft *m)
{
	m->content_end = m->object.len;
}

/* The same for a content of blocks. */
static void begin_blocks(struct draft *m, enum message_role role)
{
	begin(m, role);
	json_begin_array(&m->w, NULL);
}

static void end_blocks(struct draft *m)
{
	json_end_array(&m->w);
	end_content(m);
}

/* End the message, send it and free it. */
static void send(struct messages *to, struct draft *m)
{
	json_end_object(&m->w);
	const struct json object = { .raw = buf_span(&m->object) };
	const struct json content = { .raw = { m->object.data + m->content,
					       m->content_end - m->content } };
	if (m->object.failed)
		to->out->failed = true;
	else
		pass(to, m->role, object, content);
	buf_free(&m->object);
}

/* The same, after writing those of the last two members that are not absent. */
static void send_from(struct messages *to, struct draft *m,
		      struct json attribution, struct json time)
{
	json_write_value(&m->w, "attribution", attribution);
	json_write_value(&m->w, "timestamp", time);
	send(to, m);
}

static bool is_text(struct json block)
{
	return json_is(json_get(block, "type"), SPAN("text"));
}

/* Append the text blocks, joined; false if there are none. */
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
		if (!js_is_nullish(text))
			js_to_string(out, text);
		any = true;
	}
	return any;
}

/* Write the texts joined, at the place of the first, and the other blocks. */
static void add_pruned(struct json_writer *w, struct json content)
{
	struct buf text = { 0 };
	bool any = join_texts(&text, content, 0);
	bool added = false;
	if (text.len == 0)
		buf_adds(&text, "[Output truncated]");
	buf_inherit(w->out, &text);
	if (!any)
		block_write_text(w, buf_span(&text));
	struct json_walk blocks = json_walk(content);
	struct json block;
	while (json_next_element(&blocks, &block)) {
		if (!is_text(block)) {
			json_write_value(w, NULL, block);
		} else if (!added) {
			block_write_text(w, buf_span(&text));
			added = true;
		}
	}
	buf_free(&text);
}

static void send_tool_result(struct messages *to, struct json message)
{
	JSON_FIELDS(f, message, content, attribution, prunedAt);
	if (json_type(f.prunedAt) == JSON_ABSENT ||
	    json_type(f.content) != JSON_ARRAY) {
		pass_attributed(to, MESSAGE_TOOL_RESULT, message, of_agent);
		return;
	}
	struct buf content = { 0 };
	struct json_writer w = { .out = &content };
	json_begin_array(&w, NULL);
	add_pruned(&w, f.content);
	json_end_array(&w);
	const struct json pruned = { .raw = buf_span(&content) };
	const struct json_change changes[] = {
		{ "content", pruned.raw },
		{ "attribution", js_is_nullish(f.attribution)
					 ? of_agent.raw
					 : f.attribution.raw },
	};
	buf_inherit(to->out, &content);
	pass_changed(to, MESSAGE_TOOL_RESULT, message, pruned, changes, 2);
	buf_free(&content);
}

static void send_execution(struct messages *to, struct json message,
			   bool has_images)
{
	struct buf text = { 0 };
	struct draft m;
	if (json_truthy(json_get(message, "excludeFromContext")))
		return;
	omp_message_text(&text, message);
	buf_inherit(to->out, &text);
	begin_blocks(&m, MESSAGE_USER);
	block_write_text(&m.w, buf_span(&text));
	if (has_images)
		json_write_elements(&m.w, json_get(message, "images"));
	end_blocks(&m);
	send_from(to, &m, of_user, json_get(message, "timestamp"));
	buf_free(&text);
}

static void add_images(struct json_writer *w, struct json files)
{
	struct json_walk list = json_walk(files);
	struct json file;
	while (json_next_element(&list, &file)) {
		struct json image = json_get(file, "image");
		if (json_truthy(image))
			json_write_value(w, NULL, image);
	}
}

/* Files with a picture are sent as the user's, others as the developer's. */
static void send_files(struct messages *to, struct json message,
		       enum omp_files which)
{
	struct json files = json_get(message, "files");
	struct buf text = { 0 };
	struct draft m;
	bool images = which == OMP_FILES_IMAGE;
	if (omp_add_files(&text, files, which)) {
		buf_inherit(to->out, &text);
		begin_blocks(&m, images ? MESSAGE_USER : MESSAGE_DEVELOPER);
		block_write_text(&m.w, buf_span(&text));
		if (images)
			add_images(&m.w, files);
		end_blocks(&m);
		send_from(to, &m, of_user, json_get(message, "timestamp"));
	}
	buf_free(&text);
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

/* Write the blocks of one type. */
static void add_blocks_of(struct json_writer *w, struct json content,
			  struct span type)
{
	struct json_walk blocks = json_walk(content);
	struct json block;
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&blocks, &block)) {
		if (json_is(json_get(block, "type"), type))
			json_write_value(w, NULL, block);
	}
}

/* Write the text in its envelope, and the pictures. Without text: unchanged. */
static void add_steering(struct json_writer *w, struct json content)
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
	buf_inherit(w->out, &text);
	buf_inherit(w->out, &wrapped);
	if (text.len == 0) {
		json_write_value(w, NULL, content);
	} else if (string) {
		json_write_string(w, NULL, buf_span(&wrapped));
	} else {
		json_begin_array(w, NULL);
		block_write_text(w, buf_span(&wrapped));
		add_blocks_of(w, content, SPAN("image"));
		json_end_array(w);
	}
	buf_free(&text);
	buf_free(&wrapped);
}

static void send_steering(struct messages *to, const struct omp_custom *c)
{
	struct draft m;
	begin(&m, MESSAGE_USER);
	add_steering(&m.w, c->content);
	end_content(&m);
	send_from(to, &m, of_user, c->time);
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

/* Send the texts as the developer's, then the pictures as the user's. */
static void send_with_images(struct messages *to, const struct omp_custom *c)
{
	struct draft m;
	struct buf text = { 0 };
	if (has_blocks_of(c->content, SPAN("text"))) {
		begin_blocks(&m, MESSAGE_DEVELOPER);
		add_blocks_of(&m.w, c->content, SPAN("text"));
		end_blocks(&m);
		send_from(to, &m, c->attribution, c->time);
	}
	buf_adds(&text, "Images attached to ");
	js_to_string(&text, c->type);
	buf_addc(&text, '.');
	buf_inherit(to->out, &text);
	begin_blocks(&m, MESSAGE_USER);
	block_write_text(&m.w, buf_span(&text));
	add_blocks_of(&m.w, c->content, SPAN("image"));
	end_blocks(&m);
	send_from(to, &m, c->attribution, c->time);
	buf_free(&text);
}

static void send_custom(struct messages *to, const struct omp_custom *c,
			enum message_role role)
{
	struct draft m;
	begin_blocks(&m, role);
	if (json_type(c->content) == JSON_STRING)
		block_write_text_value(&m.w, c->content);
	else
		json_write_elements(&m.w, c->content);
	end_blocks(&m);
	send_from(to, &m, c->attribution, c->time);
}

void omp_send_custom(struct messages *to, const struct omp_custom *c, bool hook)
{
	bool skill = !hook && is_skill_call(c->type, c->attribution);
	if (!block_is_content(c->content))
		return;
	if (!hook && is_peers_prompt(c->type, c->attribution))
		send_steering(to, c);
	else if (!skill && has_blocks_of(c->content, SPAN("image")))
		send_with_images(to, c);
	else
		send_custom(to, c, skill ? MESSAGE_USER : MESSAGE_DEVELOPER);
}

static void send_custom_message(struct messages *to, struct json message,
				bool hook)
{
	JSON_FIELDS(f, message, customType, content, attribution, timestamp);
	const struct omp_custom c = { .type = f.customType,
				      .content = f.content,
				      .attribution = f.attribution,
				      .time = f.timestamp };
	omp_send_custom(to, &c, hook);
}

/* Write a summary in its prompt, as a text block. */
static void add_summary(struct json_writer *w, enum omp_prompt prompt,
			struct json summary)
{
	struct buf text = { 0 };
	struct buf whole = { 0 };
	if (!js_is_nullish(summary))
		js_to_string(&text, summary);
	omp_prompt_add(&whole, prompt, buf_span(&text));
	buf_inherit(w->out, &text);
	buf_inherit(w->out, &whole);
	block_write_text(w, buf_span(&whole));
	buf_free(&text);
	buf_free(&whole);
}

/* End a summary's message. */
static void send_summary(struct messages *to, struct draft *m,
			 struct json payload, struct json time,
			 struct json rewritten)
{
	end_blocks(m);
	json_write_value(&m->w, "attribution", of_agent);
	json_write_value(&m->w, "historyRewriteAt",
			 js_is_nullish(rewritten) ? time : rewritten);
	json_write_value(&m->w, "providerPayload", payload);
	json_write_value(&m->w, "timestamp", time);
	send(to, m);
}

void omp_send_branch_summary(struct messages *to, struct json summary,
			     struct json time)
{
	struct draft m;
	begin_blocks(&m, MESSAGE_USER);
	add_summary(&m.w, OMP_PROMPT_BRANCH, summary);
	send_summary(to, &m, (struct json){ 0 }, time, time);
}

static void add_compaction(struct json_writer *w,
			   const struct omp_compaction *c)
{
	bool handoff = json_is(c->method, SPAN("handoff"));
	bool archived = c->archive && !omp_archive_is_empty(c->archive);
	if (archived || json_type(c->blocks) != JSON_ABSENT) {
		block_write_text_value(w, c->summary);
		json_write_elements(w, c->blocks);
		if (archived)
			omp_archive_add_blocks(w, c->archive);
	} else {
		add_summary(
			w, handoff ? OMP_PROMPT_HANDOFF : OMP_PROMPT_COMPACTION,
			c->summary);
		json_write_elements(w, c->images);
	}
}

void omp_send_compaction(struct messages *to, const struct omp_compaction *c)
{
	struct draft m;
	begin_blocks(&m, MESSAGE_USER);
	add_compaction(&m.w, c);
	send_summary(to, &m, c->payload, c->time, c->rewritten);
}

static void send_compaction_message(struct messages *to, struct json message)
{
	JSON_FIELDS(f, message, summary, blocks, images, method, timestamp,
		    providerPayload, historyRewriteAt);
	const struct omp_compaction c = { .summary = f.summary,
					  .blocks = f.blocks,
					  .images = f.images,
					  .method = f.method,
					  .time = f.timestamp,
					  .payload = f.providerPayload,
					  .rewritten = f.historyRewriteAt };
	omp_send_compaction(to, &c);
}

static void send_assistant(struct messages *to, struct json message,
			   bool interrupted)
{
	struct buf stripped = { 0 };
	if (interrupted && omp_assistant_strip_thinking(&stripped, message)) {
		buf_inherit(to->out, &stripped);
		message = (struct json){ .raw = buf_span(&stripped) };
	}
	if (!to->out->failed)
		pass(to, MESSAGE_ASSISTANT, message,
		     json_get(message, "content"));
	buf_free(&stripped);
}

int omp_message_send(struct messages *to, struct json message, bool interrupted)
{
	struct json role = json_get(message, "role");
	if (json_is(role, SPAN("user"))) {
		pass_attributed(to, MESSAGE_USER, message, of_user);
	} else if (json_is(role, SPAN("developer"))) {
		pass_attributed(to, MESSAGE_DEVELOPER, message, of_agent);
	} else if (json_is(role, SPAN("assistant"))) {
		send_assistant(to, message, interrupted);
	} else if (json_is(role, SPAN("toolResult"))) {
		send_tool_result(to, message);
	} else if (json_is(role, SPAN("bashExecution"))) {
		send_execution(to, message, true);
	} else if (json_is(role, SPAN("pythonExecution"))) {
		send_execution(to, message, false);
	} else if (json_is(role, SPAN("fileMention"))) {
		send_files(to, message, OMP_FILES_TEXT);
		send_files(to, message, OMP_FILES_IMAGE);
	} else if (json_is(role, SPAN("custom"))) {
		send_custom_message(to, message, false);
	} else if (json_is(role, SPAN("hookMessage"))) {
		send_custom_message(to, message, true);
	} else if (json_is(role, SPAN("branchSummary"))) {
		omp_send_branch_summary(to, json_get(message, "summary"),
					json_get(message, "timestamp"));
	} else if (json_is(role, SPAN("compactionSummary"))) {
		send_compaction_message(to, message);
	}
	return buf_error(to->out);
}
