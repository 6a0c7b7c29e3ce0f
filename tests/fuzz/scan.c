/*
 * JSON texts: core/json/scan.c against its twin without vectors, against slow
 * ways to find where things end, and against cJSON.
 */
#include <ctype.h>
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

/* A block of just that size, so that reading past it is noticed. */
static char *exact(size_t n)
{
	char *block = malloc(n > 0 ? n : 1);
	FUZZ_CHECK(block);
	return block;
}

/* How many bytes the escape is that s begins with; 0 if it is none. */
static size_t escape_length(struct span s)
{
	size_t n = 2;
	if (s.n < 2 || !memchr("\"\\/bfnrtu", s.p[1], 9))
		return 0;
	while (s.p[1] == 'u' && n < 6) {
		if (n == s.n || !isxdigit((unsigned char)s.p[n]))
			return 0;
		n++;
	}
	return n;
}

/*
 * The slow twin, for all strings at once: by the first byte of what a string
 * holds, where what follows the string is, or 0. One more than there are bytes.
 */
static size_t *find_string_ends(struct span s)
{
	size_t *ends = calloc(s.n + 1, sizeof(*ends));
	FUZZ_CHECK(ends);
	for (size_t i = s.n; i-- > 0;) {
		struct span rest = { s.p + i, s.n - i };
		unsigned char c = (unsigned char)s.p[i];
		size_t n = c == '\\' ? escape_length(rest) : c >= 0x20;
		if (c == '"')
			ends[i] = i + 1;
		else if (n > 0)
			ends[i] = ends[i + n];
	}
	return ends;
}

/* A string from its quote; `want` is what follows it, or NULL. */
static void check_string(const char *p, const char *end, const char *want)
{
	FUZZ_CHECK(scan_string_plain(p, end) == want);
	for (size_t i = 0; i < COUNT(scanners); i++) {
		FUZZ_CHECK(scanners[i].string(p, end) == want);
		if (want)
			FUZZ_CHECK(scanners[i].past_string(p, end) == want);
	}
}

/* What is looked at of one input, at most: in bytes. */
#define BUDGET ((size_t)1 << 20)

/*
 * Whatever stands behind a quote, whether that begins a string or not. `shift`
 * is where in its block of memory the text begins.
 */
static void check_strings(struct span text, size_t shift)
{
	char *block = exact(shift + text.n);
	char *copy = block + shift;
	size_t *ends = find_string_ends(text);
	size_t looked_at = 0;
	memcpy(copy, text.p, text.n);
	for (size_t i = 0; i < text.n && looked_at < BUDGET; i++) {
		size_t want = ends[i + 1];
		if (copy[i] != '"')
			continue;
		check_string(copy + i, copy + text.n,
			     want > 0 ? copy + want : NULL);
		looked_at += (want > 0 ? want : text.n) - i;
	}
	free(ends);
	free(block);
}

/* More than a block, so that all that is in a string comes to stand at every
 * place of one. */
#define PADDING 66

/* The same string with up to so many bytes before what it holds. */
static void check_paddings(struct span tail)
{
	struct span all = { NULL, 1 + PADDING + tail.n };
	char *block = exact(all.n);
	all.p = block;
	memset(block, 'x', 1 + PADDING);
	memcpy(block + 1 + PADDING, tail.p, tail.n);
	size_t *ends = find_string_ends(all);
	for (size_t i = 0; i <= PADDING; i++) {
		size_t want = ends[i + 1];
		block[i] = '"';
		check_string(block + i, block + all.n,
			     want > 0 ? block + want : NULL);
		block[i] = 'x';
	}
	free(ends);
	free(block);
}

static void check_padded(struct span text)
{
	size_t at = text.n > 0 ? fuzz_choose(text, 1, text.n) : 0;
	const char *quote = memchr(text.p + at, '"', text.n - at);
	if (!quote)
		quote = memchr(text.p, '"', text.n);
	if (!quote)
		return;
	struct span tail = { quote + 1, (size_t)(text.p + text.n - quote) - 1 };
	size_t *ends = find_string_ends(tail);
	size_t end = ends[0];
	free(ends);
	if (end > 0 && end <= 256) {
		/* Up to its end, and not quite. */
		check_paddings((struct span){ tail.p, end });
		check_paddings((struct span){ tail.p, end - 1 });
	}
	if (tail.n > 256)
		tail.n = 256;
	check_paddings(tail);
}

/* A value, or a key, of a text that is JSON. */
struct piece {
	size_t start;
	size_t n;
	size_t depth; /* of what is noted, 1 for the outermost; else 0 */
};

