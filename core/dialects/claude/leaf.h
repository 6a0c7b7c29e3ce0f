/*
 * The leaf of a Claude Code session.
 *
 * Sidechains are ignored. A tip is an entry without children. Its speaker is
 * the nearest user or assistant line from it upwards. The newest speaker of all
 * tips is the leaf; of equal times the last one in the file. A pin
 * (`last-prompt` with `explicit`) of an entry in the session takes precedence
 * until the conversation continues.
 *
 * HEAD is the leaf, unless the sidecar has moved it and the transcript's own
 * leaf is still the one of that time.
 */
#ifndef SESSFS_CLAUDE_LEAF_H
#define SESSFS_CLAUDE_LEAF_H

#include "core/session/session.h"

/* See dialect.h, find_leaf(). */
int claude_find_leaf(struct session *s);

#endif
