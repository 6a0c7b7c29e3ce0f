#include "core/dialects/claude/attachment_note.h"

#include <errno.h>

#include "core/dialects/claude/attachment.h"
#include "core/json/js.h"
#include "core/session/block.h"

#define TASK_HEADING                                                      \
	"[SYSTEM NOTIFICATION - NOT USER INPUT]\n"                        \
	"This is an automated background-task event, NOT a message from " \
	"the user.\n\n"
#define OTHER_HEADING "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"

struct sender {
	const char *kind; /* of origin; NULL: none */
	const char *before;
	const char *after;
	bool trusted;
};

#define MID_TURN                                                             \
	"\n\nThis is how Claude Code surfaces messages the user sends "      \
	"mid-turn \u2014 within the running turn, often alongside the next " \
	"tool result, rather than as a separate conversation turn. Address " \
	"the message above as you continue this turn."

static const struct sender user = {
	NULL, "The user sent a new message while you were working:\n", MID_TURN,
	true
};
static const struct sender other = { NULL, OTHER_HEADING, "", false };
static const struct sender task = { NULL, TASK_HEADING, "", false };

static const struct sender senders[] = {
	{ "human", "The user sent a new message while you were working:\n",
	  MID_TURN, true },
	{ "auto-continuation",
	  "The user sent a new message while you were working:\n", MID_TURN,
	  false },
	{ "task-notification", TASK_HEADING, "", false },
	{ "coordinator",
	  "The coordinator sent a message while you were working:\n",
	  "\n\nAddress this before completing your current task.", false },
	{ "channel",
	  "A message arrived from {origin.server} while you were working:\n",
	  "", false },
	{ "peer",
	  "Another Claude session sent a message while you were working:\n", "",
	  false },
	{ "observer",
	  "Your background observer ({origin.from}) sent a report while you "
	  "were working:\n",
	  "", false },
	{ "plugin",
	  "The {origin.name} plugin sent a message while you were working:\n",
	  "\n\nThis is how Claude Code surfaces prompts a plugin submits "
	  "mid-turn \u2014 within the running turn, often alongside the next "
	  "tool result. Address the message above as you continue this turn.",
	  false },
};

static const struct sender *sender_of(const struct claude_making *m)
{
	struct json kind = json_get(claude_note_get(m, "origin"), "kind");
	if (js_is_nullish(kind)) {
		if (json_is(claude_note_get(m, "commandMode"),
			    SPAN("task-notification")))
			return &task;
		return json_truthy(claude_note_get(m, "isMeta")) ? &other
								 : &user;
	}
	for (size_t i = 0; i < sizeof(senders) / sizeof(*senders); i++) {
		if (json_is(kind, span_of(senders[i].kind)))
			return &senders[i];
	}
	return &other;
}

static bool is_trusted(const struct claude_making *m)
{
	return sender_of(m)->trusted &&
	       !json_truthy(claude_note_get(m, "isMeta"));
}

bool claude_attachment_is_typed(struct json line)
{
	struct claude_making m = { .attachment = json_get(line, "attachment") };
	return json_is(claude_note_get(&m, "type"), SPAN("queued_command")) &&
	       is_trusted(&m);
}

/* Append the texts of a content, one a line. */
static void add_texts(struct buf *out, struct json content)
{
	struct json_walk w = json_walk(content);
	struct json block;
	bool first = true;
	while (json_next_element(&w, &block)) {
		if (!claude_note_is_block(block, SPAN("text")))
			continue;
		if (!first)
			buf_addc(out, '\n');
		first = false;
		json_decode(out, json_get(block, "text"));
	}
}

static void add_prompt(struct claude_making *m, struct json prompt,
		       bool trusted)
{
	struct buf plain = { 0 };
	if (json_type(prompt) == JSON_ARRAY)
		add_texts(&plain, prompt);
	else
		js_to_string(&plain, prompt);
	claude_add_guarded(&m->text, buf_span(&plain),
			   trusted ? CLAUDE_GUARD_NONE : CLAUDE_GUARD_WHOLE);
	if (buf_error(&plain))
		m->err = -ENOMEM;
	buf_free(&plain);
}

void claude_note_queued(struct claude_making *m)
{
	const struct sender *from = sender_of(m);
	struct json prompt = claude_note_get(m, "prompt");
	struct json_walk w = json_walk(prompt);
	struct json block;
	if (json_truthy(claude_note_get(m, "renderedByBatchHead")))
		return;
	claude_note_begin(m);
	claude_note_format(m, from->before);
	add_prompt(m, prompt, is_trusted(m));
	buf_adds(&m->text, from->after);
	claude_note_write(m, CLAUDE_GUARD_NONE);
	while (json_next_element(&w, &block)) {
		if (!claude_note_is_block(block, SPAN("image")))
			continue;
		json_write_value(&m->w, NULL, block);
		m->texts = false;
	}
	claude_note_end(m);
}

bool claude_add_notification(struct json line, struct buf *content)
{
	struct json message = json_at(line, SPAN("message.content"));
	struct json_writer w = { .out = content };
	struct json_walk walk = json_walk(message);
	struct json block;
	struct buf plain = { 0 };
	struct buf text = { 0 };
	if (!json_is(json_at(line, SPAN("origin.kind")),
		     SPAN("task-notification")))
		return false;
	if (json_type(message) == JSON_STRING)
		json_decode(&plain, message);
	else
		add_texts(&plain, message);
	buf_adds(&text, CLAUDE_OPEN_TAG "\n" TASK_HEADING);
	claude_add_guarded(&text, buf_span(&plain), CLAUDE_GUARD_WHOLE);
	buf_adds(&text, "\n" CLAUDE_CLOSE_TAG);
	if (buf_error(&plain) || buf_error(&text))
		content->failed = true;
	json_begin_array(&w, NULL);
	block_write_text(&w, buf_span(&text));
	while (json_next_element(&walk, &block)) {
		if (!claude_note_is_block(block, SPAN("text")))
			json_write_value(&w, NULL, block);
	}
	json_end_array(&w);
	buf_free(&plain);
	buf_free(&text);
	return true;
}
