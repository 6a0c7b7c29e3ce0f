/*
 * Escape sequences of terminals (ECMA-48), which agents keep in the output of
 * programs: colors, titles, links.
 */
#ifndef SESSFS_ESCAPE_H
#define SESSFS_ESCAPE_H

#include "core/base/buf.h"

/*
 * The length of the escape sequence at the start of the text, or 0 if there is
 * none. It begins with ESC or a C1 control character in UTF-8, and is one of
 *
 *     CSI    parameters up to a final byte, or up to the end of the text
 *     OSC    and other strings: up to BEL or ST in the same line, unless ESC or
 *            another C1 control character comes first
 *     other  intermediate bytes and a final byte
 */
size_t escape_length(struct span text);

/*
 * The length of what a terminal does not show at the start of the text: an
 * escape sequence or a control character; 0 at any other character, a tab and
 * a line feed.
 */
size_t escape_hidden(struct span text);

/* Append a text without what escape_hidden() finds in it. */
void escape_add_plain(struct buf *out, struct span text);

#endif
