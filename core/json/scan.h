/*
 * Scanning JSON text: checking it, and finding where values end. Every byte of
 * a session is scanned when it is indexed, so strings are scanned 64 bytes at a
 * time. No DOM, no copies, no recursion.
 *
 * scan_check() accepts one JSON value by RFC 8259 to the letter, exactly as
 * JavaScript's JSON.parse does: white space is space, tab, CR and LF; strings
 * hold no control byte (below 0x20), and after a backslash one of "\/bfnrt or u
 * and four hex digits, whether or not those are a character; numbers have no
 * leading zeros and no sign but '-'; no comments, no trailing commas; any
 * nesting depth (one bit of memory a level). Any bytes from 0x80 up are
 * accepted in strings. A byte order mark is not white space.
 *
 * The scan_past functions trust their text: scan_check() must have accepted it.
 * `end` is the end of the text; no function reads further.
 */
#ifndef SESSFS_SCAN_H
#define SESSFS_SCAN_H

#include "core/base/span.h"

/*
 * A container, which is an object or array, or a long string. Lists are sorted
 * by its start.
 */
struct scan_end {
	const char *start;
	size_t n; /* its bytes; undefined until its end is found */
};

struct scan_ends {
	struct scan_end *list;
	size_t n;
	size_t cap;
};

/* How deep containers are recorded; the outermost value is level 1. */
#define SCAN_LEVELS 5

/* Strings in those containers are recorded if they have more bytes. */
#define SCAN_SHORT 64

/*
 * Check a text. Returns 0, with the value without the white space around it,
 * -EBADMSG or -ENOMEM. Containers and long strings are recorded in `ends`,
 * which may be NULL, up to its capacity.
 */
int scan_check(struct span text, struct span *value, struct scan_ends *ends);

/*
 * The object or array that a text begins with, after white space and whatever
 * follows it. Returns 0;
 * -EAGAIN if the text ends between two tokens of it; -EBADMSG for other texts;
 * or -ENOMEM.
 */
int scan_first(struct span text, struct span *value);

/* From the first byte of a value, or of a string, to the byte after it. */
const char *scan_past_value(const char *p, const char *end);
const char *scan_past_string(const char *p, const char *end);

/*
 * The same from any byte inside a string, in text that need not be JSON: to the
 * byte after the string, or to `end`. *in_string is set to whether the string
 * continues there. *escaped says whether the first byte is escaped by a
 * backslash before it; on return, whether the byte at `end` is.
 */
const char *scan_string_part(const char *p, const char *end, bool *in_string,
			     bool *escaped);

static inline const char *scan_past_space(const char *p, const char *end)
{
	while (p < end && (unsigned char)*p <= ' ' &&
	       (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++;
	return p;
}

/* The value of a hex digit, or -1. */
int scan_hex_digit(char c);

/*
 * Check a string: from its opening quote to the byte after the closing one, or
 * NULL if it is not well-formed. scan_string() uses vectors where the machine
 * has them; for tests, scan_string_plain() does not.
 */
const char *scan_string(const char *p, const char *end);
const char *scan_string_plain(const char *p, const char *end);

#endif
