#include "core/dialects/codex/context.h"

#include <errno.h>
#include <stdlib.h>
#include <uuid/uuid.h>

#include "core/base/array.h"
#include "core/dialects/codex/fragment.h"
#include "core/dialects/codex/ingest.h"
#include "core/dialects/codex/item.h"
#include "core/dialects/codex/line.h"
#include "core/json/js.h"

/* What a compaction without a list leaves of the user's messages. */
#define KEPT_TOKENS ((size_t)20000)
#define TOKEN_BYTES ((size_t)4)

/* A sent item: its JSON, as it is in the file, in history.bytes. */
struct sent {
	size_t at;
	size_t n;
	enum codex_item_type type;
	bool listed; /* it is in the list of a compaction */
	bool dropped;
};

/* A message of the user that compactions without a list pass on. */
struct user {
	struct buf id;	  /* as JSON, or empty */
	struct buf text;  /* of all its parts */
	struct buf parts; /* their sizes, each a size_t */
	bool cut;	  /* and one may look like a note of the harness now */
};

/* Those of them that are kept so far. */
struct users {
	struct user *list;
	size_t first; /* those before it were dropped */
	size_t n;
	size_t cap;
	size_t tokens;
};

/*
 * What is sent: the users' messages first, then the items. So thousands of
 * compactions do not write the same messages again and again.
 */
struct history {
	const struct session *s;
	struct users users;
	struct buf bytes;
	struct sent *list;
	size_t n;
	size_t cap;
};

static void user_free(struct user *u)
{
	buf_free(&u->id);
	buf_free(&u->text);
	buf_free(&u->parts);
}

static void users_free(struct users *u)
{
	for (size_t i = u->first; i < u->n; i++)
		user_free(&u->list[i]);
	free(u->list);
	*u = (struct users){ 0 };
}

static void history_free(struct history *h)
{
	users_free(&h->users);
	buf_free(&h->bytes);
	free(h->list);
}

static struct span text_of(const struct history *h, const struct sent *i)
{
	return (struct span){ h->bytes.data + i->at, i->n };
}

/* The value of an item; absent without memory. */
static struct json value_of(const struct history *h, const struct sent *i)
{
	struct json v;
	if (json_check(text_of(h, i), &v) < 0)
		return (struct json){ 0 };
	return v;
}

/* Add the item that begins there in history.bytes. */
static int push(struct history *h, size_t at, enum codex_item_type type)
{
	if (h->bytes.failed || array_reserve(&h->list, &h->cap, h->n, 1) < 0)
		return -ENOMEM;
	h->list[h->n++] =
		(struct sent){ .at = at, .n = h->bytes.len - at, .type = type };
	return 0;
}

static int add_item(struct history *h, struct json item)
{
	size_t at = h->bytes.len;
	buf_add(&h->bytes, item.raw);
	return push(h, at, codex_item_type(item));
}

/* Is an item of a line sent? Those in lists all are. */
static bool is_sent(struct json item)
{
	enum codex_item_type type = codex_item_type(item);
	if (type == CODEX_MESSAGE)
		return !json_is(json_get(item, "role"), SPAN("system"));
	return type != CODEX_NO_ITEM && type != CODEX_OTHER;
}

static void write_text(struct json_writer *w, struct json text)
{
	json_begin_object(w, NULL);
	json_write_word(w, "type", "input_text");
	json_write_value(w, "text", text);
	json_end_object(w);
}

/*
 * What stands before a message that only its reader can decrypt. One that makes
 * its reader begin a turn is a task.
 */
static void write_envelope(struct json_writer *w, struct json author,
			   struct json recipient, bool is_task)
{
	struct buf text = { 0 };
	buf_addf(&text, "Message Type: %s\nTask name: ",
		 is_task ? "NEW_TASK" : "MESSAGE");
	json_decode(&text, recipient);
	buf_adds(&text, "\nSender: ");
	json_decode(&text, author);
	buf_adds(&text, "\nPayload:\n");
	codex_write_text(w, buf_span(&text));
	buf_free_into(&text, w->out);
}

static void write_unless_null(struct json_writer *w, const char *key,
			      struct json v)
{
	if (!js_is_nullish(v))
		json_write_value(w, key, v);
}

