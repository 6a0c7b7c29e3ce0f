#include "core/dialects/claude/turn.h"

#include "core/base/text.h"
#include "core/dialects/claude/claude.h"
#include "core/json/js.h"
#include "core/json/writer.h"
#include "core/session/block.h"

enum claude_system claude_takes_system(struct span model)
{
	/* Versions are digits after the family; a date is the first one's. */
	static const struct {
		struct span family;
		const char *versions;
	} old[] = {
		{ SPAN("claude-opus-4"), "01567" },
		{ SPAN("claude-sonnet-4"), "056" },
		{ SPAN("claude-haiku-4"), "5" },
	};
	if (memmem(model.p, model.n, "claude-3-", 9))
		return CLAUDE_TAKES_NONE;
	for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++) {
		const struct span family = old[i].family;
		if (!span_starts(model, family))
			continue;
		struct span rest = span_from(model, family.n);
		if (rest.n == 0 || span_starts(rest, SPAN("-20")) ||
		    (rest.n > 1 && rest.p[0] == '-' &&
		     strchr(old[i].versions, rest.p[1]) &&
		     (rest.n == 2 || rest.p[2] == '-')))
			return CLAUDE_TAKES_NONE;
	}
	return span_eq(model, SPAN("claude-sonnet-5")) ? CLAUDE_TAKES_TAGGED
						       : CLAUDE_TAKES_PLAIN;
}

/* -- lists of blocks */

static void add_raw(struct buf *list, struct span json)
{
	buf_addc(list, list->len == 0 ? '[' : ',');
	buf_add(list, json);
}

static void add_text_block(struct buf *list, struct span text)
{
	struct json_writer w = { .out = list };
	buf_addc(list, list->len == 0 ? '[' : ',');
	block_write_text(&w, text);
}

/* The list as JSON. Nothing can be added to it after that. */
static struct json end_list(struct buf *list)
{
	if (list->len > 0)
		buf_addc(list, ']');
	return (struct json){ .raw = buf_span(list) };
}

/* -- the last result, and what is glued to it */

/* Write a text block with more behind its text. */
static void write_longer(struct json_writer *w, struct json block,
			 const char *more)
{
	struct buf quoted = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(&quoted);
	json_decode(&text, json_get(block, "text"));
	buf_adds(&text, more);
	json_quote(&quoted, buf_span(&text));
	claude_write_with(w, block, "text", &quoted);
}

/*
 * Write the blocks of the result's content, and those of the notes. A text
 * before a note gets a newline.
 */
static void write_blocks(struct json_writer *w, struct json content,
			 struct json notes)
{
	struct json last = { 0 }; /* it is not written yet */
	json_begin_array(w, NULL);
	JSON_EACH(block, content) {
		json_write_value(w, NULL, last);
		last = block;
	}
	JSON_EACH(note, notes) {
		bool begins = true;
		JSON_EACH(block, note) {
			if (begins && BLOCK_IS(last, "text"))
				write_longer(w, last, "\n");
			else
				json_write_value(w, NULL, last);
			begins = false;
			last = block;
		}
	}
	json_write_value(w, NULL, last);
	json_end_array(w);
}

/* Append a text, after an empty line if there is one before. */
static void join_text(struct buf *to, struct json text)
{
	struct buf plain BUF_SCOPED = BUF_INTO(to);
	json_decode(&plain, text);
	struct span trimmed = text_trim(buf_span(&plain));
	if (trimmed.n > 0 && to->len > 0)
		buf_adds(to, "\n\n");
	buf_add(to, trimmed);
}

static void write_text(struct json_writer *w, struct json content,
		       struct json notes)
{
	struct buf text BUF_SCOPED = { 0 };
	join_text(&text, content);
	JSON_EACH(note, notes) {
		JSON_EACH(block, note)
			join_text(&text, json_get(block, "text"));
	}
	json_write_string_buf(w, NULL, &text);
}

