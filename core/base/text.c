#include "core/base/text.h"

#include <ctype.h>

#define REPLACEMENT SPAN("\xEF\xBF\xBD")

static bool is_cont(unsigned char c)
{
	return (c & 0xC0) == 0x80;
}

/*
 * The length of the well-formed character at s.p, 1 to 4. If there is none,
 * returns 0, and *bad is the number of bytes that one U+FFFD replaces. `s` must
 * not be empty.
 */
static size_t char_len(struct span s, size_t *bad)
{
	const unsigned char *p = (const unsigned char *)s.p;
	unsigned char c = p[0];
	unsigned char lo = 0x80;
	unsigned char hi = 0xBF;
	size_t need;

	*bad = 1;
	if (c < 0x80)
		return 1;
	if (c >= 0xC2 && c <= 0xDF) {
		need = 2;
	} else if (c >= 0xE0 && c <= 0xEF) {
		need = 3;
		if (c == 0xE0)
			lo = 0xA0;
		if (c == 0xED)
			hi = 0x9F;
	} else if (c >= 0xF0 && c <= 0xF4) {
		need = 4;
		if (c == 0xF0)
			lo = 0x90;
		if (c == 0xF4)
			hi = 0x8F;
	} else {
		return 0;
	}
	if (s.n < 2 || p[1] < lo || p[1] > hi)
		return 0;
	for (size_t i = 2; i < need; i++) {
		if (i >= s.n || !is_cont(p[i])) {
			*bad = i;
			return 0;
		}
	}
	return need;
}

#define HIGHS UINT64_C(0x8080808080808080)

/* How many bytes at the start of s are well-formed UTF-8. */
static size_t valid_run(struct span s, size_t *bad)
{
	size_t i = 0;
	uint64_t eight;
	uint64_t four[4];
	while (i < s.n) {
		/* Most text is ASCII. */
		while (i + sizeof(four) <= s.n) {
			memcpy(four, s.p + i, sizeof(four));
			if ((four[0] | four[1] | four[2] | four[3]) & HIGHS)
				break;
			i += sizeof(four);
		}
		while (i + sizeof(eight) <= s.n) {
			memcpy(&eight, s.p + i, sizeof(eight));
			if (eight & HIGHS)
				break;
			i += sizeof(eight);
		}
		while (i < s.n && (unsigned char)s.p[i] < 0x80)
			i++;
		if (i == s.n)
			break;
		size_t len = char_len(span_from(s, i), bad);
		if (len == 0)
			break;
		i += len;
	}
	return i;
}

bool text_is_utf8(struct span s)
{
	size_t bad;
	return valid_run(s, &bad) == s.n;
}

void text_add_utf8(struct buf *out, struct span s)
{
	while (s.n > 0) {
		size_t bad;
		size_t run = valid_run(s, &bad);
		buf_add(out, (struct span){ s.p, run });
		if (run == s.n)
			return;
		buf_add(out, REPLACEMENT);
		s = span_from(s, run + bad);
	}
}

void text_add_code_point(struct buf *out, uint32_t cp)
{
	char c[4];
	size_t n;

	if (cp < 0x80) {
		c[0] = (char)cp;
		n = 1;
	} else if (cp < 0x800) {
		c[0] = (char)(0xC0 | cp >> 6);
		c[1] = (char)(0x80 | (cp & 0x3F));
		n = 2;
	} else if (cp < 0x10000) {
		c[0] = (char)(0xE0 | cp >> 12);
		c[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		c[2] = (char)(0x80 | (cp & 0x3F));
		n = 3;
	} else {
		c[0] = (char)(0xF0 | cp >> 18);
		c[1] = (char)(0x80 | (cp >> 12 & 0x3F));
		c[2] = (char)(0x80 | (cp >> 6 & 0x3F));
		c[3] = (char)(0x80 | (cp & 0x3F));
		n = 4;
	}
	buf_add(out, (struct span){ c, n });
}

size_t text_js_length(struct span s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		n += (c & 0xC0) != 0x80;
		n += c >= 0xF0; /* a pair */
	}
	return n;
}

bool text_is_surrogate(struct span s)
{
	return s.n >= 3 && (unsigned char)s.p[0] == 0xED &&
	       (unsigned char)s.p[1] >= 0xA0;
}

/* Is there a surrogate of the given half (0xA0 high, 0xB0 low) at p? */
static bool surrogate_at(const char *p, const char *end, unsigned char half)
{
	return end - p >= 3 && (unsigned char)p[0] == 0xED &&
	       ((unsigned char)p[1] & 0xF0) == half;
}