/* Add a message between agents as the item that it is sent as. */
static int add_agent(struct history *h, struct json payload)
{
	struct buf item = { 0 };
	struct json v;
	struct json_writer w = { .out = &item };
	JSON_FIELDS(f, payload, id, author, recipient, content,
		    encrypted_content, trigger_turn);
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "agent_message");
	write_unless_null(&w, "id", f.id);
	write_unless_null(&w, "author", f.author);
	write_unless_null(&w, "recipient", f.recipient);
	json_begin_array(&w, "content");
	if (js_is_nullish(f.encrypted_content)) {
		write_text(&w, f.content);
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
	int err = buf_error(&item);
	if (!err)
		err = json_check(buf_span(&item), &v);
	if (!err)
		err = add_item(h, v);
	buf_free(&item);
	return err;
}

static int add_list(struct history *h, struct json list)
{
	struct json_walk w = json_walk(list);
	struct json item;
	int err = 0;
	while (!err && json_next_element(&w, &item)) {
		err = add_item(h, item);
		if (!err)
			h->list[h->n - 1].listed = true;
	}
	return err;
}

static void add_part(struct user *u, struct span text)
{
	buf_add(&u->text, text);
	buf_add(&u->parts, (struct span){ (char *)&text.n, sizeof(text.n) });
}

static void add_parts(struct user *u, struct json item)
{
	struct json_walk w = json_walk(json_get(item, "content"));
	struct json part;
	struct buf text = { 0 };
	while (json_next_element(&w, &part)) {
		JSON_FIELDS(f, part, type, text);
		if (!json_is(f.type, SPAN("input_text")))
			continue;
		buf_clear(&text);
		json_decode(&text, f.text);
		add_part(u, buf_span(&text));
	}
	buf_free_into(&text, &u->text);
}

/* The next of its parts; false at the end. Both positions start at 0. */
static bool next_part(const struct user *u, size_t *i, size_t *at,
		      struct span *part)
{
	if (*i == u->parts.len)
		return false;
	memcpy(&part->n, u->parts.data + *i, sizeof(part->n));
	part->p = buf_span(&u->text).p + *at;
	*i += sizeof(part->n);
	*at += part->n;
	return true;
}

static bool has_failed(const struct user *u)
{
	return u->id.failed || u->text.failed || u->parts.failed;
}

static size_t tokens_of(const struct user *u)
{
	return (u->text.len + TOKEN_BYTES - 1) / TOKEN_BYTES;
}

static bool continues_character(struct span text, size_t at)
{
	return at < text.n && ((unsigned char)text.p[at] & 0xC0) == 0x80;
}

/*
 * Add a part that is cut out of the middle of a message: what it has of the
 * first `head` bytes, and what is after the first `tail`. `at`: where it begins
 * in the message. `note` is added once, after the head.
 */
static void cut_part(struct user *u, struct span text, size_t at, size_t head,
		     size_t tail, struct buf *note)
{
	size_t first = head > at ? head - at : 0;
	size_t rest = tail > at ? tail - at : 0;
	if (first > text.n)
		first = text.n;
	if (rest > text.n)
		rest = text.n;
	while (first > 0 && continues_character(text, first))
		first--;
	while (rest < text.n && continues_character(text, rest))
		rest++;
	if (first > 0 || text.n == 0)
		add_part(u, (struct span){ text.p, first });
	if (first < text.n && note->len > 0) {
		add_part(u, buf_span(note));
		buf_clear(note);
	}
	if (rest < text.n)
		add_part(u, (struct span){ text.p + rest, text.n - rest });
}

/* Cut a message to so many tokens, if it has more. */
static int cut_user(struct user *u, size_t tokens)
{
	size_t kept = tokens * TOKEN_BYTES;
	size_t head = kept / 2;
	size_t size = u->text.len;
	struct user cut = { 0 };
	struct buf note = { 0 };
	struct span part;
	if (size <= kept)
		return 0;
	buf_addf(&note, "…%zu tokens truncated…",
		 (size - kept + TOKEN_BYTES - 1) / TOKEN_BYTES);
	for (size_t i = 0, at = 0; next_part(u, &i, &at, &part);)
		cut_part(&cut, part, at - part.n, head, size - (kept - head),
			 &note);
	int err = note.failed || has_failed(&cut) ? -ENOMEM : 0;
	cut.id = u->id;
	cut.cut = true;
	u->id = (struct buf){ 0 };
	user_free(u);
	*u = cut;
	buf_free(&note);
	return err;
}

