/*
 * The leaf of a Claude Code session (FORMATS.md, section 6.2).
 *
 * A tip is an entry that has no children; sidechains are left out, as if they
 * were not there. Each tip stands for the nearest user or assistant line from
 * it upwards, and the newest of those is the leaf; of equal times the last one
 * in the file. A pin (`last-prompt` with `explicit`) of an entry that is there
 * and on no sidechain comes before that, until the conversation goes on.
 *
 * HEAD is there, unless the sidecar has moved it and the transcript's own leaf
 * has stayed where it was then.
 */
#ifndef SESSFS_CLAUDE_LEAF_H
#define SESSFS_CLAUDE_LEAF_H

#include "core/session/session.h"

/* See dialect.h, find_leaf(). */
int claude_find_leaf(struct session *s);

#endif
