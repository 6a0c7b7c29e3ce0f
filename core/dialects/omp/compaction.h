/*
 * The messages that oh-my-pi makes of entries that are not messages (18.3.4:
 * session-context.ts, context-notes.ts, compaction/anthropic.ts).
 *
 * The omp_send functions print them as they are sent. They return 0 or -ENOMEM;
 * the caller checks to->out too. Blob references have been resolved.
 */
#ifndef SESSFS_OMP_COMPACTION_H
#define SESSFS_OMP_COMPACTION_H

#include "core/session/message.h"

/* Send a custom_message, unless its content can't be sent. */
int omp_send_custom_entry(struct messages *to, struct json entry);

int omp_send_branch_summary_entry(struct messages *to, struct json entry);

/*
 * Is it the data of a custom entry that holds notes: {"version":1,"text":…},
 * without other members, of a size that the agent reads?
 */
bool omp_is_notes(struct json data);

/* Send a custom entry with such data. */
int omp_send_notes_entry(struct messages *to, struct json entry);

/*
 * OpenAI's own history in place of the messages that a compaction replaces, in
 * the entry's preserveData: an array of objects, or absent.
 */
struct json omp_remote_history(struct json preserve_data);

/* Does Anthropic replay its own compaction, in the entry's preserveData? */
bool omp_is_replayed_by_anthropic(struct json preserve_data);

/*
 * Send a compaction: its summary, its archive, and the payload for the
 * provider. It rewrote the history at `rewritten_at` (ms).
 */
int omp_send_compaction_entry(struct messages *to, struct json entry,
			      int64_t rewritten_at);

#endif
