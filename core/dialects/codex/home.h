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

extern const struct dialect_home codex_home;

/* The id of the rollout at a path; empty if its name has none. */
struct span codex_rollout_id(struct span path);

/* The same of its thread, which follows the time. */
struct span codex_thread_id(struct span path);

/*
 * $CODEX_HOME, with a slash at its end, as a part of the path of a rollout;
 * empty if the rollout is in none of the folders above.
 */
struct span codex_home_of(struct span path);

/*
 * Append the path of the rollout with an id, as seen from the rollout at a
 * path: in its folder, in the folders of the days around the time that the id
 * has (a UUID of version 7), or among the archived ones. 1 if there is one, 0
 * if not, or -errno after an error that says nothing of the files.
 */
int codex_find_rollout(const char *path, struct span id,
		       const struct finding *how, struct buf *out);

/*
 * The functions of struct dialect. They follow `history_base`. A compressed
 * base is not read: its bytes would have to be kept somewhere, since they are
 * read again and again, and anywhere.
 */
int codex_find_lineage(const struct log *log, struct lineage *l,
		       struct folder_index *names);

/*
 * A legacy thread has copied what it goes on from: `forked_from_id`. A first
 * line of more than 16 MiB counts as one without a base.
 */
int codex_base_id(const struct log *log, struct buf *out);

/* Threads that are unnamed are not in session_index.jsonl. */
void codex_names_path(const char *session, struct buf *out);
bool codex_read_name(struct json line, struct json *id, struct json *name);

#endif
