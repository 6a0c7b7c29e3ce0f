/*
 * The context of an entry: the items that Codex (0.171.0) posts as `input` when
 * it resumes a thread whose last line is the entry's.
 *
 *   1. The newest compaction on the path that has a list (replacement_history)
 *      replaces all before it by that list.
 *   2. A compaction without a list after it leaves messages of the user
 *      (local_compaction.c).
 *   3. The items of the path follow, and messages between agents as
 *      agent_message items. Messages of the role "system", items of types that
 *      the agent does not know, and lines that it can't decode are not sent.
 *   4. Outputs without a call are dropped, and calls without an output get one
 *      (calls.c).
 *
 * What other agents take of it (MESSAGE_FORM_TAKEN) is without the compactions
 * whose list only OpenAI's service can read, where the path has what they have
 * replaced.
 *
 * The agent puts its base instructions before these items, and what is new of
 * its surroundings after them. Neither is in the file, or here.
 */
#include "core/dialects/codex/codex.h"

#include "core/json/js.h"

/* A piece's kind is an enum codex_item_type. Its flags: */
#define IN_LIST 1U /* it is in the list of a compaction */

/* Places in the path. */
struct places {
	uint32_t after_list;	   /* of the newest compaction with one */
	uint32_t after_compaction; /* the last one that follows that */
	uint32_t first_turn;	   /* find_first_turn() */
};

int codex_read_sent(const struct session *s, uint32_t entry, struct buf *line,
		    struct codex_line *l)
{
	struct json json;
	enum entry_type type = session_entry(s, entry)->type;
	*l = (struct codex_line){ .kind = CODEX_UNKNOWN };
	if (type != ENTRY_MESSAGE && type != ENTRY_COMPACTION)
		return 0;
	int err = session_peek(s, entry, line, NULL, &json);
	if (!err && !(codex_line_read(json, l) && codex_line_decodes(json, l)))
		l->kind = CODEX_UNKNOWN;
	return err;
}

static int add_item(struct sending *x, uint32_t entry, struct json item,
		    uint8_t flags)
{
	struct piece p = { .entry = entry,
			   .kind = (uint8_t)codex_item_type(item),
			   .flags = flags,
			   .from = x->json.len };
	buf_add(&x->json, item.raw);
	return sending_add(x, p);
}

/* Has a list what only the service that made it can read? */
static bool is_opaque(struct json list)
{
	JSON_EACH(item, list) {
		enum codex_item_type type = codex_item_type(item);
		if (type == CODEX_COMPACTION ||
		    type == CODEX_CONTEXT_COMPACTION)
			return true;
	}
	return false;
}

/* Find the place of the path at which the first turn begins, once. */
static int find_first_turn(struct sending *x)
{
	struct places *places = x->own;
	struct buf line BUF_SCOPED = { 0 };
	struct codex_line l;
	int err = 0;
	for (; places->first_turn < x->path->n; places->first_turn++) {
		err = codex_read_sent(x->s, x->path->list[places->first_turn],
				      &line, &l);
		if (err ||
		    (l.kind == CODEX_ITEM && codex_begins_turn(l.payload)))
			break;
	}
	return err;
}

/*
 * Read the compaction at a place of the path. For another agent one is none if
 * it can't be read, and the path has what it replaced.
 */
static int read_compaction(struct sending *x, uint32_t place, struct buf *line,
			   struct codex_line *l)
{
	struct places *places = x->own;
	int err = codex_read_sent(x->s, x->path->list[place], line, l);
	if (err || l->kind != CODEX_COMPACTED ||
	    x->to->form != MESSAGE_FORM_TAKEN ||
	    !is_opaque(json_get(l->payload, "replacement_history")))
		return err;
	err = find_first_turn(x);
	if (places->first_turn < place)
		l->kind = CODEX_UNKNOWN;
	return err;
}

static int start_at_newest_list(struct sending *x)
{
	struct places *places = x->own;
	struct buf line BUF_SCOPED = { 0 };
	struct codex_line l;
	int err = 0;
	for (uint32_t i = x->path->n; i-- > 0 && !err;) {
		uint32_t entry = x->path->list[i];
		if (session_entry(x->s, entry)->type != ENTRY_COMPACTION)
			continue;
		err = read_compaction(x, i, &line, &l);
		if (err || l.kind != CODEX_COMPACTED)
			continue;
		if (places->after_compaction == 0)
			places->after_compaction = i + 1;
		if (!codex_has_list(l.payload))
			continue;
		places->after_list = i + 1;
		JSON_EACH_WHILE(!err, item,
				json_get(l.payload, "replacement_history"))
			err = add_item(x, entry, item, IN_LIST);
		break;
	}
	return err;
}

static int compact_without_list(struct sending *x)
{
	const struct places *places = x->own;
	return places->after_compaction > places->after_list
		       ? codex_compact(x, places->after_list,
				       places->after_compaction - 1)
		       : 0;
}

/*
 * What stands before a message that only its reader can decrypt. One that makes
 * its reader begin a turn is a task.
 */
