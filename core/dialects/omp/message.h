/*
 * How oh-my-pi sends a message of its session to a model (messages.ts,
 * convertToLlm, and pi-agent-core's compaction/messages.ts; 18.3.4).
 *
 *   user, developer  unchanged, with an attribution
 *   assistant        unchanged
 *   toolResult       unchanged; the texts of a pruned one are joined
 *   bashExecution, pythonExecution, fileMention, custom, hookMessage,
 *   branchSummary, compactionSummary        converted to one or two messages
 *
 * A message with any other role is not sent. Its members may be of any type.
 * Blob references in it have been resolved.
 *
 * Entries that are not messages become one first, as in the agent: a
 * custom_message, notes and a branch_summary here, a compaction in
 * compaction.h.
 */
#ifndef SESSFS_OMP_MESSAGE_H
#define SESSFS_OMP_MESSAGE_H

#include "core/session/message.h"

/*
 * Print a message as it is sent. `interrupted`: it is the assistant's, and a
 * note of its interrupted thinking follows. Returns 0 or -ENOMEM.
 */
int omp_message_send(struct messages *to, struct json message,
		     bool interrupted);

/*
 * Append the message that the agent makes of a custom_message, of a custom
 * entry with notes, or of a branch_summary. Times are those of the entry.
 */
void omp_message_of(struct buf *out, struct json entry);

/*
 * Is it the data of a custom entry that holds notes: {"version":1,"text":…},
 * without other members, of a size that the agent reads?
 */
bool omp_is_notes(struct json data);

/* Is a custom message the user's call of a skill? */
bool omp_is_skill_call(struct json custom_type, struct json attribution);

#endif