/* Begin a message of the user that the agent makes. `id` is JSON, or empty. */
static struct json_writer begin_message(struct history *h, struct span id)
{
	struct json_writer w = { .out = &h->bytes };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "message");
	if (id.n > 0)
		json_write_value(&w, "id", (struct json){ .raw = id });
	json_write_word(&w, "role", "user");
	json_begin_array(&w, "content");
	return w;
}

static int end_message(struct history *h, struct json_writer *w, size_t at)
{
	json_end_array(w);
	json_end_object(w);
	return push(h, at, CODEX_MESSAGE);
}

static int write_user(struct history *h, const struct user *u)
{
	size_t from = h->bytes.len;
	struct json_writer w = begin_message(h, buf_span(&u->id));
	struct span part;
	for (size_t i = 0, at = 0; next_part(u, &i, &at, &part);)
		codex_write_text(&w, part);
	return end_message(h, &w, from);
}

static int add_user(struct users *to, struct json message)
{
	struct user u = { 0 };
	if (array_reserve(&to->list, &to->cap, to->n, 1) < 0)
		return -ENOMEM;
	buf_add(&u.id, json_get(message, "id").raw);
	add_parts(&u, message);
	int err = has_failed(&u) ? -ENOMEM : 0;
	if (err || (u.text.len > 0 && codex_is_summary(buf_span(&u.text)))) {
		user_free(&u);
		return err;
	}
	to->list[to->n++] = u;
	to->tokens += tokens_of(&u);
	return 0;
}

static void drop_user(struct users *u, size_t i)
{
	u->tokens -= tokens_of(&u->list[i]);
	user_free(&u->list[i]);
}

/* Is a message that was cut a note of the harness now? 1, 0 or -ENOMEM. */
static int is_note(const struct user *u)
{
	struct history one = { 0 };
	int is = write_user(&one, u);
	if (!is)
		is = codex_is_users_context(value_of(&one, &one.list[0]));
	history_free(&one);
	return is;
}

/* The agent judges the messages again that a compaction has left. */
static int judge_oldest(struct users *u)
{
	if (u->first == u->n || !u->list[u->first].cut)
		return 0;
	struct user *oldest = &u->list[u->first];
	int note = is_note(oldest);
	if (note < 0)
		return note;
	oldest->cut = false;
	if (note)
		drop_user(u, u->first++);
	return 0;
}

/* Add the messages of the user that are among the items. */
static int find_users(struct history *h)
{
	int err = judge_oldest(&h->users);
	for (size_t i = 0; i < h->n && !err; i++) {
		struct json v = value_of(h, &h->list[i]);
		if (h->list[i].type == CODEX_MESSAGE &&
		    json_is(json_get(v, "role"), SPAN("user")) &&
		    !codex_is_users_context(v))
			err = add_user(&h->users, v);
	}
	return err;
}

/* Keep the newest. The oldest of them is cut to what the others leave. */
static int trim_users(struct users *u)
{
	while (u->first < u->n &&
	       u->tokens - tokens_of(&u->list[u->first]) >= KEPT_TOKENS)
		drop_user(u, u->first++);
	if (u->first == u->n)
		return 0;
	struct user *oldest = &u->list[u->first];
	u->tokens -= tokens_of(oldest);
	int err = cut_user(oldest, KEPT_TOKENS - u->tokens);
	u->tokens += tokens_of(oldest);
	return err;
}

/* Replace the history by the newest messages of the user, and the text. */
static int compact(struct history *h, struct json text)
{
	int err = find_users(h);
	if (!err)
		err = trim_users(&h->users);
	h->n = 0;
	buf_clear(&h->bytes);
	if (err)
		return err;
	struct json_writer w = begin_message(h, SPAN(""));
	if (json_truthy(text))
		write_text(&w, text);
	else
		codex_write_text(&w, SPAN("(no summary available)"));
	return end_message(h, &w, 0);
}

/* Make items of the messages that compactions have left. */
static int write_users(struct history *h)
{
	struct history all = { .s = h->s };
	const struct users *u = &h->users;
	int err = 0;
	if (u->first == u->n)
		return 0;
	for (size_t i = u->first; i < u->n && !err; i++)
		err = write_user(&all, &u->list[i]);
	for (size_t i = 0; i < h->n && !err; i++) {
		size_t at = all.bytes.len;
		buf_add(&all.bytes, text_of(h, &h->list[i]));
		err = push(&all, at, h->list[i].type);
	}
	history_free(h);
	*h = all;
	return err;
}

/*
 * Drop the last messages of the user among the items, and what follows them.
 * Returns how many of n there were.
 */