/* All of them, by where they start: a slow way to find what follows them. */
static size_t find_pieces(struct span text, struct piece *list)
{
	size_t *ends = find_string_ends(text);
	size_t n = 0;
	size_t depth = 0;
	size_t open = 0; /* whose n says which one it is in, until it ends */
	for (size_t i = 0; i < text.n;) {
		char c = text.p[i];
		if (c == '}' || c == ']') {
			struct piece *p = &list[open];
			open = p->n;
			p->n = ++i - p->start;
			depth--;
		} else if (c == '{' || c == '[') {
			list[n] = (struct piece){ i++, open, ++depth };
			open = n++;
		} else if (memchr(" \t\r\n,:", c, 6)) {
			i++;
		} else {
			size_t start = i++;
			while (c != '"' && i < text.n &&
			       !memchr(" \t\r\n,]}", text.p[i], 7))
				i++;
			if (c == '"')
				i = ends[i];
			bool noted = c == '"' && i - start > SCAN_SHORT;
			list[n++] = (struct piece){ start, i - start,
						    noted ? depth : 0 };
		}
	}
	free(ends);
	return n;
}

/* What is noted of ends where there is room for `cap`. */
static void check_ends(const struct scanner *scanner, struct span text,
		       const struct piece *pieces, size_t n, size_t cap)
{
	struct scan_ends ends = { .cap = cap };
	struct span value;
	size_t noted = 0;
	ends.list = (struct scan_end *)exact(cap * sizeof(*ends.list));
	FUZZ_CHECK(scanner->check(text, &value, &ends) == 0);
	for (size_t i = 0; i < n && noted < cap; i++) {
		const struct scan_end *e = &ends.list[noted];
		if (pieces[i].depth == 0 || pieces[i].depth > SCAN_LEVELS)
			continue;
		FUZZ_CHECK(noted < ends.n);
		FUZZ_CHECK(e->start == text.p + pieces[i].start);
		FUZZ_CHECK(e->n == pieces[i].n);
		noted++;
	}
	FUZZ_CHECK(ends.n == noted);
	free(ends.list);
}

/* All that is found in a text that is JSON is found where it is. */
static void check_pieces(const struct scanner *scanner, struct span text)
{
	static const size_t caps[] = { 0, 1, 8, 64 };
	struct piece *pieces = (struct piece *)exact(text.n * sizeof(*pieces));
	size_t n = find_pieces(text, pieces);
	size_t looked_at = 0;
	struct span value;
	FUZZ_CHECK(scanner->check(text, &value, NULL) == 0);
	FUZZ_CHECK(value.p == text.p + pieces[0].start);
	FUZZ_CHECK(value.n == pieces[0].n);
	for (size_t i = 0; i < n && looked_at < BUDGET; i++) {
		const char *p = text.p + pieces[i].start;
		FUZZ_CHECK(scanner->past_value(p, text.p + text.n) ==
			   p + pieces[i].n);
		looked_at += pieces[i].n;
	}
	for (size_t i = 0; i < COUNT(caps); i++)
		check_ends(scanner, text, pieces, n, caps[i]);
	free(pieces);
}

/* A walk is the same with what is noted of ends, and inside of what it gives.
 */
static void check_walk(struct json slow, struct json fast, unsigned level)
{
	struct json_walk a = json_walk(slow);
	struct json_walk b = json_walk(fast);
	bool object = json_type(slow) == JSON_OBJECT;
	struct json key[2];
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
		if (object)
			FUZZ_CHECK(key[0].raw.p == key[1].raw.p &&
				   key[0].raw.n == key[1].raw.n);
		check_walk(slow, fast, level + 1);
	}
}

static void check_walks(struct span text)
{
	static const size_t caps[] = { 0, 1, 8, 64 };
	struct json slow;
	FUZZ_CHECK(json_check(text, &slow) == 0);
	for (size_t i = 0; i < COUNT(caps); i++) {
		struct scan_end list[64];
		struct scan_ends ends = { list, 0, caps[i] };
		struct json fast;
		FUZZ_CHECK(json_check_ends(text, &fast, &ends) == 0);
		check_walk(slow, fast, 0);
	}
}

/* NULL unless it is one value, and what cJSON takes for white space. */
static cJSON *parse_theirs(struct span text)
{
	struct buf copy = { 0 };
	buf_add(&copy, text);
	/* It has read a byte too many before; there is a NUL. */
	const char *p = buf_cstr(&copy);
	const char *end = NULL;
	FUZZ_CHECK(p);
	cJSON *v = cJSON_ParseWithLengthOpts(p, text.n, &end, false);
	while (v && end < p + text.n && (unsigned char)*end <= ' ')
		end++;
	if (v && end < p + text.n) {
		cJSON_Delete(v);
		v = NULL;
	}
	buf_free(&copy);
	return v;
}

