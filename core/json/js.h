/*
 * JSON values as JavaScript has them: the values that JSON.parse builds, and
 * their text in JSON.stringify and in string templates. The agents are
 * JavaScript, and send models text that is made this way.
 *
 *   - Of equal keys the last value counts, at the place of the first.
 *   - Keys that are array indexes (0 to 4294967294, no leading zero) come
 *     first, in ascending order, at every level.
 *   - Numbers are doubles, printed with the fewest digits that read back the
 *     same (1.0 is 1, 1e21 is 1e+21, 1e400 is null, -0 is 0).
 *   - A lone surrogate is printed as an escape, in lower case.
 *
 * Values must have passed json_check(). No function recurses.
 */
#ifndef SESSFS_JS_H
#define SESSFS_JS_H

#include "core/json/json.h"

struct js_member {
	struct span key; /* decoded, WTF-8 */
	struct json value;
};

/* An object's own properties in their order. */
struct js_members {
	struct js_member *list;
	size_t n;
	struct buf keys;
};

/*
 * Load the members of an object, or of an array, whose keys are its indexes; no
 * other value has any. Returns 0, or -ENOMEM with nothing to free.
 */
int js_members_load(struct js_members *m, struct json v);
void js_members_free(struct js_members *m);

/*
 * Walk an array's elements, whose keys are empty, or an object's properties in
 * their order; no other value has any. `n` counts those returned so far.
 * js_walk_begin() returns 0, or -ENOMEM with nothing to end.
 */
struct js_walk {
	bool object;
	size_t n;
	/* private */
	struct js_members members;
	struct json_walk elements;
};

int js_walk_begin(struct js_walk *w, struct json v);
bool js_walk_next(struct js_walk *w, struct js_member *m);
void js_walk_end(struct js_walk *w);

/*
 * JSON.stringify(v, null, indent); 0 is the compact form. Levels deeper than
 * JSON_INDENT_LEVELS (writer.h) are compact too.
 */
void js_stringify(struct buf *out, struct json v, unsigned indent);

/* `${d}`: the shortest digits that read back as d. */
void js_add_number(struct buf *out, double d);

/* Is v absent or null, so that ?? and ?. skip it? */
bool js_is_nullish(struct json v);

/* Has trim() nothing left of v? True for values that are no strings. */
bool js_is_blank(struct json v);

/* `${v}`, as WTF-8: a string as it is, "undefined" for an absent value. */
void js_to_string(struct buf *out, struct json v);

#endif