static uint64_t drop_items(struct history *h, uint64_t n)
{
	size_t at = h->n;
	uint64_t found = 0;
	for (size_t i = h->n; i-- > 0 && found < n;) {
		if (codex_begins_turn(value_of(h, &h->list[i]))) {
			at = i;
			found++;
		}
	}
	h->n = at;
	return found;
}

/* The same with those before the items, which follow them. 0 or -ENOMEM. */
static int drop_turns(struct history *h, uint64_t n)
{
	struct users *u = &h->users;
	n -= drop_items(h, n);
	for (; n > 0 && u->n > u->first; n--) {
		/* Only the oldest was cut. */
		int note =
			u->list[u->n - 1].cut ? is_note(&u->list[u->n - 1]) : 0;
		if (note)
			return note < 0 ? note : 0;
		drop_user(u, --u->n);
		h->n = 0;
	}
	return 0;
}

static int take_back(struct history *h, uint32_t entry)
{
	const struct codex_rollback *r = codex_rollback_at(h->s, entry);
	/* The file has another line there by now. */
	if (!r)
		return -ESTALE;
	return drop_turns(h, r->drops);
}

static int add_line(struct history *h, struct json line, uint32_t entry)
{
	struct codex_line l;
	if (!codex_line_read(line, &l))
		return -ESTALE;
	switch (l.kind) {
	case CODEX_ITEM:
		return is_sent(l.payload) ? add_item(h, l.payload) : 0;
	case CODEX_AGENT:
		return add_agent(h, l.payload);
	case CODEX_COMPACTED:
		/* One with a list is the first, or void. */
		if (codex_has_list(l.payload))
			return 0;
		return compact(h, json_get(l.payload, "message"));
	case CODEX_ROLLBACK:
		return take_back(h, entry);
	default:
		return 0;
	}
}

/*
 * Where the history begins: behind the newest compaction that has a list, and
 * is not void. Its list is added.
 */
static int find_base(struct history *h, const struct path *p, uint32_t *from)
{
	struct buf line = { 0 };
	struct span text;
	struct json json;
	int err = 0;
	uint32_t leaf = p->n > 0 ? p->list[p->n - 1] : INDEX_NONE;
	struct codex_voids voids = codex_voids_for(h->s, leaf);
	*from = 0;
	for (uint32_t i = p->n; i-- > 0 && *from == 0 && !err;) {
		uint32_t entry = p->list[i];
		if (session_entry(h->s, entry)->type != ENTRY_COMPACTION ||
		    codex_is_void(&voids, entry))
			continue;
		err = session_peek(h->s, entry, &line, &text, &json);
		struct json payload = { 0 };
		if (!err)
			payload = json_get(json, "payload");
		if (codex_has_list(payload)) {
			err = add_list(
				h, json_get(payload, "replacement_history"));
			*from = i + 1;
		}
	}
	buf_free(&line);
	return err;
}

static int add_path(struct history *h, const struct path *p, uint32_t from)
{
	struct buf line = { 0 };
	struct span text;
	struct json json;
	int err = 0;
	for (uint32_t i = from; i < p->n && !err; i++) {
		enum entry_type type = session_entry(h->s, p->list[i])->type;
		if (type == ENTRY_MODEL || type == ENTRY_OTHER)
			continue;
		err = session_peek(h->s, p->list[i], &line, &text, &json);
		if (!err)
			err = add_line(h, json, p->list[i]);
	}
	buf_free(&line);
	return err;
}

/* Calls and outputs. */

static const struct output {
	enum codex_item_type type;
	const char *name;
	const char *prefix; /* of ids */
	/* The types of its calls. */
	enum codex_item_type calls[2];
} outputs[] = {
	{ CODEX_FUNCTION_OUTPUT,
	  "function_call_output",
	  "fco",
	  { CODEX_FUNCTION_CALL, CODEX_SHELL_CALL } },
	{ CODEX_CUSTOM_OUTPUT,
	  "custom_tool_call_output",
	  "ctco",
	  { CODEX_CUSTOM_CALL, CODEX_CUSTOM_CALL } },
	{ CODEX_SEARCH_OUTPUT,
	  "tool_search_output",
	  "tso",
	  { CODEX_SEARCH_CALL, CODEX_SEARCH_CALL } },
};
#define N_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static bool is_call_of(const struct output *o, enum codex_item_type type)
{
	return type == o->calls[0] || type == o->calls[1];
}

