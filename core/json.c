#include "core/json.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/text.h"

/* Which containers are open, innermost last: a set bit is an object. */
struct nesting {
	unsigned char *bits;
	size_t cap; /* in bytes */
	size_t depth;
	unsigned char inline_bits[64];
};

static bool nesting_push(struct nesting *n, bool object)
{
	if (n->depth / 8 == n->cap) {
		bool was_inline = n->bits == n->inline_bits;
		unsigned char *bits =
			realloc(was_inline ? NULL : n->bits, n->cap * 2);
		if (!bits)
			return false;
		if (was_inline)
			memcpy(bits, n->inline_bits, n->cap);
		n->bits = bits;
		n->cap *= 2;
	}
	unsigned char bit = (unsigned char)(1u << n->depth % 8);
	if (object)
		n->bits[n->depth / 8] |= bit;
	else
		n->bits[n->depth / 8] &= (unsigned char)~bit;
	n->depth++;
	return true;
}

static bool nesting_in_object(const struct nesting *n)
{
	size_t top = n->depth - 1;
	return n->bits[top / 8] >> top % 8 & 1;
}

static const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * The check_ functions take the first byte of a thing and return what follows
 * it, or NULL if it is not well-formed.
 */
static const char *check_escape(const char *p, const char *end)
{
	if (end - p < 2)
		return NULL;
	if (p[1] != 'u')
		return memchr("\"\\/bfnrt", p[1], 8) ? p + 2 : NULL;
	if (end - p < 6)
		return NULL;
	for (int i = 2; i < 6; i++) {
		if (hex_value(p[i]) < 0)
			return NULL;
	}
	return p + 6;
}

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Is none of eight bytes a quote, a backslash or a control character? */
static bool word_is_plain(uint64_t w)
{
	uint64_t quote = w ^ ONES * '"';
	uint64_t slash = w ^ ONES * '\\';
	uint64_t found = ((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) |
			 ((w - ONES * 0x20) & ~w);
	return (found & HIGHS) == 0;
}

static const char *check_string(const char *p, const char *end)
{
	for (p++; p < end;) {
		uint64_t w;
		while (end - p >= 8 && (memcpy(&w, p, 8), word_is_plain(w)))
			p += 8;
		if (p == end)
			break;
		if (*p == '"')
			return p + 1;
		if (*p == '\\') {
			p = check_escape(p, end);
			if (!p)
				return NULL;
		} else if ((unsigned char)*p < 0x20) {
			return NULL;
		} else {
			p++;
		}
	}
	return NULL;
}

static const char *check_digits(const char *p, const char *end)
{
	if (p == end || *p < '0' || *p > '9')
		return NULL;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static const char *check_number(const char *p, const char *end)
{
	if (*p == '-')
		p++;
	if (p < end && *p == '0')
		p++;
	else
		p = check_digits(p, end);
	if (p && p < end && *p == '.')
		p = check_digits(p + 1, end);
	if (p && p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		p = check_digits(p, end);
	}
	return p;
}

static const char *check_word(const char *p, const char *end, struct span word)
{
	struct span rest = { p, (size_t)(end - p) };
	return span_starts(rest, word) ? p + word.n : NULL;
}

static const char *check_scalar(const char *p, const char *end)
{
	switch (*p) {
	case '"':
		return check_string(p, end);
	case 't':
		return check_word(p, end, SPAN("true"));
	case 'f':
		return check_word(p, end, SPAN("false"));
	case 'n':
		return check_word(p, end, SPAN("null"));
	default:
		return check_number(p, end);
	}
}

/* A key and its colon, with the white space behind. */
static const char *check_key(const char *p, const char *end)
{
	if (p == end || *p != '"')
		return NULL;
	p = check_string(p, end);
	if (!p)
		return NULL;
	p = skip_space(p, end);
	if (p == end || *p != ':')
		return NULL;
	return skip_space(p + 1, end);
}

/*
 * From behind a value up to the start of the next one, closing what ends
 * there. Leaves depth 0 when the outermost value is over.
 */
static const char *check_between(struct nesting *n, const char *p,
				 const char *end)
{
	while (n->depth > 0) {
		p = skip_space(p, end);
		if (p == end)
			return NULL;
		bool object = nesting_in_object(n);
		if (*p == ',') {
			p = skip_space(p + 1, end);
			return object ? check_key(p, end) : p;
		}
		if (*p != (object ? '}' : ']'))
			return NULL;
		p++;
		n->depth--;
	}
	return p;
}

/* The end of the value that starts at p, or NULL with the reason in *err. */
static const char *check_value(struct nesting *n, const char *p,
			       const char *end, int *err)
{
	do {
		if (!p || p == end)
			return NULL;
		if (*p != '{' && *p != '[') {
			p = check_scalar(p, end);
		} else {
			bool object = *p == '{';
			p = skip_space(p + 1, end);
			if (!nesting_push(n, object)) {
				*err = -ENOMEM;
				return NULL;
			}
			if (p == end || *p != (object ? '}' : ']')) {
				if (object)
					p = check_key(p, end);
				continue;
			}
		}
		if (!p)
			return NULL;
		p = check_between(n, p, end);
		if (!p)
			return NULL;
	} while (n->depth > 0);
	return p;
}

int json_check(struct span text, struct json *value)
{
	struct nesting n = { .cap = sizeof(n.inline_bits) };
	n.bits = n.inline_bits;
	const char *end = text.p + text.n;
	const char *start = skip_space(text.p, end);
	int err = -EBADMSG;

	const char *p = check_value(&n, start, end, &err);
	if (n.bits != n.inline_bits)
		free(n.bits);
	if (!p || skip_space(p, end) != end)
		return err;
	value->raw = (struct span){ start, (size_t)(p - start) };
	return 0;
}

enum json_type json_type(struct json v)
{
	if (v.raw.n == 0)
		return JSON_ABSENT;
	switch (v.raw.p[0]) {
	case 'n':
		return JSON_NULL;
	case 'f':
		return JSON_FALSE;
	case 't':
		return JSON_TRUE;
	case '"':
		return JSON_STRING;
	case '[':
		return JSON_ARRAY;
	case '{':
		return JSON_OBJECT;
	default:
		return JSON_NUMBER;
	}
}

bool json_truthy(struct json v)
{
	switch (json_type(v)) {
	case JSON_TRUE:
	case JSON_ARRAY:
	case JSON_OBJECT:
		return true;
	case JSON_STRING:
		return v.raw.n > 2;
	case JSON_NUMBER:
		return json_number(v) != 0;
	default:
		return false;
	}
}

/* The skip_ functions trust the text: it has been checked. */
static const char *skip_string(const char *p, const char *end)
{
	for (p++;; p++) {
		p = memchr(p, '"', (size_t)(end - p));
		const char *back = p;
		while (back[-1] == '\\')
			back--;
		if ((p - back) % 2 == 0)
			return p + 1;
	}
}

static const char *skip_container(const char *p, const char *end)
{
	size_t depth = 0;
	for (;;) {
		switch (*p) {
		case '"':
			p = skip_string(p, end);
			continue;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (--depth == 0)
				return p + 1;
			break;
		default:
			break;
		}
		p++;
	}
}

static const char *skip_value(const char *p, const char *end)
{
	if (*p == '"')
		return skip_string(p, end);
	if (*p == '{' || *p == '[')
		return skip_container(p, end);
	while (p < end && !memchr(",]} \t\r\n", *p, 7))
		p++;
	return p;
}

/* Below this depth passing over things again costs less than a table. */
#define SHALLOW 16

static size_t deepest(struct json v)
{
	const char *end = v.raw.p + v.raw.n;
	size_t depth = 0;
	size_t most = 0;
	for (const char *p = v.raw.p; p < end;) {
		if (*p == '"') {
			p = skip_string(p, end);
			continue;
		}
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		if (depth > most)
			most = depth;
		p++;
	}
	return most;
}

static bool ends_add(struct json_ends *e, const char *start, size_t around)
{
	if (e->n == e->cap) {
		size_t cap = e->cap ? e->cap * 2 : 64;
		struct json_end *list = realloc(e->list, cap * sizeof(*list));
		if (!list)
			return false;
		e->list = list;
		e->cap = cap;
	}
	e->list[e->n++] = (struct json_end){ start, around };
	return true;
}

int json_ends_load(struct json_ends *e, struct json v)
{
	*e = (struct json_ends){ 0 };
	if (deepest(v) <= SHALLOW)
		return 0;
	const char *end = v.raw.p + v.raw.n;
	size_t open = 0;
	for (const char *p = v.raw.p; p < end;) {
		if (*p == '"') {
			p = skip_string(p, end);
			continue;
		}
		if (*p == '{' || *p == '[') {
			if (!ends_add(e, p, open)) {
				json_ends_free(e);
				return -ENOMEM;
			}
			open = e->n;
		} else if (*p == '}' || *p == ']') {
			struct json_end *closed = &e->list[open - 1];
			open = closed->n;
			closed->n = (size_t)(p + 1 - closed->start);
		}
		p++;
	}
	return 0;
}

void json_ends_free(struct json_ends *e)
{
	free(e->list);
	*e = (struct json_ends){ 0 };
}

/* The end of the container that starts at p; NULL if it is not known. */
static const char *ends_find(const struct json_ends *e, const char *p)
{
	size_t low = 0;
	size_t high = e->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (e->list[mid].start < p)
			low = mid + 1;
		else
			high = mid;
	}
	return low < e->n && e->list[low].start == p ? p + e->list[low].n
						     : NULL;
}

/* The value at the walk's place. */
static struct json value_at(const struct json_walk *w)
{
	const char *end = NULL;
	if (w->ends && (*w->p == '{' || *w->p == '['))
		end = ends_find(w->ends, w->p);
	if (!end)
		end = skip_value(w->p, w->end);
	return (struct json){ { w->p, (size_t)(end - w->p) } };
}

struct json_walk json_walk(struct json v)
{
	enum json_type type = json_type(v);
	if (type != JSON_ARRAY && type != JSON_OBJECT)
		return (struct json_walk){ "", "", NULL };
	/* Inside the brackets; the closing one is no value's part. */
	return (struct json_walk){ v.raw.p + 1, v.raw.p + v.raw.n - 1, NULL };
}

/* To the start of the next key or value, or false at the end. */
static bool walk_on(struct json_walk *w)
{
	w->p = skip_space(w->p, w->end);
	if (w->p < w->end && *w->p == ',')
		w->p = skip_space(w->p + 1, w->end);
	return w->p < w->end;
}

bool json_next_member(struct json_walk *w, struct json *key, struct json *val)
{
	if (!walk_on(w))
		return false;
	*key = value_at(w);
	w->p = skip_space(key->raw.p + key->raw.n, w->end);
	w->p = skip_space(w->p + 1, w->end);
	*val = value_at(w);
	w->p = val->raw.p + val->raw.n;
	return true;
}

bool json_next_element(struct json_walk *w, struct json *val)
{
	if (!walk_on(w))
		return false;
	*val = value_at(w);
	w->p = val->raw.p + val->raw.n;
	return true;
}

struct json json_get(struct json v, const char *name)
{
	struct json out;
	json_get_all(v, 1, &name, &out);
	return out;
}

void json_get_all(struct json v, size_t n, const char *const names[],
		  struct json out[])
{
	memset(out, 0, n * sizeof(*out));
	if (json_type(v) != JSON_OBJECT)
		return;
	struct json_walk w = json_walk(v);
	struct json key;
	struct json val;
	while (json_next_member(&w, &key, &val)) {
		for (size_t i = 0; i < n; i++) {
			if (json_is(key, span_of(names[i]))) {
				out[i] = val;
				break;
			}
		}
	}
}

static bool is_ascii(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	}
	return true;
}

