#include "core/json/writer.h"

#include <math.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/json/js.h"

/* Is it the first byte of a character that may need an escape? */
static bool may_need_escape(unsigned char c, bool for_script)
{
	/* Halves of surrogate pairs begin with 0xED, line separators with 0xE2.
	 */
	return c < 0x20 || c == '"' || c == '\\' || c == 0xED ||
	       (for_script && (c == '<' || c == 0xE2));
}

/* The letter of a short escape, or 0. */
static char short_escape(unsigned char c)
{
	static const char letters[] = "btn?fr"; /* \b (0x08) to \r (0x0D) */
	if (c == '"' || c == '\\')
		return (char)c;
	return c >= '\b' && c <= '\r' && c != '\v' ? letters[c - '\b'] : 0;
}

/*
 * Append the escape of the character at the start of s. Returns the number of
 * its bytes; 0, and nothing is appended, if it needs none.
 */
static size_t add_escape(struct buf *out, struct span s, bool for_script)
{
	unsigned char c = (unsigned char)s.p[0];
	const char pair[2] = { '\\', short_escape(c) };
	bool line_end = for_script && (span_starts(s, SPAN("\xE2\x80\xA8")) ||
				       span_starts(s, SPAN("\xE2\x80\xA9")));
	size_t len = 1;
	if (pair[1])
		buf_add(out, (struct span){ pair, 2 });
	else if (c < 0x80 || line_end || text_is_surrogate(s))
		buf_addf(out, "\\u%04x", (unsigned)text_code_point(s, &len));
	else
		return 0;
	return len;
}

static void quote(struct buf *out, struct span s, bool for_script)
{
	size_t from = 0;
	buf_addc(out, '"');
	for (size_t i = 0; i < s.n;) {
		if (!may_need_escape((unsigned char)s.p[i], for_script)) {
			i++;
			continue;
		}
		buf_add(out, (struct span){ s.p + from, i - from });
		from = i;
		size_t n = add_escape(out, span_from(s, i), for_script);
		i += n > 0 ? n : 1;
		from += n;
	}
	buf_add(out, span_from(s, from));
	buf_addc(out, '"');
}

void json_quote(struct buf *out, struct span text)
{
	quote(out, text, false);
}

/* How far the members of the innermost open container are indented; 0: not. */
static size_t indent_of(const struct json_writer *w)
{
	return w->depth <= JSON_INDENT_LEVELS ? w->depth * w->indent : 0;
}

static void add_indent(struct json_writer *w, size_t n)
{
	buf_addc(w->out, '\n');
	buf_fill(w->out, ' ', n);
}

/* Up to where the next key or element begins. */
static void separate(struct json_writer *w)
{
	if (w->at == JSON_AT_NEXT)
		buf_addc(w->out, ',');
	if (w->at != JSON_AT_VALUE && indent_of(w) > 0)
		add_indent(w, indent_of(w));
	w->at = JSON_AT_VALUE;
}

static void add_colon(struct json_writer *w)
{
	buf_adds(w->out, indent_of(w) > 0 ? ": " : ":");
}

struct buf *json_begin_value(struct json_writer *w, const char *key)
{
	separate(w);
	if (key) {
		buf_addc(w->out, '"');
		buf_adds(w->out, key);
		buf_addc(w->out, '"');
		add_colon(w);
	}
	w->at = JSON_AT_NEXT;
	return w->out;
}

void json_write_key(struct json_writer *w, struct span key)
{
	separate(w);
	json_quote(w->out, key);
	add_colon(w);
}

void json_note_copied(struct json_writer *w)
{
	w->at = JSON_AT_NEXT;
}

void json_begin_line(struct json_writer *w)
{
	separate(w);
	buf_addc(w->out, '\n');
}

void json_join(char *json, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (json[i] == '\n')
			json[i] = ' ';
	}
}

void json_join_lines(struct buf *out, size_t from)
{
	if (!out->failed && out->len > from)
		json_join(out->data + from, out->len - from);
}

void json_end_lines(struct json_writer *w)
{
	buf_adds(w->out, w->at == JSON_AT_NEXT ? "\n" : "");
	json_end_array(w);
	buf_addc(w->out, '\n');
}

static void begin(struct json_writer *w, const char *key, char bracket)
{
	buf_addc(json_begin_value(w, key), bracket);
	w->depth++;
	w->at = JSON_AT_FIRST;
}

static void end(struct json_writer *w, char bracket)
{
	bool indented = w->at == JSON_AT_NEXT && indent_of(w) > 0;
	w->depth--;
	if (indented)
		add_indent(w, w->depth * w->indent);
	buf_addc(w->out, bracket);
	w->at = JSON_AT_NEXT;
}

void json_begin_object(struct json_writer *w, const char *key)
{
	begin(w, key, '{');
}

void json_end_object(struct json_writer *w)
{
	end(w, '}');
}

void json_begin_array(struct json_writer *w, const char *key)
{
	begin(w, key, '[');
}

void json_end_array(struct json_writer *w)
{
	end(w, ']');
}