/* The ids of calls, or of outputs, of a kind, to be found. */
struct call_ids {
	struct idtable table;
	struct buf text;
	struct place {
		size_t at;
		size_t n;
	} * list;
	size_t n;
	size_t cap;
};

static struct span call_id_key(const void *owner, uint32_t value,
			       struct idtable_scratch *scratch)
{
	const struct call_ids *ids = owner;
	(void)scratch;
	return (struct span){ buf_span(&ids->text).p + ids->list[value].at,
			      ids->list[value].n };
}

static void call_ids_free(struct call_ids *ids)
{
	idtable_free(&ids->table);
	buf_free(&ids->text);
	free(ids->list);
}

static int add_call_id(struct call_ids *ids, struct json id)
{
	struct place p = { .at = ids->text.len };
	json_decode(&ids->text, id);
	p.n = ids->text.len - p.at;
	if (ids->text.failed ||
	    array_reserve(&ids->list, &ids->cap, ids->n, 1) < 0)
		return -ENOMEM;
	uint32_t value = (uint32_t)ids->n++;
	ids->list[value] = p;
	return idtable_add(&ids->table, call_id_key(ids, value, NULL), value);
}

/* 1, 0 or -ENOMEM. */
static int has_call_id(const struct call_ids *ids, struct json id)
{
	struct buf text = { 0 };
	json_decode(&text, id);
	int has = text.failed ? -ENOMEM
			      : idtable_find(&ids->table, ids,
					     buf_span(&text)) != IDTABLE_NONE;
	buf_free(&text);
	return has;
}

static int load_call_ids(const struct history *h, const struct output *o,
			 bool of_outputs, struct call_ids *ids)
{
	int err = 0;
	*ids = (struct call_ids){ 0 };
	idtable_init(&ids->table, call_id_key);
	for (size_t i = 0; i < h->n && !err; i++) {
		bool is = of_outputs ? h->list[i].type == o->type
				     : is_call_of(o, h->list[i].type);
		if (!is)
			continue;
		struct json id = json_get(value_of(h, &h->list[i]), "call_id");
		if (json_type(id) == JSON_STRING)
			err = add_call_id(ids, id);
	}
	return err;
}

/* Is an output sent that has no call? */
static bool stands_alone(struct json output)
{
	JSON_FIELDS(f, output, type, call_id, execution);
	return json_type(f.call_id) != JSON_STRING ||
	       (json_is(f.type, SPAN("tool_search_output")) &&
		json_is(f.execution, SPAN("server")));
}

static int drop_orphans(struct history *h, const struct output *o)
{
	struct call_ids calls;
	int err = load_call_ids(h, o, false, &calls);
	for (size_t i = 0; i < h->n && !err; i++) {
		if (h->list[i].type != o->type)
			continue;
		struct json v = value_of(h, &h->list[i]);
		int has = has_call_id(&calls, json_get(v, "call_id"));
		err = has < 0 ? has : 0;
		h->list[i].dropped = has == 0 && !stands_alone(v);
	}
	call_ids_free(&calls);
	return err;
}

/*
 * The id of an output that the agent makes up, from that of the call's item. It
 * is a UUID of version 5 in a name space of the agent's.
 */
static void write_made_id(struct json_writer *w, const struct output *o,
			  struct json item)
{
	static const uuid_t space = { 0x90, 0xd3, 0x8d, 0x3e, 0x6a, 0x5b,
				      0x4d, 0x52, 0xbf, 0xe2, 0x2f, 0x1e,
				      0x63, 0x4b, 0xfa, 0xc4 };
	struct buf name = { 0 };
	struct buf id = { 0 };
	char text[UUID_STR_LEN];
	uuid_t uuid = { 0 };
	buf_addf(&name, "%s:", o->prefix);
	json_decode(&name, item);
	if (!name.failed)
		uuid_generate_sha1(uuid, space, name.data, name.len);
	uuid_unparse_lower(uuid, text);
	buf_addf(&id, "%s_%s", o->prefix, text);
	buf_inherit(&id, &name);
	json_write_string_buf(w, "id", &id);
	buf_free(&name);
	buf_free(&id);
}

/* The output that the agent makes up for a call. */
static int make_output(struct json call, const struct output *o,
		       struct json call_id, struct buf *out)
{
	struct json_writer w = { .out = out };
	struct json id = json_get(call, "id");
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", o->name);
	if (json_truthy(id))
		write_made_id(&w, o, id);
	json_write_value(&w, "call_id", call_id);
	if (o->type == CODEX_SEARCH_OUTPUT) {
		json_write_word(&w, "status", "completed");
		json_write_word(&w, "execution", "client");
		json_begin_array(&w, "tools");
		json_end_array(&w);
	} else {
		json_write_word(&w, "output", "aborted");
	}
	json_end_object(&w);
	return buf_error(out);
}

