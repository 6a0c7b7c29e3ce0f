#include "core/dialects/claude/turn.h"

#include "core/base/text.h"
#include "core/dialects/claude/reminder.h"
#include "core/json/js.h"
#include "core/json/writer.h"
#include "core/session/block.h"

/* --- models --- */

/* Is it one of the versions, each a digit, at the start of a text? */
static bool is_version(struct span s, const char *versions)
{
	static const struct span date = { "20", 2 };
	if (s.n == 0)
		return true;
	if (s.p[0] != '-' || s.n == 1)
		return false;
	s = (struct span){ s.p + 1, s.n - 1 };
	if (span_starts(s, date))
		return true; /* the first of the family has no number */
	return strchr(versions, s.p[0]) && (s.n == 1 || s.p[1] == '-');
}

enum claude_system claude_takes_system(struct span model)
{
	static const struct {
		struct span family;
		const char *versions;
	} old[] = {
		{ { "claude-opus-4", 13 }, "01567" },
		{ { "claude-sonnet-4", 15 }, "056" },
		{ { "claude-haiku-4", 14 }, "5" },
	};
	if (memmem(model.p, model.n, "claude-3-", 9))
		return CLAUDE_TAKES_NONE;
	for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++) {
		struct span rest = model;
		if (!span_starts(model, old[i].family))
			continue;
		rest.p += old[i].family.n;
		rest.n -= old[i].family.n;
		if (is_version(rest, old[i].versions))
			return CLAUDE_TAKES_NONE;
	}
	return span_eq(model, SPAN("claude-sonnet-5")) ? CLAUDE_TAKES_TAGGED
						       : CLAUDE_TAKES_PLAIN;
}

/* --- the last result --- */

static bool is_type(struct json block, struct span type)
{
	return json_is(json_get(block, "type"), type);
}

static void add_block(struct buf *to, struct json block)
{
	buf_addc(to, ',');
	buf_add(to, block.raw);
}

static void add_text_block(struct buf *to, struct span text)
{
	struct json_writer w = { .out = to };
	buf_addc(to, ',');
	block_write_text(&w, text);
}

static struct json last_result(const struct claude_turn *t)
{
	return (struct json){ .raw = buf_span(&t->last) };
}

/* Move the last text that was glued to the blocks. */
static void settle_pending(struct claude_turn *t, bool newline)
{
	if (t->pending.len == 0)
		return;
	if (newline)
		buf_addc(&t->pending, '\n');
	add_text_block(&t->blocks, buf_span(&t->pending));
	if (t->pending.failed)
		t->blocks.failed = true;
	buf_clear(&t->pending);
}

/* Write a text block of the result with a newline after its text. */
static void write_with_newline(struct json_writer *w, struct json block)
{
	struct json_walk walk = json_walk(block);
	struct json key;
	struct json value;
	struct buf text = { 0 };
	json_decode(&text, json_get(block, "text"));
	buf_addc(&text, '\n');
	json_begin_object(w, NULL);
	while (json_next_member(&walk, &key, &value)) {
		if (!json_is(key, SPAN("text")))
			json_write_member(w, key, value);
	}
	json_write_string_buf(w, "text", &text);
	json_end_object(w);
	buf_free(&text);
}

static void write_glued_blocks(struct claude_turn *t, struct json_writer *w,
			       struct json content)
{
	struct json_walk walk = json_walk(content);
	struct json block = { 0 };
	struct json next;
	json_begin_array(w, "content");
	for (bool more = json_next_element(&walk, &block); more; block = next) {
		more = json_next_element(&walk, &next);
		if (more || !t->newline)
			json_write_value(w, NULL, block);
		else
			write_with_newline(w, block);
	}
	settle_pending(t, false);
	const struct json glued = { .raw = { t->blocks.data, t->blocks.len } };
	if (glued.raw.n > 0) {
		struct buf *out = json_begin_value(w, NULL);
		buf_add(out, (struct span){ glued.raw.p + 1, glued.raw.n - 1 });
	}
	json_end_array(w);
}

static void write_content(struct claude_turn *t, struct json_writer *w)
{
	if (t->glued == TURN_GLUED_TEXT)
		json_write_string_buf(w, "content", &t->text);
	else
		write_glued_blocks(t, w, json_get(last_result(t), "content"));
}

/* Append the last result, with what was glued to it. */
static void write_result(struct claude_turn *t, struct buf *out)
{
	struct json_writer w = { .out = out };
	struct json_walk walk = json_walk(last_result(t));
	struct json key;
	struct json value;
	bool written = false;
	json_begin_object(&w, NULL);
	while (json_next_member(&walk, &key, &value)) {
		if (!json_is(key, SPAN("content"))) {
			json_write_member(&w, key, value);
		} else if (!written) {
			write_content(t, &w);
			written = true;
		}
	}
	if (!written)
		write_content(t, &w);
	json_end_object(&w);
}

