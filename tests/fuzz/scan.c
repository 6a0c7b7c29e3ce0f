/*
 * JSON texts: core/json/scan.c and its twin without vectors against a slow
 * reader, and what a text holds against cJSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <cjson/cJSON.h>

#include "core/base/text.h"
#include "core/json/json.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/plain_scan.h"

static const struct scanner scanners[] = {
	{ scan_check, scan_string, scan_past_string, scan_past_value },
	{ plain_scan_check, plain_scan_string, plain_scan_past_string,
	  plain_scan_past_value },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* -- the slow reader: RFC 8259, a byte at a time */

struct piece {
	const char *start;
	size_t n;
	size_t depth; /* of what is noted, 1 for the outermost; else 0 */
};

struct slow {
	const char *p;
	const char *end;
	struct piece *list; /* all values and keys, by where they start */
	size_t n;
	size_t depth;
};

static bool slow_has(struct slow *s, const char *bytes)
{
	bool has = s->p < s->end && *s->p && strchr(bytes, *s->p);
	s->p += has;
	return has;
}

static void slow_space(struct slow *s)
{
	while (slow_has(s, " \t\r\n"))
		;
}

static bool slow_digits(struct slow *s)
{
	bool any = false;
	while (slow_has(s, "0123456789"))
		any = true;
	return any;
}

static bool slow_number(struct slow *s)
{
	slow_has(s, "-");
	if (!slow_has(s, "0") && !slow_digits(s))
		return false;
	if (slow_has(s, ".") && !slow_digits(s))
		return false;
	if (!slow_has(s, "eE"))
		return true;
	slow_has(s, "+-");
	return slow_digits(s);
}

static bool slow_string(struct slow *s)
{
	if (!slow_has(s, "\""))
		return false;
	while (s->p < s->end && *s->p != '"') {
		if ((unsigned char)*s->p < 0x20)
			return false;
		if (*s->p++ != '\\')
			continue;
		unsigned digits = slow_has(s, "u") ? 4 : 0;
		if (digits == 0 && !slow_has(s, "\"\\/bfnrt"))
			return false;
		while (digits-- > 0)
			if (!slow_has(s, "0123456789abcdefABCDEF"))
				return false;
	}
	return slow_has(s, "\"");
}

static bool slow_value(struct slow *s);

/* Behind its bracket. */
static bool slow_container(struct slow *s, bool object)
{
	const char *close = object ? "}" : "]";
	slow_space(s);
	if (slow_has(s, close))
		return true;
	do {
		slow_space(s);
		if (object) {
			struct piece *key = &s->list[s->n++];
			*key = (struct piece){ .start = s->p };
			if (!slow_string(s))
				return false;
			key->n = (size_t)(s->p - key->start);
			slow_space(s);
			if (!slow_has(s, ":"))
				return false;
			slow_space(s);
		}
		if (!slow_value(s))
			return false;
		slow_space(s);
	} while (slow_has(s, ","));
	return slow_has(s, close);
}

static bool slow_value(struct slow *s)
{
	static const char *const words[] = { "true", "false", "null" };
	struct piece *piece = &s->list[s->n++];
	bool ok;
	*piece = (struct piece){ .start = s->p };
	if (s->p < s->end && *s->p == '"') {
		ok = slow_string(s);
		if (s->p - piece->start > SCAN_SHORT)
			piece->depth = s->depth;
	} else if (s->p < s->end && (*s->p == '{' || *s->p == '[')) {
		bool object = *s->p++ == '{';
		piece->depth = ++s->depth;
		ok = slow_container(s, object);
		s->depth--;
	} else {
		struct span rest = { s->p, (size_t)(s->end - s->p) };
		ok = false;
		for (size_t i = 0; i < COUNT(words) && !ok; i++) {
			ok = span_starts(rest, span_of(words[i]));
			s->p += ok ? strlen(words[i]) : 0;
		}
		ok = ok || slow_number(s);
	}
	piece->n = (size_t)(s->p - piece->start);
	return ok;
}

