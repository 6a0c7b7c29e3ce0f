/*
 * What oh-my-pi sends a model of a message of its session (messages.ts,
 * convertToLlm, and pi-agent-core's compaction/messages.ts; 18.2.0).
 *
 *   user, developer  as they are, with an attribution
 *   assistant        as it is
 *   toolResult       as it is; of a pruned one the texts as one
 *   bashExecution, pythonExecution, fileMention, custom, hookMessage,
 *   branchSummary, compactionSummary        made into one or two messages
 *
 * Any other role is not sent. A message is JSON, of the session or made (by
 * omp/context.c); its members may be of any type. Blob references in it have
 * been resolved.
 */
#ifndef SESSFS_OMP_MESSAGE_H
#define SESSFS_OMP_MESSAGE_H

#include "core/session/message.h"

/*
 * Print what is sent of a message. `interrupted`: it is an assistant's, and the
 * note of what it was thinking when it was interrupted comes next. -ENOMEM.
 */
int omp_message_send(struct messages *to, struct json message,
		     bool interrupted);

/* Custom content that can be sent: a string or an array. */
bool omp_is_content(struct json content);

/* What begins a turn of the user's: a skill called, a peer's prompt. */
bool omp_begins_turn(struct json custom_type, struct json attribution);

/*
 * The text that stands for a bashExecution, a pythonExecution or a
 * fileMention (all its files); false for any other role.
 */
bool omp_message_text(struct buf *out, struct json message);

#endif
