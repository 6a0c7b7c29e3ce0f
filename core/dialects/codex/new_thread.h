/*
 * What is the same of all threads that are made here and not by the agent: the
 * id of one, and its session_meta.
 */
#ifndef SESSFS_CODEX_NEW_THREAD_H
#define SESSFS_CODEX_NEW_THREAD_H

#include "core/dialects/kit/ids.h"
#include "core/json/writer.h"

/*
 * Append an id that is derived from a name, and so is the same each time. It
 * has the form of the agent's own, UUIDs of version 7: by their time a rollout
 * is found in the folder of its day (home.h). The time is in ms.
 */
void codex_new_id(const struct id_space *space, struct span name, int64_t time,
		  struct buf *id);

/*
 * Write the members that the agent insists on in the session_meta of a
 * paginated thread, and the session that it was made from, if that id is one
 * that a thread can have. Time and cwd are values of JSON.
 */
void codex_write_meta(struct json_writer *w, struct span id, struct span from,
		      struct json time, struct json cwd);

#endif
