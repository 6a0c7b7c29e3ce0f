/*
 * Text as the agents see it: JavaScript strings.
 *
 * A JavaScript string is a sequence of UTF-16 units and may hold half of a
 * surrogate pair. Strings decoded from JSON are therefore kept as WTF-8: UTF-8
 * in which a lone surrogate is allowed as the three bytes that its number would
 * take. Two halves that come to stand side by side by joining strings become
 * one character then, as they do in JavaScript. What leaves the program as text
 * is made UTF-8 by text_finish().
 *
 * Bytes that are no UTF-8 become U+FFFD, one for each maximal subpart, which is
 * what the agents' decoders do (FORMATS.md, section 2).
 */
#ifndef SESSFS_TEXT_H
#define SESSFS_TEXT_H

#include <stdint.h>

#include "core/base/buf.h"

/*
 * The length of the well-formed character at s.p (1 to 4), or 0. Then *bad is
 * how many bytes one U+FFFD stands for. s must not be empty.
 */
size_t text_char_len(struct span s, size_t *bad);

bool text_is_utf8(struct span s);

/* Append s with what is not UTF-8 replaced. */
void text_add_utf8(struct buf *out, struct span s);

/* Append a code point, a lone surrogate included. */
void text_add_code_point(struct buf *out, uint32_t cp);

/*
 * Turn the WTF-8 behind offset `from` into UTF-8: pairs of halves are joined,
 * lone ones become U+FFFD.
 */
void text_finish(struct buf *b, size_t from);

/* String.prototype.trim() of UTF-8 or WTF-8. */
struct span text_trim(struct span s);

/* The code point at s.p of well-formed UTF-8 or WTF-8, its length in *len. */
uint32_t text_code_point(struct span s, size_t *len);

/*
 * Does it start with a control character of C1, in UTF-8? U+009B starts an
 * escape, to some terminals.
 */
bool text_is_c1(struct span s);

/*
 * Append s with control characters as \n, \t or \u00XX, so that it stays a line
 * and does nothing to a terminal.
 */
void text_add_one_line(struct buf *out, struct span s);

#endif