bool json_is(struct json v, struct span text)
{
	if (json_type(v) != JSON_STRING)
		return false;
	struct span in = { v.raw.p + 1, v.raw.n - 2 };
	/* Only what is no UTF-8 is shorter than what it is decoded to. */
	if (is_ascii(text)) {
		if (span_eq(in, text))
			return !memchr(in.p, '\\', in.n);
		if (in.n <= text.n || !memchr(in.p, '\\', in.n))
			return false;
	}
	struct buf b = { 0 };
	json_decode(&b, v);
	bool same = !b.failed && span_eq(buf_span(&b), text);
	buf_free(&b);
	return same;
}

static uint32_t hex4(const char *p)
{
	uint32_t u = 0;
	for (int i = 0; i < 4; i++)
		u = u << 4 | (uint32_t)hex_value(p[i]);
	return u;
}

/* Append the escape at p, a whole surrogate pair as one character. */
static const char *decode_escape(struct buf *out, const char *p,
				 const char *end)
{
	switch (p[1]) {
	case 'b':
		buf_addc(out, '\b');
		return p + 2;
	case 'f':
		buf_addc(out, '\f');
		return p + 2;
	case 'n':
		buf_addc(out, '\n');
		return p + 2;
	case 'r':
		buf_addc(out, '\r');
		return p + 2;
	case 't':
		buf_addc(out, '\t');
		return p + 2;
	case 'u':
		break;
	default:
		buf_addc(out, p[1]);
		return p + 2;
	}
	uint32_t cp = hex4(p + 2);
	p += 6;
	if (cp >= 0xD800 && cp < 0xDC00 && end - p >= 6 && p[0] == '\\' &&
	    p[1] == 'u') {
		uint32_t low = hex4(p + 2);
		if (low >= 0xDC00 && low < 0xE000) {
			cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
			p += 6;
		}
	}
	text_add_code_point(out, cp);
	return p;
}

void json_decode(struct buf *out, struct json v)
{
	if (json_type(v) != JSON_STRING)
		return;
	const char *p = v.raw.p + 1;
	const char *end = v.raw.p + v.raw.n - 1;
	while (p < end) {
		const char *slash = memchr(p, '\\', (size_t)(end - p));
		const char *stop = slash ? slash : end;
		text_add_utf8(out, (struct span){ p, (size_t)(stop - p) });
		p = slash ? decode_escape(out, slash, end) : end;
	}
}

double json_number(struct json v)
{
	if (json_type(v) != JSON_NUMBER)
		return NAN;
	/* strtod needs an end; a number is short unless it is meant to hurt. */
	char small[64];
	char *text = v.raw.n < sizeof(small) ? small : malloc(v.raw.n + 1);
	if (!text)
		return NAN;
	memcpy(text, v.raw.p, v.raw.n);
	text[v.raw.n] = '\0';
	double d = strtod(text, NULL);
	if (text != small)
		free(text);
	return d;
}
