/* Contexts that are larger than what another agent's usual models take. */
#ifndef SESSFS_AS_WINDOW_H
#define SESSFS_AS_WINDOW_H

#include "core/session/session.h"

/*
 * Append a line for each other agent that the context at HEAD is too large for
 * (dialect_receiving.window), as a guess:
 *
 *     over-window: codex (about 410000 tokens of 272000)
 *
 * The context is made only if the lines of the path to HEAD are large enough.
 * 0 or -errno.
 */
int as_add_over_window(const struct session *s, struct buf *out);

#endif
