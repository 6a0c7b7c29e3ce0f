/*
 * Conversations of other agents as sessions of Pi and of oh-my-pi
 * (dialect_receiving; Pi 1.6.0, oh-my-pi 18.3.4). Both have a header, and then
 * a message for each turn in one chain. They differ in where the title stands,
 * and in what else a message says.
 *
 *   ids        eight digits that no other entry of the file has
 *   pictures   as the APIs take them (core/as/api.h); others, and those
 *              at an address, which neither agent fetches, in words
 *   user       texts side by side are one, each on lines of its own: both
 *              agents show a user's texts with nothing between them
 *   assistant  of the model that had it, if the agent that had it says which;
 *              from an API that no model has, so that nothing is taken for
 *              what a model may be given back unchanged. It has used nothing:
 *              what it cost stands in the session that it is from
 *   result     the tool's name as it is, whether or not the agent has the tool
 */
#include "core/dialects/pi/pi.h"

#include <stdio.h>

#include "core/as/api.h"
#include "core/json/timestamp.h"
#include "core/session/block.h"

#define ID_SIZE 9
/* Odd, so that no two numbers below 2^32 have the same product. */
#define ID_STEP 2654435761u

/* Write the id of an entry by its number. */
static void write_id(struct json_writer *w, const char *key,
		     const struct pi_receiving *x, uint32_t n)
{
	char id[ID_SIZE];
	snprintf(id, sizeof(id), "%08x", x->first_id + n * ID_STEP);
	json_write_word(w, key, id);
}

struct json_writer pi_receive_header(struct pi_receiving *x)
{
	struct buf id BUF_SCOPED = { 0 };
	ids_derive_uuid(&x->ids, &id, SPAN("session"));
	struct json_writer w = line_begin(x->out, "session");
	json_write_number(&w, "version", PI_VERSION);
	json_write_string_buf(&w, "id", &id);
	line_add_time(&w, "timestamp", x->c->begun);
	json_write_string_buf(&w, "cwd", &x->c->cwd);
	json_write_word(&w, "parentSession", x->c->file);
	return w;
}

/* Begin an entry below the one before. */
static struct json_writer begin_entry(struct pi_receiving *x, const char *type,
				      int64_t time)
{
	struct json_writer w = line_begin(x->out, type);
	w.utf8 = true;
	write_id(&w, "id", x, x->n);
	if (x->n > 0)
		write_id(&w, "parentId", x, x->n - 1);
	else
		json_write_null(&w, "parentId");
	x->n++;
	line_add_time(&w, "timestamp", time);
	return w;
}

/*
 * Write those of n parts that are texts, up to the first that is none, as one.
 * Returns how many they are.
 */
static uint32_t write_texts(struct json_writer *w, const struct part *p,
			    uint32_t n)
{
	struct buf text BUF_SCOPED = BUF_INTO(w->out);
	uint32_t i = 0;
	for (; i < n && p[i].type != PART_CALL && !api_takes_data(&p[i]); i++) {
		buf_adds(&text, i > 0 ? "\n" : "");
		api_add_text(&text, &p[i]);
	}
	block_write_text(w, buf_span(&text));
	return i;
}

/* Write the parts of a turn. Returns whether it has calls. */
static bool write_content(struct json_writer *w, const struct conversation *c,
			  const struct turn *t)
{
	bool calls = false;
	json_begin_array(w, "content");
	for (uint32_t i = 0; i < t->n;) {
		const struct part *p = &c->parts[t->first + i];
		if (p->type != PART_CALL && !api_takes_data(p)) {
			i += write_texts(w, p,
					 t->role == TURN_USER ? t->n - i : 1);
			continue;
		}
		json_begin_object(w, NULL);
		if (p->type == PART_CALL) {
			calls = true;
			json_write_word(w, "type", "toolCall");
			json_write_string(w, "id", p->id);
			json_write_value(w, "name", p->name);
			conversation_write_object(w, "arguments", p->arguments);
		} else {
			json_write_word(w, "type", "image");
			json_write_string(w, "data", p->data);
			json_write_string(w, "mimeType", api_mime(p));
		}
		json_end_object(w);
		i++;
	}
	json_end_array(w);
	return calls;
}

