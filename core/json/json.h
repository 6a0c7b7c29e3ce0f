/*
 * JSON text read in place: no DOM, no copies, no recursion.
 *
 * json_check() says whether a text is one JSON value: core/json/scan.h says
 * which texts are. Strings are made UTF-8 when they are decoded.
 *
 * Everything else here works on a value that json_check() has accepted, and
 * trusts it. A `struct json` borrows the text that it points into; one whose
 * span is empty is an absent value (JavaScript's undefined).
 *
 * Of equal keys in an object the last one counts, as in JavaScript. (cJSON
 * takes the first, ends its strings at \u0000 and stops at 1,000 levels, which
 * is why entries are not read with it.)
 */
#ifndef SESSFS_JSON_H
#define SESSFS_JSON_H

#include "core/base/buf.h"
#include "core/json/scan.h"

struct json {
	struct span raw;
	const struct scan_ends *ends; /* of containers in it, where known */
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

/* 0 and the value without the white space around it, -EBADMSG or -ENOMEM. */
int json_check(struct span text, struct json *value);

/* The same, and *ends, which must outlive the value, has room to note ends. */
int json_check_ends(struct span text, struct json *value,
		    struct scan_ends *ends);

enum json_type json_type(struct json v);

/* JavaScript's truth: false for absent, null, false, 0, NaN and "". */
bool json_truthy(struct json v);

/*
 * Walk an object or array in file order; a walk over anything else is empty.
 * Start with json_walk(); each call gives the next member or element.
 */
struct json_walk {
	const char *p;
	const char *end;
	const struct scan_ends *ends; /* the value's, unless set */
};

struct json_walk json_walk(struct json v);
bool json_next_member(struct json_walk *w, struct json *key, struct json *val);
bool json_next_element(struct json_walk *w, struct json *val);

/* Is v an object or array that is not empty? */
bool json_has_members(struct json v);

/*
 * A walk passes over what it does not enter; who enters everything, level by
 * level, would pass over the innermost once for each level. Who sets the walk's
 * `ends` to where all containers in the value end, as this finds out, does not.
 * 0 or -ENOMEM. Values that are not nested deep need none, and get none.
 */
int json_ends_load(struct scan_ends *e, struct json v);
void json_ends_free(struct scan_ends *e);

/* The member of that name; absent if there is none or v is no object. */
struct json json_get(struct json v, const char *name);

/* The same for n names in one pass over the object. */
void json_get_all(struct json v, size_t n, const char *const names[],
		  struct json out[]);

/* Is v a string of exactly these bytes once decoded? */
bool json_is(struct json v, struct span text);

/* Append a string's value as WTF-8 (core/base/text.h); nothing for other types.
 */
void json_decode(struct buf *out, struct json v);

/* A number's value; NaN for other types. */
double json_number(struct json v);

#endif
