#include "core/base/escape.h"

#include "core/base/text.h"

#define ESC '\033'
#define BEL '\007'

static bool is_in(char c, unsigned char least, unsigned char most)
{
	return (unsigned char)c >= least && (unsigned char)c <= most;
}

/* The two bytes that begin a sequence. */
#define BEGIN 2

/* Does one begin here? *function is its second byte, as it is after ESC. */
static bool begins(struct span text, char *function)
{
	if (text.n < BEGIN)
		return false;
	*function = text.p[1];
	if (text.p[0] == ESC)
		return true;
	*function = (char)(text.p[1] - 0x40);
	return text_is_c1(text);
}

/* ST: ESC \, or U+009C. */
static size_t string_end(struct span text)
{
	bool st = span_starts(text, SPAN("\033\\")) ||
		  span_starts(text, SPAN("\302\234"));
	if (st)
		return 2;
	return text.n > 0 && text.p[0] == BEL ? 1 : 0;
}

static size_t string_length(struct span text, size_t at)
{
	for (; at < text.n && text.p[at] != '\n'; at++) {
		size_t end = string_end(span_from(text, at));
		if (end > 0)
			return at + end;
		/*
		 * Another control character aborts the string. So a text that
		 * begins one again and again is looked at once.
		 */
		if (text.p[at] == ESC || text_is_c1(span_from(text, at)))
			break;
	}
	return 0;
}

static size_t csi_length(struct span text, size_t at)
{
	while (at < text.n && is_in(text.p[at], 0x30, 0x3F))
		at++;
	while (at < text.n && is_in(text.p[at], 0x20, 0x2F))
		at++;
	if (at == text.n)
		return at;
	return is_in(text.p[at], 0x40, 0x7E) ? at + 1 : 0;
}

size_t escape_length(struct span text)
{
	char function = 0;
	if (!begins(text, &function))
		return 0;
	if (function == '[')
		return csi_length(text, BEGIN);
	/* OSC, DCS, SOS, PM and APC. */
	if (function && strchr("]PX^_", function))
		return string_length(text, BEGIN);
	if (text.p[0] != ESC)
		return 0;
	size_t at = 1;
	while (at < text.n && is_in(text.p[at], 0x20, 0x2F))
		at++;
	return at < text.n && is_in(text.p[at], 0x30, 0x7E) ? at + 1 : 0;
}

size_t escape_hidden(struct span text)
{
	if (text.n == 0)
		return 0;
	unsigned char c = (unsigned char)text.p[0];
	if (c != 0xC2 && (c >= 0x20 || c == '\t' || c == '\n') && c != 0x7F)
		return 0;
	size_t n = escape_length(text);
	if (n > 0)
		return n;
	if (c == 0xC2)
		return text_is_c1(text) ? 2 : 0;
	return 1;
}

void escape_add_plain(struct buf *out, struct span text)
{
	size_t at = 0;
	for (size_t i = 0; i < text.n;) {
		size_t hidden = escape_hidden(span_from(text, i));
		if (hidden > 0) {
			buf_add(out, (struct span){ text.p + at, i - at });
			at = i + hidden;
		}
		i += hidden > 0 ? hidden : 1;
	}
	buf_add(out, span_from(text, at));
}
