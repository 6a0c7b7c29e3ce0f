/*
 * Text as the agents see it: JavaScript strings.
 *
 * A JavaScript string is a sequence of UTF-16 units and may contain half of a
 * surrogate pair. So strings decoded from JSON are WTF-8: UTF-8 in which a lone
 * surrogate is encoded like any other code point of three bytes. Where strings
 * are joined, two halves may form a pair, as they do in JavaScript.
 * text_finish() converts WTF-8 to UTF-8 before text leaves the program.
 *
 * Bytes that are not UTF-8 become U+FFFD, one for each maximal subpart, as in
 * the agents' decoders.
 */
#ifndef SESSFS_TEXT_H
#define SESSFS_TEXT_H

#include <stdint.h>

#include "core/base/buf.h"

bool text_is_utf8(struct span s);

/* Append s; bytes that are not UTF-8 become U+FFFD. */
void text_add_utf8(struct buf *out, struct span s);

/* Append a code point, which may be a surrogate. */
void text_add_code_point(struct buf *out, uint32_t cp);

/*
 * Convert the WTF-8 from offset `from` on to UTF-8: surrogate pairs are joined,
 * lone surrogates become U+FFFD.
 */
void text_finish(struct buf *b, size_t from);

/* String.prototype.trim() and trimEnd() of UTF-8 or WTF-8. */
struct span text_trim(struct span s);
struct span text_trim_end(struct span s);

/* The code point at s.p in well-formed UTF-8 or WTF-8; *len is its length. */
uint32_t text_code_point(struct span s, size_t *len);

/* The `length` that well-formed UTF-8 or WTF-8 has as a JavaScript string. */
size_t text_js_length(struct span s);

/* Does it start with half of a surrogate pair, in WTF-8? */
bool text_is_surrogate(struct span s);

/*
 * Does it start with a C1 control character in UTF-8? Some terminals take
 * U+009B for an escape sequence.
 */
bool text_is_c1(struct span s);

/* A start of at most so many bytes that splits no character. */
struct span text_start(struct span s, size_t most);

/* 36 characters: hexadecimal digits in any case, and four dashes. */
bool text_is_uuid(struct span s);

/*
 * Append s on one line: control characters are escaped as \n, \t or \u00XX, so
 * they have no effect on a terminal either.
 */
void text_add_one_line(struct buf *out, struct span s);

/* Append s as one word for a shell, in quotes if that needs them. */
void text_add_shell_word(struct buf *out, struct span s);

#endif