void json_write_string(struct json_writer *w, const char *key, struct span text)
{
	quote(json_begin_value(w, key), text, w->for_script);
}

void json_write_string_buf(struct json_writer *w, const char *key,
			   const struct buf *text)
{
	json_write_string(w, key, buf_span(text));
	buf_inherit(w->out, text);
}

void json_write_word(struct json_writer *w, const char *key, const char *text)
{
	json_write_string(w, key, span_of(text));
}

void json_write_number(struct json_writer *w, const char *key, double n)
{
	struct buf *out = json_begin_value(w, key);
	if (isfinite(n))
		js_add_number(out, n);
	else
		buf_adds(out, "null");
}

void json_write_bool(struct json_writer *w, const char *key, bool value)
{
	buf_adds(json_begin_value(w, key), value ? "true" : "false");
}

void json_write_null(struct json_writer *w, const char *key)
{
	buf_adds(json_begin_value(w, key), "null");
}

static void copy(struct json_writer *w, struct json value)
{
	if (w->utf8)
		text_add_utf8(w->out, value.raw);
	else
		buf_add(w->out, value.raw);
}

void json_write_value(struct json_writer *w, const char *key, struct json value)
{
	if (json_type(value) == JSON_ABSENT)
		return;
	json_begin_value(w, key);
	copy(w, value);
}

void json_write_buf(struct json_writer *w, const char *key,
		    const struct buf *json)
{
	json_write_value(w, key, (struct json){ .raw = buf_span(json) });
	buf_inherit(w->out, json);
}

void json_write_elements(struct json_writer *w, struct json array)
{
	JSON_EACH(v, array)
		json_write_value(w, NULL, v);
}

void json_write_member(struct json_writer *w, struct json key,
		       struct json value)
{
	separate(w);
	copy(w, key);
	add_colon(w);
	copy(w, value);
	w->at = JSON_AT_NEXT;
}

/* -- objects with changes */

static void apply(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n, bool keeps_space)
{
	struct json_writer w = { .out = out };
	uint64_t written = 0;
	const char *from = object.raw.p + 1; /* inside its braces */
	const char *end = object.raw.p + object.raw.n - 1;
	json_begin_object(&w, NULL);
	JSON_EACH_MEMBER(key, value, object) {
		size_t i = 0;
		while (i < n && !json_is(key, span_of(changes[i].key)))
			i++;
		bool again = i < n && written >> i & 1;
		struct json to = value;
		if (i < n)
			to = (struct json){ .raw = changes[i].value };
		if (i < n)
			written |= (uint64_t)1 << i;
		if (keeps_space)
			json_note_copied(&w);
		else if (!again && to.raw.n > 0)
			json_write_member(&w, key, to);
		if (!keeps_space || i == n)
			continue;
		buf_add(out,
			(struct span){ from, (size_t)(value.raw.p - from) });
		buf_add(out, to.raw);
		from = value.raw.p + value.raw.n;
	}
	if (keeps_space)
		buf_add(out, (struct span){ from, (size_t)(end - from) });
	for (size_t i = 0; i < n; i++) {
		struct json to = { .raw = changes[i].value };
		if (!(written >> i & 1))
			json_write_value(&w, changes[i].key, to);
	}
	json_end_object(&w);
}

void json_rewrite(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n)
{
	apply(out, object, changes, n, false);
}

void json_splice(struct buf *out, struct json object,
		 const struct json_change *changes, size_t n)
{
	apply(out, object, changes, n, true);
}

/* -- lone surrogates */

/* The code unit of the \u escape at a place, or 0. */
static uint32_t unit_at(struct span s, size_t at)
{
	uint32_t unit = 0;
	if (at + 6 > s.n || s.p[at] != '\\' || s.p[at + 1] != 'u')
		return 0;
	for (size_t i = at + 2; i < at + 6; i++) {
		int digit = scan_hex_digit(s.p[i]);
		if (digit < 0)
			return 0;
		unit = unit << 4 | (uint32_t)digit;
	}
	return unit;
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xDC00 && unit < 0xE000;
}

/* Where the next lone surrogate's escape is from `at` on; json.n if none is. */
static size_t next_lone(struct span json, size_t at)
{
	for (; at < json.n; at++) {
		const char *p = memchr(json.p + at, '\\', json.n - at);
		if (!p)
			break;
		at = (size_t)(p - json.p);
		uint32_t unit = unit_at(json, at);
		if (is_high(unit) && is_low(unit_at(json, at + 6)))
			at += 11;
		else if (is_high(unit) || is_low(unit))
			return at;
		else
			at += unit ? 5 : 1;
	}
	return json.n;
}

bool json_is_well_formed(struct span json)
{
	return next_lone(json, 0) == json.n;
}

void json_add_well_formed(struct buf *out, struct span json)
{
	size_t from = 0;
	size_t at;
	while ((at = next_lone(json, from)) < json.n) {
		buf_add(out, (struct span){ json.p + from, at - from });
		buf_adds(out, "\xEF\xBF\xBD");
		from = at + 6;
	}
	buf_add(out, span_from(json, from));
}
