/*
 * What an edit puts in the place of a text that it has found by what that looks
 * like. The model's straight quotes stand for curly ones, its letters for their
 * escapes, and the reverse: the new text is made alike. The result of the call
 * has it as the model wrote it.
 */
#ifndef SESSFS_CLAUDE_FOUND_H
#define SESSFS_CLAUDE_FOUND_H

#include "core/base/buf.h"

/* Append it: of a text that was asked for, the one that was found, a new one.
 */
void found_add_new(struct buf *out, struct span asked, struct span found,
		   struct span new);

#endif
