/*
 * The messages that oh-my-pi makes of entries that are none (18.2.0:
 * session-context.ts, context-notes.ts, compaction/anthropic.ts), as JSON that
 * omp/message.h knows how to send.
 */
#ifndef SESSFS_OMP_MADE_H
#define SESSFS_OMP_MADE_H

#include "core/json/json.h"
#include "core/json/timestamp.h"

/* Of a custom_message whose content can be sent. */
void omp_made_custom(struct buf *out, struct json entry);

void omp_made_branch_summary(struct buf *out, struct json entry);

/*
 * The data of a custom entry that holds notes: {"version":1,"text":…} and no
 * more, of a size that the agent reads.
 */
bool omp_is_notes(struct json data);

/* Of such an entry. */
void omp_made_notes(struct buf *out, struct json entry);

/*
 * The history that OpenAI has made of what a compaction stands for, in its
 * preserveData: an array of objects, or absent.
 */
struct json omp_remote_history(struct json preserve_data);

/*
 * Of a compaction: its summary, its archive, and what the provider has to be
 * given back. One that Anthropic replays is from `replayed_at` (ms).
 */
void omp_made_compaction(struct buf *out, struct json entry,
			 int64_t replayed_at);

#endif
