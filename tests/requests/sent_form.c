#include "tests/requests/sent_form.h"

#include <sha2.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/dialects/claude/claude.h"
#include "core/json/js.h"
#include "core/json/writer.h"

/* Begins a line of thinking. */
#define THINKING 't'

static const struct span open_tag = SPAN(CLAUDE_OPEN_TAG);
static const struct span close_tag = SPAN(CLAUDE_CLOSE_TAG);
/* How a reminder begins at the end of a result's text. */
static const struct span glued_tag = SPAN("\n\n" CLAUDE_OPEN_TAG "\n");

void sent_form_free(struct sent_form *f)
{
	buf_free(&f->blocks);
	buf_free(&f->notes);
}

int sent_form_error(const struct sent_form *f)
{
	int err = buf_error(&f->blocks);
	return err ? err : buf_error(&f->notes);
}

bool sent_form_is_thinking(struct span line)
{
	return line.n > 0 && *line.p == THINKING;
}

/*
 * Append a note. A notification is explained in some lines after the second
 * one; of these a context has the first sentence.
 */
static void add_unexplained(struct buf *out, struct span note)
{
	struct buf told = { 0 };
	struct span rest = note;
	size_t lines = 0;
	bool is_explained = span_starts(note, SPAN("[SYSTEM NOTIFICATION"));
	while (is_explained && rest.n > 0) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		size_t n = lf ? (size_t)(lf - rest.p) + 1 : rest.n;
		is_explained = n > 1;
		if (++lines <= 2)
			buf_add(&told, (struct span){ rest.p, n });
		if (is_explained)
			rest = (struct span){ rest.p + n, rest.n - n };
	}
	buf_add(&told, rest);
	json_quote(out, buf_span(&told));
	buf_free_into(&told, out);
}

/* A note without its tags, as a line. */
static void add_note(struct sent_form *f, struct span text)
{
	struct buf bare = { 0 };
	claude_add_bare(&bare, text_trim(text));
	add_unexplained(&f->notes, text_trim(buf_span(&bare)));
	buf_addc(&f->notes, '\n');
	buf_free_into(&bare, &f->notes);
}

static struct span without_newlines(struct span text)
{
	while (text.n > 0 && text.p[text.n - 1] == '\n')
		text.n--;
	return text;
}

/* Where the last reminder begins, if a text ends with one; else text.n. */
static size_t find_glued(struct span text)
{
	struct span rest = text;
	if (rest.n > 0 && rest.p[rest.n - 1] == '\n')
		rest.n--;
	if (!span_ends(rest, close_tag))
		return text.n;
	size_t at = rest.n - close_tag.n;
	while (at > 0 && !span_starts((struct span){ rest.p + at, rest.n - at },
				      open_tag))
		at--;
	at -= at < 2 ? at : 2; /* the newlines before it */
	rest = (struct span){ rest.p + at, rest.n - at };
	return span_starts(rest, glued_tag) ? at : text.n;
}

/* Take the reminders off the end of a result's text, and note them. */
static struct span unglue(struct sent_form *f, struct span text)
{
	size_t own = text.n;
	size_t at;
	while ((at = find_glued((struct span){ text.p, own })) < own)
		own = at;
	for (size_t from = own; from < text.n;) {
		size_t end = from + glued_tag.n;
		while (end < text.n &&
		       !span_starts((struct span){ text.p + end, text.n - end },
				    glued_tag))
			end++;
		add_note(f, (struct span){ text.p + from, end - from });
		from = end;
	}
	return (struct span){ text.p, own };
}

/* A text of a result: `inner`; or one of a message. */
static void add_text(struct sent_form *f, struct json text, bool inner)
{
	struct buf decoded = { 0 };
	json_decode(&decoded, text);
	struct span own = buf_span(&decoded);
	own = inner ? unglue(f, own) : without_newlines(own);
	json_quote(&f->blocks, own);
	buf_free_into(&decoded, &f->blocks);
}

static void sort_members(struct js_members *m)
{
	if (m->n > 1)
		qsort(m->list, m->n, sizeof(*m->list), span_order);
}

void sent_form_add_sorted(struct buf *out, struct json v)
{
	struct js_members m = { 0 };
	bool object = json_type(v) == JSON_OBJECT;
	if (!object && json_type(v) != JSON_ARRAY) {
		js_stringify(out, v, 0);
		return;
	}
	if (js_members_load(&m, v) < 0)
		buf_fail(out);
	if (object)
		sort_members(&m);
	buf_addc(out, object ? '{' : '[');
	for (size_t i = 0; i < m.n; i++) {
		buf_adds(out, i > 0 ? "," : "");
		if (object) {
			json_quote(out, m.list[i].key);
			buf_addc(out, ':');
		}
		sent_form_add_sorted(out, m.list[i].value);
	}
	buf_addc(out, object ? '}' : ']');
	js_members_free(&m);
}

