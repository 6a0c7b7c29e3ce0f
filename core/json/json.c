#include "core/json/json.h"

#include <endian.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/json/nesting.h"
#include "core/json/short.h"

int json_check(struct span text, struct json *value)
{
	value->ends = NULL;
	return scan_check(text, &value->raw, NULL);
}

int json_check_ends(struct span text, struct json *value,
		    struct scan_ends *ends)
{
	value->ends = ends;
	return scan_check(text, &value->raw, ends);
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

/* Up to this depth scanning again costs less than a table. */
#define SHALLOW 16

static size_t deepest(struct json v)
{
	const char *end = v.raw.p + v.raw.n;
	struct nesting n = { 0 };
	size_t most = 0;
	for (const char *p = v.raw.p; p; p = nesting_next(&n, p, end)) {
		if (n.depth > most)
			most = n.depth;
	}
	return most;
}

int json_ends_load(struct scan_ends *e, struct json v)
{
	*e = (struct scan_ends){ 0 };
	if (deepest(v) <= SHALLOW)
		return 0;
	const char *end = v.raw.p + v.raw.n;
	struct nesting n = { 0 };
	size_t open = 0;
	const char *p = v.raw.p;
	while ((p = nesting_next(&n, p, end))) {
		if (p[-1] == '{' || p[-1] == '[') {
			if (array_reserve(&e->list, &e->cap, e->n, 1) < 0) {
				json_ends_free(e);
				return -ENOMEM;
			}
			e->list[e->n++] = (struct scan_end){ p - 1, open };
			open = e->n;
		} else {
			struct scan_end *closed = &e->list[open - 1];
			open = closed->n;
			closed->n = (size_t)(p - closed->start);
		}
	}
	return 0;
}

void json_ends_free(struct scan_ends *e)
{
	free(e->list);
	*e = (struct scan_ends){ 0 };
}

static bool starts_before(const void *list, size_t i, const void *p)
{
	return ((const struct scan_end *)list)[i].start < (const char *)p;
}

/* The end of what starts at p; NULL if it is not in the list. */
static const char *ends_find(const struct scan_ends *e, const char *p)
{
	size_t low = array_search(e->list, e->n, starts_before, p);
	return low < e->n && e->list[low].start == p ? p + e->list[low].n
						     : NULL;
}

/* The steps of a walk are most of the work of all who look for members. */
#define STEP static inline __attribute__((always_inline))

/* The value where the walk is, and go past it. */
STEP struct json take_value(struct json_walk *w)
{
	const char *p = w->p;
	const char *past = p + 1;
	const char *end = NULL;
	if (*p == '"') {
		if (short_string(&past, w->end, false))
			end = past;
	} else if (*p != '{' && *p != '[') {
		end = short_scalar(p, w->end);
	}
	if (!end && w->ends)
		end = ends_find(w->ends, p);
	w->p = end ? end : scan_past_value(p, w->end);
	return (struct json){ { p, (size_t)(w->p - p) }, w->ends };
}

/*
 * The key where the walk is, and go past its colon. Returns whether its bytes
 * are its characters.
 */
STEP bool take_key(struct json_walk *w, struct json *key)
{
	const char *p = w->p + 1;
	bool plain = short_string(&p, w->end, true);
	if (!plain)
		p = scan_past_string(w->p, w->end);
	*key = (struct json){ { w->p, (size_t)(p - w->p) }, w->ends };
	p = scan_past_space(p, w->end);
	w->p = scan_past_space(p + 1, w->end);
	return plain;
}

struct json_walk json_walk_of(enum json_type type, struct json v)
{
	return json_walk(json_type(v) == type ? v : (struct json){ 0 });
}

struct json_walk json_walk(struct json v)
{
	enum json_type type = json_type(v);
	if (type != JSON_ARRAY && type != JSON_OBJECT)
		return (struct json_walk){ "", "", NULL };
	/* Without the brackets. */
	return (struct json_walk){ v.raw.p + 1, v.raw.p + v.raw.n - 1, v.ends };
}

/* Go to the start of the next key or value; false at the end. */
STEP bool walk_on(struct json_walk *w)
{
	w->p = scan_past_space(w->p, w->end);
	if (w->p < w->end && *w->p == ',')
		w->p = scan_past_space(w->p + 1, w->end);
	return w->p < w->end;
}

bool json_next_member(struct json_walk *w, struct json *key, struct json *val)
{
	if (!walk_on(w))
		return false;
	take_key(w, key);
	*val = take_value(w);
	return true;
}

bool json_next_element(struct json_walk *w, struct json *val)
{
	/* In an object a colon follows the first key: a walk must end there. */
	if (!walk_on(w) || *w->p == ':')
		return false;
	*val = take_value(w);
	return true;
}

bool json_has_members(struct json v)
{
	struct json_walk w = json_walk(v);
	return walk_on(&w);
}

bool json_has_elements(struct json v)
{
	return json_type(v) == JSON_ARRAY && json_has_members(v);
}

/* Is that the name of a key? `plain` is of take_key(). */
static bool is_name(struct json key, bool plain, struct span name)
{
	struct span bytes = { key.raw.p + 1, key.raw.n - 2 };
	return plain ? span_eq(bytes, name) : json_is(key, name);
}

static struct json get(struct json object, struct span name)
{
	struct json out = { 0 };
	struct json_walk w = json_walk(object);
	struct json key;
	char first = name.n > 0 ? name.p[0] : '\0';
	while (json_type(object) == JSON_OBJECT && walk_on(&w)) {
		bool plain = take_key(&w, &key);
		struct json val = take_value(&w);
		if (json_may_be(key, first) && is_name(key, plain, name))
			out = val;
	}
	return out;
}

struct json json_get(struct json v, const char *name)
{
	return get(v, span_of(name));
}

struct json json_at(struct json v, struct span path)
{
	while (path.n > 0)
		v = get(v, span_next(&path, '.'));
	return v;
}

/* Is that the name of a key whose bytes are its characters? */
static inline bool is_plain(struct json key, const char *name)
{
	const char *p = key.raw.p + 1;
	size_t n = key.raw.n - 2;
	size_t i = 0;
	while (i < n && p[i] == name[i])
		i++;
	return i == n && name[n] == '\0';
}

/* A bit for a character that names may begin with. */
static inline uint64_t first_bit(char c)
{
	return UINT64_C(1) << ((unsigned char)c % 64);
}

void json_get_all(struct json v, size_t n, const char *const names[],
		  struct json out[])
{
	uint64_t firsts = first_bit('"'); /* an empty one's */
	for (size_t i = 0; i < n; i++) {
		out[i] = (struct json){ 0 };
		firsts |= first_bit(*names[i]);
	}
	if (json_type(v) != JSON_OBJECT)
		return;
	struct json_walk w = json_walk(v);
	struct json key;
	size_t next = 0; /* most lists are in the members' order */
	while (walk_on(&w)) {
		bool plain = take_key(&w, &key);
		struct json val = take_value(&w);
		size_t most = n;
		if (plain && !(firsts & first_bit(key.raw.p[1])))
			most = 0;
		for (size_t tried = 0; tried < most; tried++) {
			const char *name = names[next];
			size_t i = next++;
			if (next == n)
				next = 0;
			if (plain ? is_plain(key, name)
				  : json_is(key, span_of(name))) {
				out[i] = val;
				break;
			}
		}
	}
}

bool json_is_text(struct json string, struct span text)
{
	struct span in = { string.raw.p + 1, string.raw.n - 2 };
	/* A character has at least a sixth of its bytes in JSON: \u0041. */
	if (in.n / 6 > text.n)
		return false;
	/* Bytes that are no UTF-8 do not become fewer. */
	bool escaped = memchr(in.p, '\\', in.n);
	if (!escaped && (in.n > text.n || text_is_utf8(in)))
		return span_eq(in, text) && text_is_utf8(in);
	struct buf b BUF_SCOPED = { 0 };
	json_decode(&b, string);
	return !b.failed && span_eq(buf_span(&b), text);
}

const void *json_find_row(struct json word, const void *rows, size_t row_size,
			  size_t n)
{
	const char *row = rows;
	for (; n > 0; n--, row += row_size) {
		if (json_is(word, *(const struct span *)row))
			return row;
	}
	return NULL;
}

bool json_is_one(struct json v, const char *const words[])
{
	if (json_type(v) != JSON_STRING)
		return false;
	/* Few can be, as with keys. */
	while (*words &&
	       !(json_may_be(v, **words) && json_is(v, span_of(*words))))
		words++;
	return *words;
}

static uint32_t hex4(const char *p)
{
	uint32_t u = 0;
	for (int i = 0; i < 4; i++)
		u = u << 4 | (uint32_t)scan_hex_digit(p[i]);
	return u;
}

/* Append the character of the \u at p; of a surrogate pair, both halves. */
static const char *decode_code(struct buf *out, const char *p, const char *end)
{
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

/* The character of an escape, by the byte after the backslash; 0: that byte. */
static const char escaped[256] = {
	['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t',
};

/* Append the character of the escape at p. There is room for it. */
static const char *decode_escape(struct buf *out, const char *p,
				 const char *end)
{
	if (p[1] == 'u')
		return decode_code(out, p, end);
	char c = escaped[(unsigned char)p[1]];
	out->data[out->len++] = c ? c : p[1];
	return p + 2;
}

/* decode_plain() writes eight bytes, so that many more must fit. */
#define DECODE_ROOM 8

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* How many of the eight bytes precede the first backslash or non-ASCII byte. */
static size_t plain_bytes(const char *p)
{
	uint64_t w;
	memcpy(&w, p, sizeof(w));
	w = le64toh(w);
	uint64_t slash = w ^ ONES * '\\';
	uint64_t found = (((slash - ONES) & ~slash) | w) & HIGHS;
	return found ? (size_t)__builtin_ctzll(found) / 8 : sizeof(w);
}

/* Copy ASCII up to the next escape. There is room for it. */
static const char *decode_plain(struct buf *out, const char *p, const char *end)
{
	char *to = out->data + out->len;
	size_t n = 8;
	while (n == 8 && end - p >= 8) {
		/* Those that are not plain are overwritten. */
		memcpy(to, p, 8);
		n = plain_bytes(p);
		p += n;
		to += n;
	}
	while (p < end && *p != '\\' && (unsigned char)*p < 0x80)
		*to++ = *p++;
	out->len = (size_t)(to - out->data);
	return p;
}

/* Copy bytes from 0x80 up, which may not be UTF-8, up to the next ASCII byte.
 */
static const char *decode_wide(struct buf *out, const char *p, const char *end)
{
	const char *stop = p;
	while (stop < end && (unsigned char)*stop >= 0x80)
		stop++;
	text_add_utf8(out, (struct span){ p, (size_t)(stop - p) });
	return stop;
}

void json_decode(struct buf *out, struct json v)
{
	if (json_type(v) != JSON_STRING)
		return;
	const char *p = v.raw.p + 1;
	const char *end = v.raw.p + v.raw.n - 1;
	bool room = buf_reserve(out, (size_t)(end - p) + DECODE_ROOM);
	while (room && p < end) {
		p = decode_plain(out, p, end);
		if (p < end && *p == '\\') {
			p = decode_escape(out, p, end);
		} else if (p < end) {
			p = decode_wide(out, p, end);
			/* Bytes that are not UTF-8 became longer. */
			room = buf_reserve(out,
					   (size_t)(end - p) + DECODE_ROOM);
		}
	}
}

/* The powers of ten that a double has exactly, and the most digits it has. */
static const double powers[] = { 1e0, 1e1, 1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,
				 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
#define EXACT_DIGITS 15

/*
 * A number of few digits without an exponent: both its digits and the power of
 * ten are exact, so that their quotient is rounded once, as strtod() does.
 */
static bool short_number(struct span text, double *d)
{
	const char *p = text.p;
	const char *end = p + text.n;
	int64_t digits = 0;
	size_t after = 0;
	bool point = false;
	if (FLT_EVAL_METHOD != 0 || text.n > EXACT_DIGITS + 1 || *p == '-')
		return false;
	for (; p < end; p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			return false;
		digits = digits * 10 + (*p - '0');
		after += point;
	}
	if (text.n - point > EXACT_DIGITS)
		return false;
	*d = (double)digits / powers[after];
	return true;
}

double json_number(struct json v)
{
	if (json_type(v) != JSON_NUMBER)
		return NAN;
	double d;
	if (short_number(v.raw, &d))
		return d;
	/* strtod() needs a NUL. Numbers are short, except in hostile files. */
	char small[64];
	char *text = v.raw.n < sizeof(small) ? small : malloc(v.raw.n + 1);
	if (!text)
		return NAN;
	memcpy(text, v.raw.p, v.raw.n);
	text[v.raw.n] = '\0';
	d = strtod(text, NULL);
	if (text != small)
		free(text);
	return d;
}