/* Add the last result to those before it. */
static void add_last(struct claude_turn *t)
{
	const struct json last = { .raw = buf_span(&t->last) };
	struct buf content = { 0 };
	struct json_writer made = { .out = &content };
	struct json_writer w = { .out = &t->results };
	if (t->glued.len == 0) {
		add_raw(&t->results, last.raw);
		return;
	}
	buf_addc(&t->results, t->results.len == 0 ? '[' : ',');
	if (t->glue == TURN_GLUE_TEXT)
		write_text(&made, json_get(last, "content"),
			   end_list(&t->glued));
	else
		write_blocks(&made, json_get(last, "content"),
			     end_list(&t->glued));
	claude_write_with(&w, last, "content", &content);
}

static void end_result(struct claude_turn *t)
{
	if (t->last.len > 0 && !t->unsent)
		add_last(t);
	buf_inherit(&t->results, &t->last);
	buf_inherit(&t->results, &t->glued);
	buf_clear(&t->last);
	buf_clear(&t->glued);
	t->unsent = false;
	t->glue = TURN_GLUE_UNKNOWN;
}

/* Can notes be glued to the last result? Asked once, as it may be large. */
static bool can_glue(struct claude_turn *t)
{
	const struct json last = { .raw = buf_span(&t->last) };
	struct json content = json_get(last, "content");
	if (t->glue != TURN_GLUE_UNKNOWN)
		return t->glue != TURN_GLUE_NOTHING;
	t->glue = TURN_GLUE_NOTHING;
	if (json_is_string(content) || json_type(content) == JSON_ABSENT)
		t->glue = TURN_GLUE_TEXT;
	else if (json_type(content) == JSON_ARRAY)
		t->glue = TURN_GLUE_BLOCKS;
	if (t->glue == TURN_GLUE_BLOCKS &&
	    (claude_has_block(content, "tool_reference") ||
	     claude_has_block(content, "search_result")))
		t->glue = TURN_GLUE_NOTHING;
	return t->glue != TURN_GLUE_NOTHING;
}

/* -- notes */

static void add_note(struct claude_turn *t, const struct claude_notes *notes,
		     size_t i)
{
	struct json blocks = claude_note_blocks(notes, i);
	bool as_block = notes->as_block && t->takes != CLAUDE_TAKES_NONE;
	bool glues = !as_block && notes->list[i].texts && t->last.len > 0 &&
		     t->others.len == t->unglued && can_glue(t);
	if (glues && (!t->taken || t->unsent)) {
		add_raw(&t->glued, blocks.raw);
		return;
	}
	JSON_EACH(block, blocks) {
		if (!BLOCK_IS(block, "text") ||
		    !js_is_blank(json_get(block, "text")))
			add_raw(&t->others, block.raw);
	}
	if (glues)
		t->unglued = t->others.len;
}

/* Add notes to the message of the role system. False: they don't go there. */
static bool add_system(struct claude_turn *t, const struct claude_notes *notes)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->system);
	if (t->takes == CLAUDE_TAKES_NONE || !notes->as_system ||
	    !claude_notes_add_bare(notes, &text))
		return false;
	bool any = text.failed || text_trim(buf_span(&text)).n > 0;
	if (any && t->system.len > 0)
		buf_adds(&t->system, "\n\n");
	if (any && t->takes == CLAUDE_TAKES_TAGGED && !t->taken)
		claude_add_reminder(&t->system, buf_span(&text));
	else if (any)
		buf_add(&t->system, buf_span(&text));
	return any;
}

/* Add a note as the user's own words: without tags, and not glued. */
static void add_own_words(struct claude_turn *t, struct json blocks)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->others);
	struct buf bare BUF_SCOPED = BUF_INTO(&t->others);
	JSON_EACH(block, blocks) {
		if (!BLOCK_IS(block, "text")) {
			add_raw(&t->others, block.raw);
			continue;
		}
		buf_clear(&text);
		buf_clear(&bare);
		json_decode(&text, json_get(block, "text"));
		claude_add_bare(&bare, buf_span(&text));
		if (text_trim(buf_span(&bare)).n > 0)
			add_text_block(&t->others, buf_span(&bare));
	}
}