/* The content of a result: a string or parts. */
static void add_result(struct sent_form *f, struct json content)
{
	if (json_type(content) != JSON_ARRAY) {
		add_text(f, content, true);
		return;
	}
	buf_addc(&f->blocks, '[');
	JSON_EACH(part, content) {
		struct json text = json_get(part, "text");
		if (json_type(text) == JSON_STRING) {
			buf_adds(&f->blocks, "{\"text\":");
			add_text(f, text, true);
			buf_addc(&f->blocks, '}');
		} else {
			sent_form_add_sorted(&f->blocks, part);
		}
		buf_addc(&f->blocks, ',');
	}
	buf_addc(&f->blocks, ']');
}

static void add_member(struct sent_form *f, bool is_result,
		       const struct js_member *m)
{
	bool is_error = span_eq(m->key, SPAN("is_error"));
	if (span_eq(m->key, SPAN("cache_control")) ||
	    (is_error && !json_truthy(m->value)))
		return;
	json_quote(&f->blocks, m->key);
	buf_addc(&f->blocks, ':');
	if (is_result && span_eq(m->key, SPAN("content")))
		add_result(f, m->value);
	else if (!is_result && span_eq(m->key, SPAN("text")) &&
		 json_type(m->value) == JSON_STRING)
		add_text(f, m->value, false);
	else
		sent_form_add_sorted(&f->blocks, m->value);
	buf_addc(&f->blocks, ',');
}

static void add_block(struct sent_form *f, struct span role, struct json block)
{
	struct json type = json_get(block, "type");
	bool is_thinking = JSON_IS(type, "thinking", "redacted_thinking");
	bool is_result = json_is(type, SPAN("tool_result"));
	struct js_members m;
	if (js_members_load(&m, block) < 0) {
		f->blocks.failed = true;
		return;
	}
	sort_members(&m);
	if (is_thinking)
		buf_addc(&f->blocks, THINKING);
	buf_add(&f->blocks, role);
	buf_addc(&f->blocks, ' ');
	for (size_t i = 0; i < m.n; i++)
		add_member(f, is_result, &m.list[i]);
	buf_addc(&f->blocks, '\n');
	js_members_free(&m);
}

static bool is_reminder(struct span text)
{
	return span_starts(text_trim(text), open_tag);
}

/* Note a text that is a reminder, or that the system says. */
static bool add_if_note(struct sent_form *f, struct json text, bool by_system)
{
	struct buf decoded = { 0 };
	if (json_type(text) != JSON_STRING)
		return false;
	json_decode(&decoded, text);
	bool is_note = by_system || is_reminder(buf_span(&decoded));
	if (is_note)
		add_note(f, buf_span(&decoded));
	buf_free_into(&decoded, &f->notes);
	return is_note;
}

/* A content that is a string is one text block. */
static void add_string(struct sent_form *f, struct span role, struct json text)
{
	buf_add(&f->blocks, role);
	buf_adds(&f->blocks, " \"text\":");
	add_text(f, text, false);
	buf_adds(&f->blocks, ",\"type\":\"text\",\n");
}

void sent_form_add(struct sent_form *f, struct json message)
{
	JSON_FIELDS(m, message, role, content);
	bool by_system = json_is(m.role, SPAN("system"));
	if (json_type(m.content) == JSON_STRING) {
		if (!add_if_note(f, m.content, by_system))
			add_string(f, m.role.raw, m.content);
		return;
	}
	JSON_EACH(block, m.content) {
		struct json text = json_get(block, "text");
		if (!add_if_note(f, text, by_system) && !by_system)
			add_block(f, m.role.raw, block);
	}
}

static void write_blocks(struct json_writer *w, struct json content)
{
	if (json_type(content) == JSON_STRING) {
		json_begin_object(w, NULL);
		js_stringify(json_begin_value(w, "text"), content, 0);
		json_write_word(w, "type", "text");
		json_end_object(w);
		return;
	}
	JSON_EACH(block, content)
		sent_form_add_sorted(json_begin_value(w, NULL), block);
}

int sent_form_hash(const struct json *messages, size_t n,
		   char hash[SENT_HASH_SIZE])
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	SHA2_CTX sha;
	json_begin_object(&w, NULL);
	json_begin_array(&w, "content");
	for (size_t i = 0; i < n; i++)
		write_blocks(&w, json_get(messages[i], "content"));
	json_end_array(&w);
	json_write_value(&w, "role", json_get(messages[0], "role"));
	json_end_object(&w);
	if (!text.failed) {
		SHA256Init(&sha);
		SHA256Update(&sha, (const uint8_t *)text.data, text.len);
		SHA256End(&sha, hash);
	}
	int err = buf_error(&text);
	buf_free(&text);
	return err;
}
