/*
 * Which rollouts Codex (0.169.0) opens. It refuses one
 *
 *   - whose first line is no session_meta that it can decode, or follows a byte
 *     order mark, or has the id of another thread than the name of its file;
 *   - that goes on from a rollout which it does not find or can't use;
 *   - of a legacy thread, if any byte of it is not UTF-8;
 *   - of a paginated thread, if the last line that it can decode has no
 *     ordinal.
 *
 * Other lines that it can't decode it skips (line.h).
 */
#ifndef SESSFS_CODEX_OPEN_H
#define SESSFS_CODEX_OPEN_H

#include "core/session/dialect.h"

/* What the decoder misses in a session_meta's payload, for people; or NULL. */
const char *codex_meta_fault(struct json payload);

/* dialect_agent.unopened(). Reads the file if its last line is incomplete. */
struct unopened codex_unopened(const struct session *s);

#endif