static void write_envelope(struct json_writer *w, struct json author,
			   struct json recipient, bool is_task)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	buf_addf(&text, "Message Type: %s\nTask name: ",
		 is_task ? "NEW_TASK" : "MESSAGE");
	json_decode(&text, recipient);
	buf_adds(&text, "\nSender: ");
	json_decode(&text, author);
	buf_adds(&text, "\nPayload:\n");
	codex_write_text(w, buf_span(&text));
}

/* Add a message between agents as the item that it is sent as. */
static int add_agent(struct sending *x, uint32_t entry, struct json payload)
{
	struct piece p = { .entry = entry,
			   .kind = CODEX_AGENT_MESSAGE,
			   .from = x->json.len };
	struct json_writer w = { .out = &x->json };
	JSON_FIELDS(f, payload, id, author, recipient, content,
		    encrypted_content, trigger_turn);
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "agent_message");
	if (!js_is_nullish(f.id))
		json_write_value(&w, "id", f.id);
	json_write_value(&w, "author", f.author);
	json_write_value(&w, "recipient", f.recipient);
	json_begin_array(&w, "content");
	if (js_is_nullish(f.encrypted_content)) {
		codex_write_quoted(&w, f.content);
	} else {
		write_envelope(&w, f.author, f.recipient,
			       json_type(f.trigger_turn) == JSON_TRUE);
		json_begin_object(&w, NULL);
		json_write_word(&w, "type", "encrypted_content");
		json_write_value(&w, "encrypted_content", f.encrypted_content);
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
	return sending_add(x, p);
}

/* Is an item of a line sent? Those in lists all are. */
static bool is_sent(struct json item)
{
	enum codex_item_type type = codex_item_type(item);
	return type == CODEX_MESSAGE
		       ? !json_is(json_get(item, "role"), SPAN("system"))
		       : type != CODEX_OTHER;
}

static int add_items(struct sending *x)
{
	const struct places *places = x->own;
	struct buf line BUF_SCOPED = { 0 };
	struct codex_line l;
	int err = 0;
	for (uint32_t i = places->after_compaction; i < x->path->n && !err;
	     i++) {
		uint32_t entry = x->path->list[i];
		err = codex_read_sent(x->s, entry, &line, &l);
		if (!err && l.kind == CODEX_ITEM && is_sent(l.payload))
			err = add_item(x, entry, l.payload, 0);
		else if (!err && l.kind == CODEX_AGENT)
			err = add_agent(x, entry, l.payload);
	}
	return err;
}

/* -- for other agents */

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

static int take(struct messages *to, struct json item, int64_t when)
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

/* -- as it is posted */

/* Send an item as it is posted, which is of the entry of a piece. */
static int send_posted(struct sending *x, const struct piece *p,
		       const struct buf *posted)
{
	struct messages *to = x->to;
	struct json v;
	struct buf list BUF_SCOPED = { 0 };
	int err = buf_error(posted);
	if (!err)
		err = json_check(buf_span(posted), &v);
	if (!err && to->form == MESSAGE_FORM_TAKEN)
		return take(to, v, sending_time(x, p->entry));
	if (err)
		return err;
	struct message m = { .role = codex_role(v),
			     .source = v,
			     .how = CONTENT_JSON,
			     .content = json_get(v, "content") };
	if (m.role == MESSAGE_TOOL_RESULT) {
		m.content = json_get(v, "output");
	} else if (m.role == MESSAGE_ASSISTANT &&
		   codex_item_type(v) != CODEX_MESSAGE) {
		/* A call is an item, not a block of a message. */
		buf_addc(&list, '[');
		buf_add(&list, v.raw);
		buf_addc(&list, ']');
		m.content = (struct json){ .raw = buf_span(&list) };
	}
	err = buf_error(&list);
	if (!err)
		messages_add(to, &m);
	return err;
}

/* A piece as the agent posts it, and the output that a call lacks. */
static int send(struct sending *x, const struct piece *p)
{
	struct buf posted BUF_SCOPED = { 0 };
	struct json_writer w = { .out = &posted };
	codex_item_write(&w, sending_json(x, p), p->flags & IN_LIST);
	int err = send_posted(x, p, &posted);
	buf_reset(&posted);
	w = (struct json_writer){ .out = &posted };
	if (!err)
		err = codex_write_missing_output(x, p, &w);
	return err > 0 ? send_posted(x, p, &posted) : err;
}

static int write_as_posted(struct sending *x)
{
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err; i++) {
		if (!x->list[i].dropped)
			err = send(x, &x->list[i]);
	}
	return err;
}

int codex_context(const struct session *s, const struct path *p,
		  struct messages *to)
{
	static sending_pass *const passes[] = { start_at_newest_list,
						compact_without_list,
						add_items,
						codex_note_calls,
						codex_drop_orphan_outputs,
						write_as_posted,
						NULL };
	struct places places = { 0 };
	struct sending x = { .s = s, .path = p, .to = to, .own = &places };
	return sending_run(&x, passes);
}
