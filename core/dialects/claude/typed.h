/*
 * What a person typed of a text in a user's message. Claude Code, its editors'
 * extensions and its hooks put their own into such texts, in tags: the file
 * that is open, reminders, messages of teammates, the output of a command. Its
 * own lists of sessions leave them out, too.
 */
#ifndef SESSFS_CLAUDE_TYPED_H
#define SESSFS_CLAUDE_TYPED_H

#include "core/session/dialect.h"

/* See dialect_showing.typed. */
enum typed claude_typed(struct buf *out, struct span text);

#endif
