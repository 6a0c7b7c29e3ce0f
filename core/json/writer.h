/*
 * The JSON writer: every object and array that sessfs prints is written with
 * it, value by value, at the end of a buf.
 *
 *     struct json_writer w = { .out = &line };
 *     json_begin_object(&w, NULL);
 *     json_write_word(&w, "type", "label");
 *     json_write_string(&w, "label", text);
 *     json_write_value(&w, "timestamp", json_get(old, "timestamp"));
 *     json_end_object(&w);
 *
 *     {"type":"label","label":"tests pass","timestamp":"2026-01-05T09:00:00Z"}
 *
 * `key` names a member. It is a string that needs no escapes. It is NULL for an
 * element of an array, for the outermost value, and for the value after
 * json_write_key(). The writer adds commas. The caller closes all that it
 * opens, and writes no members into arrays and no elements into objects.
 *
 * Bytes are those of JavaScript's JSON.stringify(), for members in the order of
 * the calls. Existing JSON is copied unchanged. No call fails: a writer that
 * runs out of memory sets `failed` in its buf (core/base/buf.h), and the caller
 * asks buf_error() at the end.
 *
 * A writer owns nothing. Set `out` and zero the rest to begin.
 */
#ifndef SESSFS_JSON_WRITER_H
#define SESSFS_JSON_WRITER_H

#include "core/json/json.h"

struct json_writer {
	struct buf *out;
	/*
	 * Spaces for each level; 0 is the compact form. Levels deeper than
	 * JSON_INDENT_LEVELS are compact too, or the output would grow with the
	 * square of the depth.
	 */
	unsigned indent;
	/*
	 * The output is put in a <script> of a page. In the strings that it
	 * writes, < is escaped, and so are U+2028 and U+2029, which end lines
	 * in old JavaScript. Keys and copied JSON are not escaped.
	 */
	bool for_script;
	/* Bytes of copied JSON that are not UTF-8 become U+FFFD. */
	bool utf8;
	/* private */
	size_t depth;
	enum {
		JSON_AT_VALUE, /* at the start, or after a key */
		JSON_AT_FIRST, /* after an opening bracket */
		JSON_AT_NEXT,  /* after a value */
	} at;
};

#define JSON_INDENT_LEVELS 64

void json_begin_object(struct json_writer *w, const char *key);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w, const char *key);
void json_end_array(struct json_writer *w);

/*
 * A string given as WTF-8 (core/base/text.h): a span, a buf whose failure the
 * writer's buf inherits, or a C string.
 */
void json_write_string(struct json_writer *w, const char *key,
		       struct span text);
void json_write_string_buf(struct json_writer *w, const char *key,
			   const struct buf *text);
void json_write_word(struct json_writer *w, const char *key, const char *text);

/* As JavaScript has it; null if it is not finite. */
void json_write_number(struct json_writer *w, const char *key, double n);
void json_write_bool(struct json_writer *w, const char *key, bool value);
void json_write_null(struct json_writer *w, const char *key);

/*
 * A copy of a value; nothing if it is absent. Or one of the JSON text in a buf,
 * whose failure the writer's buf inherits; nothing if it is empty.
 */
void json_write_value(struct json_writer *w, const char *key,
		      struct json value);
void json_write_buf(struct json_writer *w, const char *key,
		    const struct buf *json);

/* Copies of all elements of an array; nothing for other values. */
void json_write_elements(struct json_writer *w, struct json array);

/* A copy of a member, as json_next_member() returns it. */
void json_write_member(struct json_writer *w, struct json key,
		       struct json value);

/* The key, as WTF-8, of the value that is written next. */
void json_write_key(struct json_writer *w, struct span key);

/* Begin a value that the caller appends to the returned buf itself. */
struct buf *json_begin_value(struct json_writer *w, const char *key);

/*
 * The caller has appended members or elements to the buf itself, without a
 * comma after the last one.
 */
void json_note_copied(struct json_writer *w);

/* Begin a new line for the element or member that is written next. */
void json_begin_line(struct json_writer *w);

/* End an array whose elements have such lines, and its last line. */
void json_end_lines(struct json_writer *w);

/*
 * Put JSON on one line, or what was appended of it from an offset. Copied JSON
 * may go over several (core/session/record.h); no string has a newline, so each
 * newline becomes a space.
 */
void json_join(char *json, size_t n);
void json_join_lines(struct buf *out, size_t from);

/* Append JSON.stringify() of a string given as WTF-8. */
void json_quote(struct buf *out, struct span text);

/*
 * A change of a member of an object, of which up to 64 are made at once. All
 * other members keep their bytes. The key needs no escapes.
 */
struct json_change {
	const char *key;
	struct span value; /* JSON; empty to remove the member */
};

/*
 * Append the object after the changes, without white space between members. A
 * new value replaces that of the first member with its key; later members with
 * that key are removed. If there is none, the member is added at the end.
 */
void json_rewrite(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n);

/*
 * Append the object after the changes, none of which removes a member. All
 * other bytes stay, white space too. A new value replaces those of all members
 * with its key. If there is none, the member is added at the end.
 */
void json_splice(struct buf *out, struct json object,
		 const struct json_change *changes, size_t n);

/*
 * Lone surrogates in JSON: an escape such as \ud83d without its other half. Old
 * code that cut strings in the middle of a character left them in sessions.
 *
 * Has the JSON none of them, in a value or in a name? Append JSON, with each
 * replaced by U+FFFD.
 */
bool json_is_well_formed(struct span json);
void json_add_well_formed(struct buf *out, struct span json);

#endif