static uint32_t surrogate_bits(const char *p)
{
	return ((uint32_t)p[1] & 0x0F) << 6 | ((uint32_t)p[2] & 0x3F);
}

void text_finish(struct buf *b, size_t from)
{
	if (b->failed || from >= b->len)
		return;
	const char *p = memchr(b->data + from, 0xED, b->len - from);
	if (!p)
		return;

	const char *end = b->data + b->len;
	struct buf to = { .data = b->data,
			  .len = (size_t)(p - b->data),
			  .cap = b->cap };
	while (p < end) {
		if (surrogate_at(p, end, 0xA0) &&
		    surrogate_at(p + 3, end, 0xB0)) {
			/* Never longer than what it replaces. */
			text_add_code_point(
				&to, 0x10000 + (surrogate_bits(p) << 10) +
					     surrogate_bits(p + 3));
			p += 6;
		} else if (surrogate_at(p, end, 0xA0) ||
			   surrogate_at(p, end, 0xB0)) {
			buf_add(&to, REPLACEMENT);
			p += 3;
		} else {
			to.data[to.len++] = *p++;
		}
	}
	b->len = to.len;
}

uint32_t text_code_point(struct span s, size_t *len)
{
	const unsigned char *p = (const unsigned char *)s.p;
	if (p[0] < 0xC0 || s.n < 2) {
		*len = 1;
		return p[0];
	}
	if (p[0] < 0xE0) {
		*len = 2;
		return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
	}
	if (p[0] < 0xF0 && s.n >= 3) {
		*len = 3;
		return (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 |
		       (p[2] & 0x3Fu);
	}
	if (s.n >= 4) {
		*len = 4;
		return (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 |
		       (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
	}
	*len = 1;
	return p[0];
}

static bool is_js_space(uint32_t cp)
{
	return (cp >= 0x09 && cp <= 0x0D) || cp == 0x20 || cp == 0xA0 ||
	       cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x2028 ||
	       cp == 0x2029 || cp == 0x202F || cp == 0x205F || cp == 0x3000 ||
	       cp == 0xFEFF;
}

struct span text_trim(struct span s)
{
	while (s.n > 0) {
		size_t len;
		if (!is_js_space(text_code_point(s, &len)))
			break;
		s = span_from(s, len);
	}
	return text_trim_end(s);
}

struct span text_trim_end(struct span s)
{
	while (s.n > 0) {
		size_t at = s.n - 1;
		while (at > 0 && is_cont((unsigned char)s.p[at]))
			at--;
		size_t len;
		if (!is_js_space(text_code_point(span_from(s, at), &len)))
			break;
		s.n = at;
	}
	return s;
}

bool text_is_c1(struct span s)
{
	return s.n >= 2 && (unsigned char)s.p[0] == 0xC2 &&
	       (unsigned char)s.p[1] >= 0x80 && (unsigned char)s.p[1] < 0xA0;
}

void text_add_one_line(struct buf *out, struct span s)
{
	size_t from = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c >= 0x20 && c != 0x7F && c != 0xC2)
			continue;
		bool c1 = text_is_c1(span_from(s, i));
		if (c == 0xC2 && !c1)
			continue;
		buf_add(out, (struct span){ s.p + from, i - from });
		if (c1)
			c = (unsigned char)s.p[++i];
		from = i + 1;
		if (c == '\n')
			buf_adds(out, "\\n");
		else if (c == '\t')
			buf_adds(out, "\\t");
		else
			buf_addf(out, "\\u%04x", c);
	}
	buf_add(out, span_from(s, from));
}

void text_add_shell_word(struct buf *out, struct span s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-+,:=@%";
	size_t i = 0;
	while (i < s.n && memchr(plain, s.p[i], sizeof(plain) - 1))
		i++;
	if (i == s.n && s.n > 0) {
		buf_add(out, s);
		return;
	}
	buf_addc(out, '\'');
	for (i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			buf_adds(out, "'\\'");
		buf_addc(out, s.p[i]);
	}
	buf_addc(out, '\'');
}

struct span text_start(struct span s, size_t most)
{
	if (s.n <= most)
		return s;
	while (most > 0 && is_cont((unsigned char)s.p[most]))
		most--;
	return (struct span){ s.p, most };
}

bool text_is_uuid(struct span s)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	if (s.n != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool fits = form[i] == '-' ? s.p[i] == '-'
					   : isxdigit((unsigned char)s.p[i]);
		if (!fits)
			return false;
	}
	return true;
}
