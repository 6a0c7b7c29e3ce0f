#include "core/dialects/claude/attachment_note.h"

#include "core/dialects/claude/claude.h"
#include "core/json/js.h"
#include "core/session/block.h"

#define TASK_HEADING                                                      \
	"[SYSTEM NOTIFICATION - NOT USER INPUT]\n"                        \
	"This is an automated background-task event, NOT a message from " \
	"the user.\n\n"
#define OTHER_HEADING "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\n"

#define NEW_MESSAGE "The user sent a new message while you were working:\n"
#define MID_TURN                                                             \
	"\n\nThis is how Claude Code surfaces messages the user sends "      \
	"mid-turn \u2014 within the running turn, often alongside the next " \
	"tool result, rather than as a separate conversation turn. Address " \
	"the message above as you continue this turn."

static const struct sender {
	struct span kind; /* of origin */
	const char *before;
	const char *after;
} senders[] = {
	{ SPAN("human"), NEW_MESSAGE, MID_TURN },
	{ SPAN("task-notification"), TASK_HEADING, "" },
	{ SPAN("auto-continuation"), NEW_MESSAGE, MID_TURN },
	{ SPAN("coordinator"),
	  "The coordinator sent a message while you were working:\n",
	  "\n\nAddress this before completing your current task." },
	{ SPAN("channel"),
	  "A message arrived from {origin.server} while you were working:\n",
	  "" },
	{ SPAN("peer"),
	  "Another Claude session sent a message while you were working:\n",
	  "" },
	{ SPAN("observer"),
	  "Your background observer ({origin.from}) sent a report while you "
	  "were working:\n",
	  "" },
	{ SPAN("plugin"),
	  "The {origin.name} plugin sent a message while you were working:\n",
	  "\n\nThis is how Claude Code surfaces prompts a plugin submits "
	  "mid-turn \u2014 within the running turn, often alongside the next "
	  "tool result. Address the message above as you continue this turn." },
};

static const struct sender other = { SPAN(""), OTHER_HEADING, "" };

static const struct sender *sender_of(struct json attachment)
{
	JSON_FIELDS(f, attachment, origin, commandMode, isMeta);
	struct json kind = json_get(f.origin, "kind");
	const struct sender *row = JSON_ROW(kind, senders);
	if (!js_is_nullish(kind))
		return row ? row : &other;
	if (json_is(f.commandMode, senders[1].kind))
		return &senders[1];
	return json_truthy(f.isMeta) ? &other : &senders[0];
}

/* Did a person write it? */
static bool is_trusted(struct json attachment)
{
	return sender_of(attachment) == &senders[0] &&
	       !json_truthy(json_get(attachment, "isMeta"));
}

bool claude_attachment_is_typed(struct json line)
{
	struct json attachment = json_get(line, "attachment");
	return BLOCK_IS(attachment, "queued_command") && is_trusted(attachment);
}

/* Append the texts of a content, one a line. */
static void add_texts(struct buf *out, struct json content)
{
	bool first = true;
	JSON_EACH(block, content) {
		if (!BLOCK_IS(block, "text"))
			continue;
		if (!first)
			buf_addc(out, '\n');
		first = false;
		json_decode(out, json_get(block, "text"));
	}
}

/* Others are sent with the first of their batch. */
bool claude_note_is_queued(const struct claude_making *m)
{
	return !json_truthy(claude_note_get(m, "renderedByBatchHead"));
}

void claude_note_queued(struct claude_making *m)
{
	const struct sender *from = sender_of(m->attachment);
	struct json prompt = claude_note_get(m, "prompt");
	struct buf plain BUF_SCOPED = BUF_INTO(&m->text);
	if (json_type(prompt) == JSON_ARRAY)
		add_texts(&plain, prompt);
	else
		js_to_string(&plain, prompt);
	claude_note_begin(m);
	claude_note_format(m, m->attachment, from->before);
	claude_add_guarded(&m->text, buf_span(&plain),
			   is_trusted(m->attachment) ? CLAUDE_GUARD_NONE
						     : CLAUDE_GUARD_WHOLE);
	buf_adds(&m->text, from->after);
	claude_note_write(m, CLAUDE_GUARD_NONE);
	JSON_EACH(block, prompt) {
		if (!BLOCK_IS(block, "image"))
			continue;
		json_write_value(&m->w, NULL, block);
		m->texts = false;
	}
	claude_note_end(m);
}

struct span claude_note_typed(struct span text)
{
	const struct span before = SPAN(NEW_MESSAGE);
	const struct span after = SPAN(MID_TURN);
	if (span_starts(text, before) && span_ends(text, after)) {
		text.p += before.n;
		text.n -= before.n + after.n;
	}
	return text;
}

bool claude_add_notification(struct json line, struct json content,
			     struct buf *out)
{
	struct json_writer w = { .out = out };
	struct buf plain BUF_SCOPED = BUF_INTO(out);
	struct buf text BUF_SCOPED = BUF_INTO(out);
	if (!json_is(json_at(line, SPAN("origin.kind")), senders[1].kind))
		return false;
	if (json_is_string(content))
		json_decode(&plain, content);
	else
		add_texts(&plain, content);
	buf_adds(&text, CLAUDE_OPEN_TAG "\n" TASK_HEADING);
	claude_add_guarded(&text, buf_span(&plain), CLAUDE_GUARD_WHOLE);
	buf_adds(&text, "\n" CLAUDE_CLOSE_TAG);
	json_begin_array(&w, NULL);
	block_write_text(&w, buf_span(&text));
	JSON_EACH(block, content) {
		if (!BLOCK_IS(block, "text"))
			json_write_value(&w, NULL, block);
	}
	json_end_array(&w);
	return true;
}