/* Add the last result, with what is glued to it, to those before it. */
static void add_last(struct claude_turn *t)
{
	if (t->glued == TURN_NOT_GLUED || t->glued == TURN_CLOSED) {
		add_block(&t->results, last_result(t));
	} else {
		buf_addc(&t->results, ',');
		write_result(t, &t->results);
	}
	if (t->last.failed || t->text.failed || t->blocks.failed)
		t->results.failed = true;
}

static void settle_result(struct claude_turn *t)
{
	if (t->last.len == 0)
		return;
	if (!t->unsent)
		add_last(t);
	buf_clear(&t->last);
	buf_clear(&t->text);
	buf_clear(&t->blocks);
	buf_clear(&t->pending);
	t->unsent = false;
	t->glued = TURN_NOT_GLUED;
	t->newline = false;
}

static void add_result(struct claude_turn *t, struct json block)
{
	settle_result(t);
	buf_add(&t->last, block.raw);
}

/* --- gluing --- */

/* Append a text, after an empty line if there is one before. */
static void glue_text(struct claude_turn *t, struct json text)
{
	struct buf plain = { 0 };
	json_decode(&plain, text);
	struct span trimmed = text_trim(buf_span(&plain));
	if (trimmed.n > 0 && t->text.len > 0)
		buf_adds(&t->text, "\n\n");
	buf_add(&t->text, trimmed);
	if (plain.failed)
		t->text.failed = true;
	buf_free(&plain);
}

/* Keep the last block back: a note after it gives it a newline. */
static void glue_block(struct claude_turn *t, struct json text)
{
	settle_pending(t, false);
	json_decode(&t->pending, text);
}

static void glue(struct claude_turn *t, struct json blocks)
{
	struct json_walk w = json_walk(blocks);
	struct json block;
	if (t->glued == TURN_GLUED_BLOCKS)
		settle_pending(t, true);
	while (json_next_element(&w, &block)) {
		if (t->glued == TURN_GLUED_TEXT)
			glue_text(t, json_get(block, "text"));
		else
			glue_block(t, json_get(block, "text"));
	}
}

static bool is_reference(struct json block)
{
	return is_type(block, SPAN("tool_reference")) ||
	       is_type(block, SPAN("search_result"));
}

/* Can blocks be added to the content? *last is its last block. */
static bool is_open(struct json content, struct json *last)
{
	struct json_walk w = json_walk(content);
	struct json block;
	*last = (struct json){ 0 };
	while (json_next_element(&w, &block)) {
		if (is_reference(block))
			return false;
		*last = block;
	}
	return json_type(content) == JSON_ARRAY;
}

/* Can notes be glued to the last result? */
static bool prepare_result(struct claude_turn *t)
{
	struct json content;
	struct json last;
	if (t->glued != TURN_NOT_GLUED)
		return t->glued != TURN_CLOSED;
	content = json_get(last_result(t), "content");
	if (json_type(content) == JSON_STRING ||
	    json_type(content) == JSON_ABSENT) {
		t->glued = TURN_GLUED_TEXT;
		glue_text(t, content);
		return true;
	}
	if (!is_open(content, &last)) {
		t->glued = TURN_CLOSED;
		return false;
	}
	t->glued = TURN_GLUED_BLOCKS;
	t->newline = is_type(last, SPAN("text"));
	return true;
}

/* --- notes --- */

static bool is_blank(struct json block)
{
	struct buf text = { 0 };
	json_decode(&text, json_get(block, "text"));
	bool blank = is_type(block, SPAN("text")) &&
		     text_trim(buf_span(&text)).n == 0 && !text.failed;
	buf_free(&text);
	return blank;
}

static void add_note(struct claude_turn *t, const struct claude_notes *notes,
		     size_t i)
{
	struct json blocks = claude_note_blocks(notes, i);
	struct json_walk w = json_walk(blocks);
	struct json block;
	bool beside = notes->beside && t->takes != CLAUDE_TAKES_NONE;
	if (!beside && notes->list[i].texts && t->last.len > 0 &&
	    t->others.len == 0 && prepare_result(t)) {
		glue(t, blocks);
		return;
	}
	while (json_next_element(&w, &block)) {
		if (!is_blank(block))
			add_block(&t->others, block);
	}
}