void claude_turn_notes(struct claude_turn *t, const struct claude_notes *notes)
{
	if (notes->own_words && t->takes != CLAUDE_TAKES_NONE) {
		add_own_words(t, claude_note_blocks(notes, 0));
		return;
	}
	if (add_system(t, notes))
		return;
	for (size_t i = 0; i < notes->n; i++)
		add_note(t, notes, i);
}

/* -- lines */

static void add_block(struct claude_turn *t, struct json block)
{
	if (!BLOCK_IS(block, "tool_result")) {
		add_raw(&t->others, block.raw);
		return;
	}
	end_result(t);
	buf_add(&t->last, block.raw);
}

/* Add the lines that notes could precede until now. */
static void end_waiting(struct claude_turn *t)
{
	JSON_EACH_WHILE(!t->waiting.failed, block, end_list(&t->waiting))
		add_block(t, block);
	buf_inherit(&t->others, &t->waiting);
	buf_clear(&t->waiting);
}

void claude_turn_line(struct claude_turn *t)
{
	t->starts = true;
}

/* The first block of a line decides whether the line waits. */
static void begin_line(struct claude_turn *t, bool result)
{
	if (!t->starts)
		return;
	t->starts = false;
	t->waits = !result;
	if (result)
		end_waiting(t);
}

void claude_turn_block(struct claude_turn *t, struct json block)
{
	begin_line(t, BLOCK_IS(block, "tool_result"));
	if (t->waits)
		add_raw(&t->waiting, block.raw);
	else
		add_block(t, block);
}

void claude_turn_unsent(struct claude_turn *t, struct json block)
{
	begin_line(t, true);
	if (t->waits)
		return;
	add_block(t, block);
	t->unsent = true;
}

void claude_turn_text(struct claude_turn *t, struct json text)
{
	struct json_writer w = { .out = &t->waiting };
	begin_line(t, false);
	buf_addc(&t->waiting, t->waiting.len == 0 ? '[' : ',');
	block_write_text_value(&w, text);
}

/* A system message follows one of the user; else it is a reminder in one. */
static void end_system(struct claude_turn *t, struct buf *system)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->others);
	if (t->system.len == 0)
		return;
	if (t->results.len > 0 || t->others.len > 0) {
		json_quote(system, buf_span(&t->system));
		return;
	}
	if (t->takes == CLAUDE_TAKES_TAGGED || t->taken)
		buf_add(&text, buf_span(&t->system));
	else
		claude_add_reminder(&text, buf_span(&t->system));
	add_text_block(&t->others, buf_span(&text));
}

/* Append a list to the blocks of a message. */
static void end_blocks(struct buf *list, struct buf *content, size_t from)
{
	if (list->len > 0 && content->len > from)
		list->data[0] = ',';
	buf_add(content, buf_span(list));
	buf_inherit(content, list);
	buf_clear(list);
}

void claude_turn_end(struct claude_turn *t, struct buf *content,
		     struct buf *system)
{
	size_t from = content->len;
	end_waiting(t);
	end_result(t);
	end_system(t, system);
	end_blocks(&t->results, content, from);
	end_blocks(&t->others, content, from);
	if (content->len > from)
		buf_addc(content, ']');
	buf_inherit(system, &t->system);
	buf_clear(&t->system);
	t->unglued = 0;
	t->starts = false;
}

void claude_turn_free(struct claude_turn *t)
{
	buf_free(&t->results);
	buf_free(&t->others);
	buf_free(&t->waiting);
	buf_free(&t->glued);
	buf_free(&t->last);
	buf_free(&t->system);
}
