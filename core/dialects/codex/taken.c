/*
 * What another agent is told of an item that Codex would post (core/as/):
 *
 *   message             The user's, without parts that are notes (fragment.c),
 *                       and the assistant's. Those of the developer are not.
 *   agent_message       A message of the user.
 *   reasoning           What is readable of it.
 *   calls, and outputs  So they are. The tools that a search has found are the
 *                       agent's own, and left out.
 *   web_search_call     It has no id and no output, so it is not a call.
 *   image_generation_call   A picture of the assistant.
 *   compaction          That there was one, where all that it replaced is not
 *                       on the path: it can be read by its maker alone.
 *
 * An item has the time of its line. Those in the list of a compaction have that
 * of the compaction.
 */
#include "core/dialects/codex/codex.h"

#define COMPACTED                                                              \
	"[What was said before was compacted here. The summary is encrypted, " \
	"and only the service that made it can read it.]"

static bool is_note(struct json part)
{
	struct buf text BUF_SCOPED = { 0 };
	JSON_FIELDS(f, part, type, text);
	if (json_is(f.type, SPAN("input_text")))
		json_decode(&text, f.text);
	return codex_is_note(buf_span(&text));
}

static bool is_encrypted(struct json part)
{
	return json_is(json_get(part, "type"), SPAN("encrypted_content"));
}

/* Write those parts of a content that are not left out. */
static void write_without(struct json_writer *w, struct json content,
			  bool (*left_out)(struct json part))
{
	JSON_EACH(part, content) {
		if (!left_out(part))
			json_write_value(w, NULL, part);
	}
}

/* Take the blocks of an item, which are written to a list. */
static int take_blocks(struct messages *to, struct json item, struct message *m)
{
	struct buf list BUF_SCOPED = { 0 };
	struct json_writer w = { .out = &list };
	enum codex_item_type type = codex_item_type(item);
	JSON_FIELDS(f, item, content, summary);
	json_begin_array(&w, NULL);
	if (type == CODEX_AGENT_MESSAGE) {
		write_without(&w, f.content, is_encrypted);
	} else if (type == CODEX_REASONING) {
		json_write_elements(&w, f.summary);
		json_write_elements(&w, f.content);
	} else if (type != CODEX_MESSAGE) {
		json_write_value(&w, NULL, item);
	} else if (m->role == MESSAGE_USER) {
		write_without(&w, f.content, is_note);
	} else {
		json_write_elements(&w, f.content);
	}
	json_end_array(&w);
	m->content.raw = buf_span(&list);
	m->note = m->role == MESSAGE_DEVELOPER || !json_has_members(m->content);
	int err = buf_error(&list);
	if (!err)
		messages_add(to, m);
	return err;
}

int codex_take(struct messages *to, struct json item, int64_t when)
{
	struct message m = { .role = codex_role(item),
			     .how = CONTENT_JSON,
			     .when = when };
	switch (m.role) {
	case MESSAGE_SYSTEM:
		return 0;
	case MESSAGE_TOOL_RESULT:
		m.result = codex_item_result(item);
		m.content = m.result.content;
		break;
	case MESSAGE_SUMMARY:
		m.how = CONTENT_TEXT;
		m.text = SPAN(COMPACTED);
		break;
	default:
		return take_blocks(to, item, &m);
	}
	messages_add(to, &m);
	return 0;
}
