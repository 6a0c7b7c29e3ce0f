/*
 * What sessfs writes into a chat. A move of HEAD is the line that the agent
 * writes itself, `rewind`, whose parent is the new leaf; a name is a
 * `custom_title`. A message is a record as the agent reads it, below the leaf.
 */
#include <errno.h>

#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/qwen/qwen.h"
#include "core/json/timestamp.h"
#include "core/session/path.h"

/* The entry whose uuid stands in the lines of those below an entry. */
static uint32_t named(const struct session *s, uint32_t entry)
{
	return entry != INDEX_NONE && qwen_is_more(s, entry)
		       ? session_entry(s, entry)->parent
		       : entry;
}

/* Begin a record below an entry. */
static struct json_writer begin(const struct session *s, struct change *c,
				uint32_t parent, const char *type,
				const char *provenance)
{
	struct json_writer w = { .out = &c->lines };
	struct buf id BUF_SCOPED = BUF_INTO(&c->lines);
	ids_new_uuid(s, &id);
	json_begin_object(&w, NULL);
	json_write_string_buf(&w, "uuid", &id);
	line_add_id(&w, "parentUuid", s, named(s, parent));
	json_write_value(&w, "sessionId", session_header(s, "id"));
	line_add_time(&w, "timestamp", timestamp_now());
	json_write_word(&w, "type", type);
	json_write_word(&w, "provenance", provenance);
	if (json_type(session_header(s, "cwd")) != JSON_ABSENT)
		json_write_value(&w, "cwd", session_header(s, "cwd"));
	json_write_word(&w, "version", QWEN_VERSION);
	return w;
}

static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	struct json_writer w = begin(s, c, target, "system", "system");
	json_write_word(&w, "subtype", "rewind");
	json_begin_object(&w, "systemPayload");
	json_write_number(&w, "truncatedCount", 0);
	json_end_object(&w);
	return line_end(&w);
}

static int set_name(const struct session *s, struct span name, struct change *c)
{
	struct json_writer w = begin(s, c, s->now.leaf, "system", "system");
	json_write_word(&w, "subtype", "custom_title");
	json_begin_object(&w, "systemPayload");
	json_write_string(&w, "customTitle", name);
	json_write_word(&w, "titleSource", "manual");
	json_end_object(&w);
	return line_end(&w);
}

/* The texts of a content: a string, or blocks. */
static bool write_parts(struct json_writer *w, struct json content)
{
	bool all = true;
	json_begin_array(w, "parts");
	BLOCK_EACH_WHILE(all, b, block_read_api, content) {
		all = b.type == BLOCK_TEXT && json_is_string(b.text);
		json_begin_object(w, NULL);
		json_write_value(w, "text", b.text);
		json_end_object(w);
	}
	json_end_array(w);
	return all;
}

/* A message of a role, with a content as Pi and the APIs have it. */
static int add_message(const struct session *s, struct json line,
		       struct change *c, const char **reason)
{
	JSON_FIELDS(f, line, role, content, parts);
	bool user = json_is(f.role, SPAN("user"));
	bool ok = block_is_content(f.content);
	if (!user && !JSON_IS(f.role, "assistant", "model")) {
		*reason = json_is_string(f.role)
				  ? "messages with this `role` can't be stored"
				  : "a line must have a `role` string";
		return -EINVAL;
	}
	struct json_writer w =
		begin(s, c, s->now.leaf, user ? "user" : "assistant",
		      user ? "real_user" : "assistant_output");
	json_begin_object(&w, "message");
	json_write_word(&w, "role", user ? "user" : "model");
	if (json_type(f.parts) == JSON_ARRAY) {
		json_write_value(&w, "parts", f.parts);
		ok = true;
	} else {
		ok = write_parts(&w, f.content) && ok;
	}
	json_end_object(&w);
	if (!ok)
		*reason = "a message has a text, texts or parts";
	return ok ? line_end(&w) : -EINVAL;
}

/* A record of the agent, whose ids are made anew. */
static int add_entry(const struct session *s, struct json line,
		     struct change *c, const char **reason)
{
	JSON_FIELDS(f, line, type, uuid, parentUuid, timestamp, message);
	bool copy = json_is_string(f.uuid);
	uint32_t parent = s->now.leaf;
	struct line_changes l = { 0 };
	struct buf id BUF_SCOPED = BUF_INTO(&c->lines);
	if (json_type(f.type) == JSON_ABSENT)
		return add_message(s, line, c, reason);
	if (!copy && json_is_string(f.parentUuid))
		parent = ingest_find_id(s, f.parentUuid);
	if (!copy && json_type(f.parentUuid) == JSON_NULL)
		parent = INDEX_NONE;
	if (!JSON_IS(f.type, "user", "assistant", "tool_result", "system"))
		*reason = "Qwen Code drops lines of this `type`";
	else if (!json_is(f.type, SPAN("system")) &&
		 (json_type(qwen_parts(f.message)) == JSON_ABSENT ||
		  !JSON_IS(json_get(f.message, "role"), "user", "model")))
		*reason = "a message must have `parts`, and the `role` user or "
			  "model";
	else if (parent == INDEX_NONE && s->now.leaf != INDEX_NONE &&
		 json_is_string(f.parentUuid))
		*reason = "the parent is not an entry of this session";
	if (*reason)
		return -EINVAL;
	ids_new_uuid(s, &id);
	json_quote(line_change(&l, "uuid"), buf_span(&id));
	line_quote_id(line_change(&l, "parentUuid"), s, named(s, parent));
	buf_add(line_change(&l, "sessionId"), session_header(s, "id").raw);
	if (!json_is_string(f.timestamp))
		line_quote_time(line_change(&l, "timestamp"), timestamp_now());
	line_add_spliced(&c->lines, line, &l);
	return buf_error(&c->lines);
}

const struct dialect_writing qwen_writing = {
	.move_head = move_head,
	.set_label = own_file_set_label,
	.add_entry = add_entry,
	.set_name = set_name,
};

/* A line as the agent's own forks have it. */
static int copy_line(const struct session *s, uint32_t entry, struct span id,
		     struct buf *out)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	struct line_changes c = { 0 };
	int err = session_read(s, entry, &line, &json);
	if (!err) {
		json_quote(line_change(&c, "sessionId"), id);
		line_quote_origin(line_change(&c, "forkedFrom"), s,
				  named(s, entry));
		line_add_spliced(out, json, &c);
	}
	return err ? err : buf_error(out);
}

int qwen_branch(const struct session *s, uint32_t entry, unsigned nth,
		struct buf *out)
{
	struct buf id BUF_SCOPED = { 0 };
	struct path path = { 0 };
	ids_derive_branch(&id, s, entry, nth);
	int err = buf_error(&id);
	if (!err)
		err = path_load(&path, s, named(s, entry));
	for (uint32_t i = 0; i < path.n && !err; i++) {
		err = copy_line(s, path.list[i], buf_span(&id), out);
		uint32_t k = INDEX_NONE;
		while (!err &&
		       (k = qwen_next_more(s, path.list[i], k)) != INDEX_NONE)
			err = copy_line(s, k, buf_span(&id), out);
	}
	path_free(&path);
	return err;
}