/* Room for what there may be in a text, and one more. */
static struct slow slow_begin(struct span text)
{
	struct slow s = { .p = text.p, .end = text.p + text.n };
	s.list = calloc(text.n + 2, sizeof(*s.list));
	FUZZ_CHECK(s.list);
	return s;
}

/* What is looked at of one input, at most: in bytes. */
#define BUDGET ((size_t)1 << 20)

/* Whatever stands behind a quote, whether that begins a string or not. */
static void check_strings(struct span text)
{
	size_t looked_at = 0;
	for (size_t i = 0; i < text.n && looked_at < BUDGET; i++) {
		struct slow s = { .p = text.p + i, .end = text.p + text.n };
		const char *quote = s.p;
		if (*quote != '"')
			continue;
		const char *want = slow_string(&s) ? s.p : NULL;
		looked_at += (size_t)(s.p - quote);
		FUZZ_CHECK(scan_string_plain(quote, s.end) == want);
		for (size_t k = 0; k < COUNT(scanners); k++) {
			FUZZ_CHECK(scanners[k].string(quote, s.end) == want);
			if (want)
				FUZZ_CHECK(scanners[k].past_string(
						   quote, s.end) == want);
		}
	}
}

/* What is noted of ends where there is room for `cap`. */
static void check_ends(const struct scanner *scanner, struct span text,
		       const struct slow *slow, size_t cap)
{
	/* A block of just that size, so that writing past it is noticed. */
	struct scan_end *list = malloc(cap > 0 ? cap * sizeof(*list) : 1);
	struct scan_ends ends = { list, 0, cap };
	struct span value;
	size_t noted = 0;
	FUZZ_CHECK(list && scanner->check(text, &value, &ends) == 0);
	for (size_t i = 0; i < slow->n && noted < cap; i++) {
		const struct piece *piece = &slow->list[i];
		if (piece->depth == 0 || piece->depth > SCAN_LEVELS)
			continue;
		FUZZ_CHECK(noted < ends.n);
		FUZZ_CHECK(list[noted].start == piece->start);
		FUZZ_CHECK(list[noted].n == piece->n);
		noted++;
	}
	FUZZ_CHECK(ends.n == noted);
	free(list);
}

/* A walk is the same with what is noted of ends, and inside of what it gives.
 */
static void check_walk(struct json slow, struct json fast, unsigned level)
{
	struct json_walk a = json_walk(slow);
	struct json_walk b = json_walk(fast);
	bool object = json_type(slow) == JSON_OBJECT;
	struct json key[2] = { 0 };
	bool more = true;
	FUZZ_CHECK(slow.raw.p == fast.raw.p && slow.raw.n == fast.raw.n);
	while (more && level < SCAN_LEVELS + 2) {
		more = object ? json_next_member(&a, &key[0], &slow)
			      : json_next_element(&a, &slow);
		FUZZ_CHECK(more ==
			   (object ? json_next_member(&b, &key[1], &fast)
				   : json_next_element(&b, &fast)));
		if (!more)
			break;
		FUZZ_CHECK(key[0].raw.p == key[1].raw.p &&
			   key[0].raw.n == key[1].raw.n);
		check_walk(slow, fast, level + 1);
	}
}

/* All that is in a text that is JSON is found where it is. */
static void check_pieces(struct span text, const struct slow *slow)
{
	static const size_t caps[] = { 0, 1, 8, 64 };
	size_t looked_at = 0;
	struct json value;
	for (size_t i = 0; i < slow->n && looked_at < BUDGET; i++) {
		const struct piece *piece = &slow->list[i];
		for (size_t k = 0; k < COUNT(scanners); k++)
			FUZZ_CHECK(scanners[k].past_value(piece->start,
							  text.p + text.n) ==
				   piece->start + piece->n);
		looked_at += piece->n;
	}
	FUZZ_CHECK(json_check(text, &value) == 0);
	for (size_t i = 0; i < COUNT(caps); i++) {
		struct scan_end list[64];
		struct scan_ends ends = { list, 0, caps[i] };
		struct json fast;
		for (size_t k = 0; k < COUNT(scanners); k++)
			check_ends(&scanners[k], text, slow, caps[i]);
		FUZZ_CHECK(json_check_ends(text, &fast, &ends) == 0);
		check_walk(value, fast, 0);
	}
}

