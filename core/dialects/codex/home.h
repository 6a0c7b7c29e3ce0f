/*
 * Where Codex keeps its rollouts, below $CODEX_HOME:
 *
 *     sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl   by the local day of creation
 *     archived_sessions/rollout-TIME-ID.jsonl
 *     …/rollout-TIME-ID.jsonl.zst                 one that it has compressed
 *     session_index.jsonl          names: {"id": THREAD, "thread_name": TEXT}
 *
 * A thread has the id of its first rollout. A revert of the thread is another
 * rollout of it, rollout-TIME-THREAD_ID.jsonl. The last UUID of a name is the
 * rollout's id, by which other rollouts refer to it (`history_base`).
 */
#ifndef SESSFS_CODEX_HOME_H
#define SESSFS_CODEX_HOME_H

#include "core/file/log.h"
#include "core/json/json.h"
#include "core/session/dialect.h"

#define CODEX_ID_SIZE 36

/* The id of the rollout at a path; empty if its name has none. */
struct span codex_rollout_id(struct span path);

/* The same of its thread, which follows the time. */
struct span codex_thread_id(struct span path);

/*
 * $CODEX_HOME, with a slash at its end, as a part of the path of a rollout;
 * empty if the rollout is in none of the folders above.
 */
struct span codex_home_of(struct span path);

/* Threads that are unnamed are not in session_index.jsonl. */
void codex_names_path(const char *session, struct buf *out);
bool codex_read_name(struct json line, struct json *id, struct json *name);

#endif
