/*
 * JSON text read in place: no DOM, no copies, no recursion.
 *
 * json_check() accepts a text that is one JSON value (core/json/scan.h). All
 * other functions trust values that it has accepted. Bytes in strings that are
 * not UTF-8 are replaced when the string is decoded.
 *
 * A `struct json` borrows its text. An empty span is an absent value
 * (JavaScript's undefined).
 *
 * Of equal keys in an object the last one counts, as in JavaScript. A library
 * such as cJSON, for which the first counts, whose strings end at \u0000 and
 * whose depth is limited, could not read entries as the agents do.
 */
#ifndef SESSFS_JSON_H
#define SESSFS_JSON_H

#include "core/base/buf.h"
#include "core/json/scan.h"

struct json {
	struct span raw;
	const struct scan_ends *ends; /* containers in it; may be NULL */
};

enum json_type {
	JSON_ABSENT,
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/*
 * Returns 0, with the value without the white space around it, -EBADMSG or
 * -ENOMEM.
 */
int json_check(struct span text, struct json *value);

/*
 * The same, and record containers in *ends, up to its capacity. Walks over the
 * value use it, so it must outlive the value.
 */
int json_check_ends(struct span text, struct json *value,
		    struct scan_ends *ends);

static inline enum json_type json_type(struct json v)
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

/* Is it a string? One that is not empty? */
static inline bool json_is_string(struct json v)
{
	return json_type(v) == JSON_STRING;
}

static inline bool json_has_text(struct json v)
{
	return json_type(v) == JSON_STRING && v.raw.n > 2;
}

/* JavaScript's truth: false for absent, null, false, 0, NaN and "". */
bool json_truthy(struct json v);

/*
 * Walk an object or array in file order; a walk over any other value is empty.
 * Begin with json_walk(). Each call returns the next member or element, or
 * false at the end.
 */
struct json_walk {
	const char *p;
	const char *end;
	const struct scan_ends *ends; /* the value's; the caller may set it */
};

struct json_walk json_walk(struct json v);
/* The same over a value of that type alone. */
struct json_walk json_walk_of(enum json_type type, struct json v);
bool json_next_member(struct json_walk *w, struct json *key, struct json *val);
bool json_next_element(struct json_walk *w, struct json *val);

/*
 * A loop over the elements of an array, or the members of an object, which
 * declares each; it does nothing for other values. _WHILE also ends it when a
 * condition, which is looked at before each, no longer holds.
 *
 *     JSON_EACH(block, content)
 *             any = any || json_is(json_get(block, "type"), SPAN("text"));
 */
#define JSON_EACH(v, array) JSON_EACH_WHILE(true, v, array)
#define JSON_EACH_WHILE(cond, v, array)                                 \
	for (struct json_walk v##_at = json_walk_of(JSON_ARRAY, array); \
	     v##_at.p; v##_at.p = NULL)                                 \
		for (struct json v; (cond) && json_next_element(&v##_at, &(v));)

#define JSON_EACH_MEMBER(key, v, object) \
	JSON_EACH_MEMBER_WHILE(true, key, v, object)
#define JSON_EACH_MEMBER_WHILE(cond, key, v, object)                      \
	for (struct json_walk v##_at = json_walk_of(JSON_OBJECT, object); \
	     v##_at.p; v##_at.p = NULL)                                   \
		for (struct json key, v;                                  \
		     (cond) && json_next_member(&v##_at, &(key), &(v));)

/* Is v an object or array that is not empty? Or an array that is not? */
bool json_has_members(struct json v);
bool json_has_elements(struct json v);

/*
 * Find the ends of all containers in a value. A walk scans each container that
 * it skips, so a caller that enters every level scans the innermost once for
 * each level. It does not if it sets `ends` of the value, or of its walks, to
 * this list. The list is empty for values that are not nested deep, which cost
 * less without it. Returns 0 or -ENOMEM.
 */
int json_ends_load(struct scan_ends *e, struct json v);
void json_ends_free(struct scan_ends *e);

/* The member of that name; absent if v has none or is not an object. */
struct json json_get(struct json v, const char *name);

/* The value at a path of names with dots between them, such as "message.role".
 */
struct json json_at(struct json v, struct span path);

/* json_get() for n names in one pass over the object. */
void json_get_all(struct json v, size_t n, const char *const names[],
		  struct json out[]);

/*
 * Declare f, a struct of the members of an object that have its members' names,
 * and read them in one pass; at most twelve. In the order of the lines, they
 * are found soonest.
 *
 *     JSON_FIELDS(f, line, type, message);
 *     if (json_is(f.type, SPAN("user")))
 */
#define JSON_FIELDS(f, v, ...)                                      \
	static const char *const f##_names[] = { JSON_NAMES(        \
		__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,    \
		1)(__VA_ARGS__) };                                  \
	struct {                                                    \
		struct json __VA_ARGS__;                            \
	} f;                                                        \
	json_get_all(v, sizeof(f) / sizeof(struct json), f##_names, \
		     (struct json *)&(f))

#define JSON_NAMES(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) JSON_NAMES_##n
#define JSON_NAMES_1(a) #a
#define JSON_NAMES_2(a, ...) #a, JSON_NAMES_1(__VA_ARGS__)
#define JSON_NAMES_3(a, ...) #a, JSON_NAMES_2(__VA_ARGS__)
#define JSON_NAMES_4(a, ...) #a, JSON_NAMES_3(__VA_ARGS__)
#define JSON_NAMES_5(a, ...) #a, JSON_NAMES_4(__VA_ARGS__)
#define JSON_NAMES_6(a, ...) #a, JSON_NAMES_5(__VA_ARGS__)
#define JSON_NAMES_7(a, ...) #a, JSON_NAMES_6(__VA_ARGS__)
#define JSON_NAMES_8(a, ...) #a, JSON_NAMES_7(__VA_ARGS__)
#define JSON_NAMES_9(a, ...) #a, JSON_NAMES_8(__VA_ARGS__)
#define JSON_NAMES_10(a, ...) #a, JSON_NAMES_9(__VA_ARGS__)
#define JSON_NAMES_11(a, ...) #a, JSON_NAMES_10(__VA_ARGS__)
#define JSON_NAMES_12(a, ...) #a, JSON_NAMES_11(__VA_ARGS__)

/*
 * May a string that begins with this character be the text of v, which is a
 * string, too? A quick test.
 */
static inline bool json_may_be(struct json v, char first)
{
	char c = v.raw.p[1];
	return c == first || c == '\\' || (unsigned char)c >= 0x80 ||
	       first == '\0';
}

/* For json_is(), of a string. */
bool json_is_text(struct json string, struct span text);

/* Is v a string of exactly these bytes once decoded? */
static inline bool json_is(struct json v, struct span text)
{
	if (json_type(v) != JSON_STRING)
		return false;
	/* Most differ in their first letters. */
	return (text.n == 0 || json_may_be(v, text.p[0])) &&
	       json_is_text(v, text);
}

/* Is it one of these words, up to a NULL? JSON_IS(v, "user", "assistant") */
bool json_is_one(struct json v, const char *const words[]);
#define JSON_IS(v, ...) \
	json_is_one(v, (const char *const[]){ __VA_ARGS__, NULL })

/* The row that begins with this word as a span, or NULL. */
const void *json_find_row(struct json word, const void *rows, size_t row_size,
			  size_t n);
#define JSON_ROW(word, rows)                         \
	json_find_row(word, rows, sizeof((rows)[0]), \
		      sizeof(rows) / sizeof((rows)[0]))

/* Append a string's value as WTF-8 (core/base/text.h); nothing for other types.
 */
void json_decode(struct buf *out, struct json v);

/* A number's value; NaN for other types. */
double json_number(struct json v);

#endif
