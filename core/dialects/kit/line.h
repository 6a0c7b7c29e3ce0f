/*
 * Making a line for a session: an object built with cJSON, member by member.
 *
 * The add functions give false when memory runs out, so that a line is one
 * chain of them; line_finish() gets the result, and releases the object.
 */
#ifndef SESSFS_LINE_H
#define SESSFS_LINE_H

#include <cjson/cJSON.h>

#include "core/session/session.h"

/* A member whose value is JSON already, as ids are that may hold NUL. */
bool line_add_raw(cJSON *o, const char *key, struct buf *json);

/* The id of an entry; null for INDEX_NONE. */
bool line_add_id(cJSON *o, const char *key, const struct session *s,
		 uint32_t entry);

/* That as JSON: a string, or null. */
void line_quote_id(struct buf *out, const struct session *s, uint32_t entry);

/* A time, in ms since 1970, as a JSON string. */
void line_quote_time(struct buf *out, int64_t ms);

/* A string, as WTF-8. */
bool line_add_string(cJSON *o, const char *key, struct span text);

/* `timestamp`, in ms since 1970. */
bool line_add_time(cJSON *o, int64_t ms);

/* `timestamp` as the line has it that set a label; nothing if it has none. */
int line_add_label_time(cJSON *o, const struct session *s,
			const struct label *l);

/* Append the line with its LF, if it could be made (`ok`). Frees the object. */
int line_finish(cJSON *o, bool ok, struct buf *out);

/* Append a line that there is, with an LF. */
void line_add(struct buf *out, struct json line);

/* A member of a line that is to change: its value as JSON; empty: it goes. */
struct line_member {
	const char *key;
	struct span value;
};

/*
 * Append an object, without an LF, with members (64 at most) changed as
 * JavaScript changes them: in their place, or at the end where they are new.
 * All else keeps its bytes. line_add_changed() appends it as a line.
 */
void line_change(struct buf *out, struct json object,
		 const struct line_member *members, size_t n);
void line_add_changed(struct buf *out, struct json line,
		      const struct line_member *members, size_t n);

/*
 * Append an object, without an LF, with members said anew: a value takes the
 * place of every one of that key, or stands at the end. Every other byte stays,
 * white space too. `same` says which keys are a member's; NULL: equal ones.
 */
void line_splice(struct buf *out, struct json object,
		 const struct line_member *members, size_t n,
		 bool (*same)(struct json key, const char *name));

#endif