/* PROVIDER/MODEL, as Pi's family has it, or a model of the agent's provider. */
static void write_model(struct json_writer *w, const struct conversation *c)
{
	static const struct maker {
		const char *agent;
		const char *provider;
	} makers[] = { { "claude", "anthropic" },
		       { "codex", "openai" },
		       { "qwen", "qwen" } };
	struct span model = buf_span(&c->model);
	const char *slash = model.n > 0 ? memchr(model.p, '/', model.n) : NULL;
	struct span provider = span_of(c->agent);
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (span_eq(span_of(c->agent), span_of(makers[i].agent)))
			provider = span_of(makers[i].provider);
	}
	if (slash) {
		provider = (struct span){ model.p, (size_t)(slash - model.p) };
		model.p = slash + 1;
		model.n -= provider.n + 1;
	}
	json_write_string(w, "provider", provider);
	json_write_string(w, "model", model.n > 0 ? model : SPAN("unknown"));
}

static void add_turn(struct pi_receiving *x, const struct turn *t)
{
	static const struct json no_usage = {
		.raw = SPAN("{\"input\":0,\"output\":0,\"cacheRead\":0,"
			    "\"cacheWrite\":0,\"totalTokens\":0,"
			    "\"cost\":{\"input\":0,\"output\":0,"
			    "\"cacheRead\":0,\"cacheWrite\":0,\"total\":0}}")
	};
	struct json_writer w = begin_entry(x, "message", t->time);
	json_begin_object(&w, "message");
	if (t->role == TURN_ASSISTANT) {
		json_write_word(&w, "role", "assistant");
		bool calls = write_content(&w, x->c, t);
		json_write_word(&w, "api", "unknown");
		write_model(&w, x->c);
		json_write_value(&w, "usage", no_usage);
		json_write_word(&w, "stopReason", calls ? "toolUse" : "stop");
	} else if (t->role == TURN_RESULT) {
		json_write_word(&w, "role", "toolResult");
		json_write_string(&w, "toolCallId", t->call);
		json_write_value(&w, "toolName", t->name);
		write_content(&w, x->c, t);
		json_write_bool(&w, "isError", t->failed);
	} else {
		json_write_word(&w, "role", "user");
		write_content(&w, x->c, t);
	}
	if (x->attributed && t->role != TURN_ASSISTANT)
		json_write_word(&w, "attribution",
				t->role == TURN_USER ? "user" : "agent");
	timestamp_add_ms(json_begin_value(&w, "timestamp"), t->time);
	json_end_object(&w);
	line_end(&w);
}

int pi_receive_as(const struct conversation *c, bool attributed,
		  void (*begin)(struct pi_receiving *x), struct buf *out)
{
	struct pi_receiving x = {
		.c = c,
		.attributed = attributed,
		.ids = ids_space_of(buf_span(&c->key)),
		.out = out,
	};
	for (int i = 0; i < 4; i++)
		x.first_id = x.first_id << 8 | x.ids.uuid[i];
	begin(&x);
	for (uint32_t i = 0; i < c->n_turns; i++)
		add_turn(&x, &c->turns[i]);
	return buf_error(out);
}

/* The header, and an entry with the title, on which the messages hang. */
static void add_title(struct pi_receiving *x)
{
	struct json_writer header = pi_receive_header(x);
	line_end(&header);
	struct json_writer w = begin_entry(x, "session_info", x->c->begun);
	json_write_string_buf(&w, "name", &x->c->title);
	line_end(&w);
}

static int receive(const struct conversation *c, struct buf *out)
{
	return pi_receive_as(c, false, add_title, out);
}

const struct dialect_receiving pi_receiving = {
	.window = PI_WINDOW,
	.write = receive,
};