/* Add notes to the message of the role system. False: they don't go there. */
static bool add_system(struct claude_turn *t, const struct claude_notes *notes)
{
	struct buf text = { 0 };
	if (t->takes == CLAUDE_TAKES_NONE || !notes->system)
		return false;
	if (!claude_notes_add_bare(notes, &text))
		return false;
	bool any = text.failed || text_trim(buf_span(&text)).n > 0;
	if (any && t->system.len > 0)
		buf_adds(&t->system, "\n\n");
	if (any && t->takes == CLAUDE_TAKES_TAGGED)
		claude_add_reminder(&t->system, buf_span(&text));
	else if (any)
		buf_add(&t->system, buf_span(&text));
	if (text.failed)
		t->system.failed = true;
	buf_free(&text);
	return any;
}

/* Add a note as the user's own words: without tags, and not glued. */
static void add_own(struct claude_turn *t, struct json blocks)
{
	struct json_walk w = json_walk(blocks);
	struct json block;
	struct buf text = { 0 };
	struct buf bare = { 0 };
	while (json_next_element(&w, &block)) {
		if (!is_type(block, SPAN("text"))) {
			add_block(&t->others, block);
			continue;
		}
		buf_clear(&text);
		buf_clear(&bare);
		json_decode(&text, json_get(block, "text"));
		claude_add_bare(&bare, buf_span(&text));
		if (text_trim(buf_span(&bare)).n > 0)
			add_text_block(&t->others, buf_span(&bare));
		if (text.failed || bare.failed)
			t->others.failed = true;
	}
	buf_free(&text);
	buf_free(&bare);
}

void claude_turn_notes(struct claude_turn *t, const struct claude_notes *notes)
{
	if (notes->own && t->takes != CLAUDE_TAKES_NONE) {
		add_own(t, claude_note_blocks(notes, 0));
		return;
	}
	if (add_system(t, notes))
		return;
	for (size_t i = 0; i < notes->n; i++)
		add_note(t, notes, i);
}

/* --- lines --- */

/* Add the lines that notes could precede until now. */
static void settle_lines(struct claude_turn *t)
{
	struct json_walk w;
	struct json block;
	if (t->waiting_results.len > 0 && !t->waiting_results.failed) {
		t->waiting_results.data[0] = '[';
		buf_addc(&t->waiting_results, ']');
		w = json_walk(
			(struct json){ .raw = buf_span(&t->waiting_results) });
		while (json_next_element(&w, &block))
			add_result(t, block);
	}
	buf_add(&t->others, buf_span(&t->waiting));
	if (t->waiting.failed || t->waiting_results.failed)
		t->others.failed = true;
	buf_clear(&t->waiting_results);
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
		settle_lines(t);
}

void claude_turn_block(struct claude_turn *t, struct json block)
{
	bool result = is_type(block, SPAN("tool_result"));
	begin_line(t, result);
	if (t->waits)
		add_block(result ? &t->waiting_results : &t->waiting, block);
	else if (result)
		add_result(t, block);
	else
		add_block(&t->others, block);
}

void claude_turn_unsent(struct claude_turn *t, struct json block)
{
	begin_line(t, true);
	if (t->waits)
		return;
	add_result(t, block);
	t->unsent = true;
}

void claude_turn_text(struct claude_turn *t, struct json text)
{
	struct json_writer w = { .out = &t->waiting };
	begin_line(t, false);
	buf_addc(&t->waiting, ',');
	block_write_text_value(&w, text);
}

/* A system message follows one of the user; else it is a reminder in one. */
static void end_system(struct claude_turn *t, struct buf *system)
{
	struct buf text = { 0 };
	if (t->system.len == 0)
		return;
	if (t->results.len > 0 || t->others.len > 0) {
		json_quote(system, buf_span(&t->system));
		return;
	}
	if (t->takes == CLAUDE_TAKES_TAGGED)
		buf_add(&text, buf_span(&t->system));
	else
		claude_add_reminder(&text, buf_span(&t->system));
	add_text_block(&t->others, buf_span(&text));
	if (text.failed)
		t->others.failed = true;
	buf_free(&text);
}

void claude_turn_end(struct claude_turn *t, struct buf *content,
		     struct buf *system)
{
	settle_lines(t);
	settle_result(t);
	end_system(t, system);
	buf_add(&t->results, buf_span(&t->others));
	if (t->results.failed || t->others.failed)
		content->failed = true;
	if (t->system.failed)
		system->failed = true;
	if (t->results.len > 0) {
		buf_addc(content, '[');
		buf_add(content, (struct span){ t->results.data + 1,
						t->results.len - 1 });
		buf_addc(content, ']');
	}
	buf_clear(&t->results);
	buf_clear(&t->others);
	buf_clear(&t->system);
	t->starts = false;
}

void claude_turn_free(struct claude_turn *t)
{
	buf_free(&t->results);
	buf_free(&t->others);
	buf_free(&t->waiting_results);
	buf_free(&t->waiting);
	buf_free(&t->last);
	buf_free(&t->text);
	buf_free(&t->blocks);
	buf_free(&t->pending);
	buf_free(&t->system);
}