/*
 * What cJSON and we do not agree about is replaced by something of its kind
 * that we do. Thus
 *
 *     we accept a text      if we accept `text`, and nothing was theirs;
 *     cJSON accepts a text  if we accept `text`, and nothing was ours,
 *
 * and on `text` itself we agree. This is all that is known of differences.
 */
struct common {
	struct buf text;
	bool theirs; /* has what only cJSON accepts */
	bool ours;   /* has what only we do, as RFC 8259 says */
	size_t depth;
	size_t deepest; /* to CJSON_NESTING_LIMIT: deeper is ours too */
};

static bool is_surrogate(struct span s, char first, char last)
{
	if (s.n < 6 || s.p[0] != '\\' || escape_length(s) != 6)
		return false;
	int c = tolower((unsigned char)s.p[3]);
	return tolower((unsigned char)s.p[2]) == 'd' && c >= first && c <= last;
}

/* In what a string holds; gives what follows. */
static struct span add_escape(struct common *c, struct span s)
{
	size_t n = s.n < 2 ? s.n : 2;
	struct span as = { s.p, n };
	if (s.n >= 6 && s.p[1] == 'u') {
		struct span next = { s.p + 6, s.n - 6 };
		n = as.n = 6;
		if (escape_length(s) == 0) {
			/* Reads other bytes as \u0000, even \u\"123. */
			c->theirs = true;
			as = SPAN("\\u0000");
		} else if (is_surrogate(s, '8', 'b') &&
			   is_surrogate(next, 'c', 'f')) {
			n = as.n = 12;
		} else if (is_surrogate(s, '8', 'f')) {
			/* Knows no half of a pair; JavaScript does. */
			c->ours = true;
			as = SPAN("\\u0041");
		}
	}
	/* Behind those a quote may be escaped, and yet close the string. */
	if (s.n == 1)
		as = SPAN("\\\\");
	buf_add(&c->text, as);
	return (struct span){ s.p + n, s.n - n };
}

/* From a quote; gives what follows. */
static struct span add_string(struct common *c, struct span s)
{
	struct span rest = { s.p + 1, 0 };
	size_t n = 1;
	while (n < s.n && s.p[n] != '"')
		n += s.p[n] == '\\' ? 2 : 1;
	if (n >= s.n) {
		/* Has no end: is of no kind. */
		buf_add(&c->text, s);
		return (struct span){ s.p + s.n, 0 };
	}
	rest.n = n - 1;
	buf_addc(&c->text, '"');
	while (rest.n > 0) {
		if (*rest.p == '\\') {
			rest = add_escape(c, rest);
			continue;
		}
		/* Takes any byte in strings, a NUL and a newline too, and a
		 * quote if the backslash before it was read as part of \u. */
		bool odd = (unsigned char)*rest.p < 0x20 || *rest.p == '"';
		c->theirs |= odd;
		buf_addc(&c->text, odd ? '?' : *rest.p);
		rest.p++;
		rest.n--;
	}
	buf_addc(&c->text, '"');
	return (struct span){ s.p + n + 1, s.n - n - 1 };
}

static size_t count_digits(struct span s, size_t from)
{
	size_t n = 0;
	while (from + n < s.n && isdigit((unsigned char)s.p[from + n]))
		n++;
	return n;
}

/*
 * Is it a number? By strtod()'s grammar of what begins with a digit or '-', not
 * by RFC 8259's, if `loose`.
 */
static bool is_number(struct span s, bool loose)
{
	size_t i = s.p[0] == '-';
	size_t whole = count_digits(s, i);
	if (!loose && (whole == 0 || (whole > 1 && s.p[i] == '0')))
		return false;
	i += whole;
	if (i < s.n && s.p[i] == '.') {
		size_t part = count_digits(s, i + 1);
		if (part == 0 && (!loose || whole == 0))
			return false;
		i += 1 + part;
		whole += part;
	}
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i++;
		if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
			i++;
		if (count_digits(s, i) == 0)
			return false;
		i += count_digits(s, i);
	}
	return whole > 0 && i == s.n;
}

/* How long a number cJSON can read: 1.7.15 as it was released copies 63 bytes.
 */
static bool reads_long_numbers(void)
{
	char text[64];
	const char *end = NULL;
	memset(text, '1', sizeof(text));
	cJSON_Delete(cJSON_ParseWithLengthOpts(text, 64, &end, false));
	return end == text + 64;
}