/* A string as we have it, and as cJSON does: up to its first NUL, as it is. */
static void compare_strings(struct json v, const char *theirs)
{
	struct buf a = { 0 };
	struct buf b = { 0 };
	json_decode(&a, v);
	text_add_utf8(&b, span_of(theirs));
	FUZZ_CHECK(buf_error(&a) == 0 && buf_error(&b) == 0);
	const char *nul = a.len > 0 ? memchr(a.data, '\0', a.len) : NULL;
	struct span ours = buf_span(&a);
	if (nul)
		ours.n = (size_t)(nul - a.data);
	fuzz_check_same("a string, and by cJSON", ours, buf_span(&b));
	buf_free(&a);
	buf_free(&b);
}

static enum json_type type_of(const cJSON *theirs)
{
	switch (theirs->type & 0xFF) {
	case cJSON_NULL:
		return JSON_NULL;
	case cJSON_False:
		return JSON_FALSE;
	case cJSON_True:
		return JSON_TRUE;
	case cJSON_Number:
		return JSON_NUMBER;
	case cJSON_String:
		return JSON_STRING;
	case cJSON_Array:
		return JSON_ARRAY;
	default:
		return JSON_OBJECT;
	}
}

/* What is not worth its time is not looked into: each level is passed over
 * once for each that it is in. */
#define LEVELS 32

static void compare_values(struct json v, const cJSON *theirs, unsigned level)
{
	struct json_walk w = json_walk(v);
	bool object = json_type(v) == JSON_OBJECT;
	struct json key;
	FUZZ_CHECK(json_type(v) == type_of(theirs));
	if (json_type(v) == JSON_STRING)
		compare_strings(v, theirs->valuestring);
	if (json_type(v) == JSON_NUMBER)
		FUZZ_CHECK(json_number(v) == theirs->valuedouble);
	if (json_type(v) < JSON_ARRAY || level == LEVELS)
		return;
	const cJSON *child = theirs->child;
	while (object ? json_next_member(&w, &key, &v)
		      : json_next_element(&w, &v)) {
		FUZZ_CHECK(child);
		if (object)
			compare_strings(key, child->string);
		compare_values(v, child, level + 1);
		child = child->next;
	}
	FUZZ_CHECK(!child);
}

/* It takes more than is JSON, and not all that is: no half of a surrogate
 * pair, no deep one, no long number. */
static void check_theirs(struct span text)
{
	struct json v;
	struct buf copy = { 0 };
	buf_add(&copy, text);
	const char *p = buf_cstr(&copy);
	FUZZ_CHECK(p && json_check(text, &v) == 0);
	cJSON *theirs = cJSON_ParseWithLengthOpts(p, text.n, NULL, false);
	if (theirs)
		compare_values(v, theirs, 0);
	cJSON_Delete(theirs);
	buf_free(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span input = fuzz_input(data, size);
	/* Anywhere in a block of bytes, which ends with it. */
	size_t shift = fuzz_choose(input, 2, 64);
	char *copy = malloc(shift + input.n + (shift + input.n == 0));
	FUZZ_CHECK(copy);
	memcpy(copy + shift, input.p, input.n);
	struct span text = { copy + shift, input.n };
	struct slow slow = slow_begin(text);
	slow_space(&slow);
	bool is_json = slow_value(&slow);
	slow_space(&slow);
	is_json = is_json && slow.p == slow.end;
	for (size_t i = 0; i < COUNT(scanners); i++) {
		struct span value = { 0 };
		FUZZ_CHECK(scanners[i].check(text, &value, NULL) ==
			   (is_json ? 0 : -EBADMSG));
		FUZZ_CHECK(!is_json || (value.p == slow.list[0].start &&
					value.n == slow.list[0].n));
	}
	check_strings(text);
	if (is_json) {
		check_pieces(text, &slow);
		check_theirs(text);
	}
	free(slow.list);
	free(copy);
	return 0;
}