/* Sending. */

static enum message_role role_of(struct json item, enum codex_item_type type)
{
	struct json role = json_get(item, "role");
	switch (type) {
	case CODEX_MESSAGE:
		return json_is(role, SPAN("user"))	  ? MESSAGE_USER
		       : json_is(role, SPAN("assistant")) ? MESSAGE_ASSISTANT
							  : MESSAGE_DEVELOPER;
	case CODEX_AGENT_MESSAGE:
		return MESSAGE_USER;
	case CODEX_FUNCTION_OUTPUT:
	case CODEX_CUSTOM_OUTPUT:
		return MESSAGE_TOOL_RESULT;
	case CODEX_SHELL_CALL:
	case CODEX_FUNCTION_CALL:
	case CODEX_CUSTOM_CALL:
	case CODEX_SEARCH_CALL:
	case CODEX_WEB_SEARCH:
		return MESSAGE_ASSISTANT;
	default: /* of no text */
		return MESSAGE_SYSTEM;
	}
}

static int send_text(struct messages *to, struct span text,
		     enum codex_item_type type)
{
	struct json v;
	struct buf list = { 0 };
	int err = json_check(text, &v);
	if (err)
		return err;
	struct message m = { .role = role_of(v, type),
			     .source = v,
			     .how = CONTENT_JSON,
			     .content = json_get(v, "content") };
	if (m.role == MESSAGE_TOOL_RESULT) {
		m.content = json_get(v, "output");
	} else if (m.role == MESSAGE_ASSISTANT && type != CODEX_MESSAGE) {
		/* A call is an item, not a block of a message. */
		buf_addc(&list, '[');
		buf_add(&list, text);
		buf_addc(&list, ']');
		m.content.raw = buf_span(&list);
		m.content.ends = NULL;
	}
	if (list.failed)
		err = -ENOMEM;
	else
		messages_add(to, &m);
	buf_free(&list);
	return err;
}

/* Send an item as the agent posts it. */
static int send_item(struct messages *to, struct json item,
		     const struct sent *sent)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	codex_item_write(&w, item, sent->listed);
	int err = buf_error(&text);
	if (!err)
		err = send_text(to, buf_span(&text), sent->type);
	buf_free(&text);
	return err;
}

/* Send an item, and the output that it lacks. */
static int send(const struct history *h, const struct sent *item,
		const struct call_ids made[], struct messages *to)
{
	struct json v = value_of(h, item);
	int err = send_item(to, v, item);
	for (size_t k = 0; k < N_OUTPUTS && !err; k++) {
		const struct output *o = &outputs[k];
		struct buf out = { 0 };
		if (!is_call_of(o, item->type))
			continue;
		struct json id = json_get(v, "call_id");
		if (json_type(id) != JSON_STRING)
			continue;
		int has = has_call_id(&made[k], id);
		err = has < 0 ? has : 0;
		if (has == 0)
			err = make_output(v, o, id, &out);
		if (has == 0 && !err)
			err = send_text(to, buf_span(&out), o->type);
		buf_free(&out);
	}
	return err;
}

static int send_all(struct history *h, struct messages *to)
{
	struct call_ids made[N_OUTPUTS];
	int err = 0;
	for (size_t k = 0; k < N_OUTPUTS; k++) {
		if (!err)
			err = drop_orphans(h, &outputs[k]);
		int got = load_call_ids(h, &outputs[k], true, &made[k]);
		err = err ? err : got;
	}
	for (size_t i = 0; i < h->n && !err; i++) {
		if (!h->list[i].dropped)
			err = send(h, &h->list[i], made, to);
	}
	for (size_t k = 0; k < N_OUTPUTS; k++)
		call_ids_free(&made[k]);
	return err ? err : buf_error(to->out);
}

int codex_context(const struct session *s, const struct path *p,
		  struct messages *to)
{
	struct history h = { .s = s };
	uint32_t from;
	int err = find_base(&h, p, &from);
	if (!err)
		err = add_path(&h, p, from);
	if (!err)
		err = write_users(&h);
	if (!err)
		err = send_all(&h, to);
	history_free(&h);
	return err;
}
