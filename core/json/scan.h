/*
 * Scanning JSON text: is it one value, and where do the things in it end?
 * Every byte of a session goes through here once when it is indexed, so strings
 * are looked at 64 bytes at a time. No DOM, no copies, no recursion.
 *
 * scan_check() accepts one JSON value by RFC 8259 to the letter, and thus what
 * JavaScript's JSON.parse does: white space is space, tab, CR and LF; strings
 * hold no control byte (below 0x20), and after a backslash one of "\/bfnrt or u
 * and four hex digits, whether or not those are a character; numbers have no
 * leading zeros and no sign but '-'; no comments, no trailing commas; any
 * nesting depth (a bit a level). Bytes from 0x80 up are accepted inside strings
 * whatever they are. A byte order mark is not white space.
 *
 * The scan_past functions work on text that scan_check() has accepted, and
 * trust it. `end` is that of the text everywhere; nothing from there on is
 * read.
 */
#ifndef SESSFS_SCAN_H
#define SESSFS_SCAN_H

#include "core/base/span.h"

/* Where a container ends that starts there, by start. */
struct scan_end {
	const char *start;
	size_t n; /* bytes; while it is open it may be anything */
};

struct scan_ends {
	struct scan_end *list;
	size_t n;
	size_t cap;
};

/* So many levels of them are noted; a text's value is the first. */
#define SCAN_LEVELS 3

/*
 * 0 and the value without the white space around it, -EBADMSG or -ENOMEM. Ends
 * of containers are noted as long as there is room, unless `ends` is NULL.
 */
int scan_check(struct span text, struct span *value, struct scan_ends *ends);

/* From the first byte of a value, or of a string, to what follows it. */
const char *scan_past_value(const char *p, const char *end);
const char *scan_past_string(const char *p, const char *end);

/*
 * The same from any byte inside of a string, of text that may end in it: to
 * what follows the string, or to `end`; *in_string tells which. *escaped: the
 * first byte follows a backslash; and on return, so does the byte at `end`.
 */
const char *scan_string_part(const char *p, const char *end, bool *in_string,
			     bool *escaped);

const char *scan_past_space(const char *p, const char *end);

/* -1 if it is none. */
int scan_hex_digit(char c);

/*
 * From a string's opening quote to what follows the closing one; NULL if it is
 * not well-formed. The two do the same: the first in blocks, where the machine
 * has vectors for that.
 */
const char *scan_string(const char *p, const char *end);
const char *scan_string_plain(const char *p, const char *end);

#endif
