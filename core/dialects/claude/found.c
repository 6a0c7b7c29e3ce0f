/*
 * What an edit puts in the place of a text that it has found by what that looks
 * like. The model's straight quotes stand for curly ones, its letters for their
 * escapes, and the reverse: the new text is made alike. The result of the call
 * has it as the model wrote it.
 */
#include "core/dialects/claude/claude.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/files/edits.h"

/* -- quotes */

/* A curly quote that begins or ends, or is an apostrophe, by what is before. */
static const char *curly(char quote, struct span text, size_t at)
{
	static const struct span open[] = { SPAN("\xE2\x80\x94"),
					    SPAN("\xE2\x80\x93") };
	char before = at > 0 ? text.p[at - 1] : ' ';
	bool opens = memchr(" \t\n\r([{", before, 8) != NULL;
	for (size_t i = 0; i < 2 && !opens && at >= 3; i++)
		opens = span_eq((struct span){ text.p + at - 3, 3 }, open[i]);
	bool in_word = at > 0 && at + 1 < text.n &&
		       isalpha((unsigned char)before) &&
		       isalpha((unsigned char)text.p[at + 1]);
	if (quote == '"')
		return opens ? "\xE2\x80\x9C" : "\xE2\x80\x9D";
	return opens && !in_word ? "\xE2\x80\x98" : "\xE2\x80\x99";
}

static void add_curled(struct buf *out, struct span old, struct span new)
{
	bool doubles = edits_has(old, "\xE2\x80\x9C") ||
		       edits_has(old, "\xE2\x80\x9D");
	bool singles = edits_has(old, "\xE2\x80\x98") ||
		       edits_has(old, "\xE2\x80\x99");
	for (size_t i = 0; i < new.n; i++) {
		char c = new.p[i];
		if ((c == '"' && doubles) || (c == '\'' && singles))
			buf_adds(out, curly(c, new, i));
		else
			buf_addc(out, c);
	}
}

/* -- escapes */

#define ESCAPE 6 /* bytes of one: \\uXXXX */

static bool is_escape(struct span s)
{
	if (s.n < ESCAPE || s.p[0] != '\\' || s.p[1] != 'u')
		return false;
	for (size_t i = 2; i < ESCAPE; i++) {
		if (!isxdigit((unsigned char)s.p[i]))
			return false;
	}
	return true;
}

/* Are most letters of the escapes in a text in upper case? */
static bool is_upper(struct span text)
{
	size_t upper = 0;
	size_t lower = 0;
	for (size_t i = 0; i < text.n; i++) {
		struct span rest = span_from(text, i);
		for (size_t k = 2; is_escape(rest) && k < ESCAPE; k++) {
			upper += isupper((unsigned char)rest.p[k]) != 0;
			lower += islower((unsigned char)rest.p[k]) != 0;
		}
	}
	return upper > lower;
}

/* As a text spells a unit of UTF-16, if it does. */
static void add_unit(struct buf *out, uint32_t unit, struct span like)
{
	char made[ESCAPE + 1];
	snprintf(made, sizeof(made), is_upper(like) ? "\\u%04X" : "\\u%04x",
		 (unsigned)unit);
	struct span escape = { made, ESCAPE };
	for (size_t i = 0; i + ESCAPE <= like.n; i++) {
		struct span there = { like.p + i, ESCAPE };
		if (is_escape(there) && span_eq_any_case(there, escape)) {
			escape = there;
			break;
		}
	}
	buf_add(out, escape);
}

/* A text with escapes for all that is not ASCII, as another one spells them. */
static void add_escaped(struct buf *out, struct span text, struct span like)
{
	while (text.n > 0) {
		size_t n;
		uint32_t c = text_code_point(text, &n);
		if (c < 0x80)
			buf_addc(out, (char)c);
		else if (c < 0x10000)
			add_unit(out, c, like);
		if (c >= 0x10000) {
			add_unit(out, 0xD800 + ((c - 0x10000) >> 10), like);
			add_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF), like);
		}
		text = span_from(text, n);
	}
}

static uint32_t unit_of(struct span escape)
{
	char digits[5] = { escape.p[2], escape.p[3], escape.p[4], escape.p[5],
			   '\0' };
	return (uint32_t)strtoul(digits, NULL, 16);
}

/* A text with the letters of its escapes. */
static void add_unescaped(struct buf *out, struct span text)
{
	size_t from = out->len;
	while (text.n > 0) {
		bool pair =
			text.n > 1 && text.p[0] == '\\' && text.p[1] == '\\';
		size_t n = is_escape(text) ? ESCAPE : pair ? 2 : 1;
		struct span rest = span_from(text, n);
		if (n == ESCAPE) {
			uint32_t c = unit_of(text);
			if (c >= 0xD800 && c < 0xDC00 && is_escape(rest) &&
			    (unit_of(rest) & 0xFC00) == 0xDC00) {
				c = 0x10000 + ((c & 0x3FF) << 10) +
				    (unit_of(rest) & 0x3FF);
				rest = span_from(rest, ESCAPE);
			}
			text_add_code_point(out, c);
		} else {
			buf_add(out, (struct span){ text.p, n });
		}
		text = rest;
	}
	text_finish(out, from);
}

/* What was asked for became what was found in one of three ways. */
void found_add_new(struct buf *out, struct span asked, struct span found,
		   struct span new)
{
	struct buf escaped BUF_SCOPED = BUF_INTO(out);
	struct buf unescaped BUF_SCOPED = BUF_INTO(out);
	if (span_eq(asked, found)) {
		buf_add(out, new);
		return;
	}
	add_escaped(&escaped, asked, found);
	add_unescaped(&unescaped, asked);
	if (span_eq(buf_span(&escaped), found))
		add_escaped(out, new, found);
	else if (span_eq(buf_span(&unescaped), found))
		add_unescaped(out, new);
	else
		add_curled(out, found, new);
}