/* From a digit or '-', as far as there are bytes of numbers. */
static struct span add_number(struct common *c, struct span s)
{
	struct span number = { s.p, 1 };
	while (number.n < s.n && (isdigit((unsigned char)s.p[number.n]) ||
				  memchr("+-.eE", s.p[number.n], 5)))
		number.n++;
	struct span as = number;
	if (is_number(number, true)) {
		/* Leaves numbers to strtod: 01, -.5, 1., 1.e5. */
		c->theirs |= !is_number(number, false);
		c->ours |= number.n > 63 && !reads_long_numbers();
		as = SPAN("0");
	}
	buf_add(&c->text, as);
	return (struct span){ s.p + number.n, s.n - number.n };
}

static void find_common(struct common *c, struct span s)
{
	/* Passes over a byte order mark, unless just one byte follows. */
	if (s.n > 4 && span_starts(s, SPAN("\xEF\xBB\xBF"))) {
		c->theirs = true;
		buf_adds(&c->text, "   ");
		s = (struct span){ s.p + 3, s.n - 3 };
	}
	while (s.n > 0) {
		unsigned char byte = (unsigned char)*s.p;
		if (byte == '"') {
			s = add_string(c, s);
			continue;
		}
		if (byte == '-' || isdigit(byte)) {
			s = add_number(c, s);
			continue;
		}
		if (byte == '{' || byte == '[')
			c->depth++;
		else if ((byte == '}' || byte == ']') && c->depth > 0)
			c->depth--;
		if (c->depth > c->deepest)
			c->deepest = c->depth;
		/* White space is whatever is not above a space, even a NUL. */
		bool space = byte <= ' ' && !memchr(" \t\r\n", byte, 4);
		c->theirs |= space;
		buf_addc(&c->text, space ? ' ' : (char)byte);
		s.p++;
		s.n--;
	}
	c->ours |= c->deepest > CJSON_NESTING_LIMIT;
	FUZZ_CHECK(buf_error(&c->text) == 0);
}

static void check_accepted(struct span text, bool ours, bool theirs)
{
	struct common c = { 0 };
	struct span value;
	find_common(&c, text);
	bool is_json = scan_check(buf_span(&c.text), &value, NULL) == 0;
	FUZZ_CHECK(ours == (is_json && !c.theirs));
	FUZZ_CHECK(theirs == (is_json && !c.ours));
	if (c.deepest <= CJSON_NESTING_LIMIT) {
		cJSON *v = parse_theirs(buf_span(&c.text));
		FUZZ_CHECK(is_json == (v != NULL));
		cJSON_Delete(v);
	}
	buf_free(&c.text);
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
	if (!theirs)
		return JSON_ABSENT;
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

#define NAMES 16

/* Asked for by name, a member is the last that cJSON has of that name. */
static void compare_fields(struct json v, const cJSON *theirs)
{
	struct buf keys[NAMES] = { 0 };
	const char *names[NAMES] = { "type" };
	const cJSON *last[NAMES] = { NULL };
	struct json found[NAMES];
	size_t n = 1;
	struct json key;
	struct json value;
	struct json_walk w = json_walk(v);
	const cJSON *m = json_type(v) == JSON_OBJECT ? theirs->child : NULL;
	for (; m && n < NAMES; m = m->next) {
		size_t i = 0;
		FUZZ_CHECK(json_next_member(&w, &key, &value));
		buf_clear(&keys[n]);
		json_decode(&keys[n], key);
		const char *name = buf_cstr(&keys[n]);
		FUZZ_CHECK(name);
		/* Is no C string. */
		if (strlen(name) < keys[n].len)
			continue;
		while (i < n && strcmp(names[i], name) != 0)
			i++;
		names[i] = i < n ? names[i] : name;
		last[i] = m;
		n += i == n;
	}
	/* Not all of them are known: the last of a name may be behind. */
	if (!m)
		json_get_all(v, n, names, found);
	for (size_t i = 0; !m && i < n; i++) {
		compare_values(found[i], last[i], LEVELS - 1);
		FUZZ_CHECK(json_get(v, names[i]).raw.p == found[i].raw.p);
	}
	for (size_t i = 0; i < NAMES; i++)
		buf_free(&keys[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span text = fuzz_input(data, size);
	struct json v;
	struct span value;
	int err = json_check(text, &v);
	FUZZ_CHECK(err == 0 || err == -EBADMSG);
	FUZZ_CHECK(plain_scan_check(text, &value, NULL) == err);
	check_strings(text, 0);
	check_strings(text, 1 + fuzz_choose(text, 2, 63));
	check_padded(text);
	for (size_t i = 0; !err && i < COUNT(scanners); i++)
		check_pieces(&scanners[i], text);
	if (!err)
		check_walks(text);
	cJSON *theirs = parse_theirs(text);
	check_accepted(text, !err, theirs != NULL);
	if (!err && theirs) {
		compare_values(v, theirs, 0);
		compare_fields(v, theirs);
	}
	cJSON_Delete(theirs);
	return 0;
}
