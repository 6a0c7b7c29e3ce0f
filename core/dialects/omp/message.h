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
 * A message with any other role is not sent. Its members may be of any type.
 * Blob references in it have been resolved.
 *
 * The omp_send functions print what is sent when the agent makes such a message
 * of an entry (entry_messages.h). to->out fails when memory runs out.
 */
#ifndef SESSFS_OMP_MESSAGE_H
#define SESSFS_OMP_MESSAGE_H

#include "core/dialects/omp/archive.h"
#include "core/session/message.h"

/*
 * Print what is sent of a message of the session. `interrupted`: it is the
 * assistant's, and the next one is a note of what it was thinking when it was
 * interrupted. Returns 0 or -ENOMEM.
 */
int omp_message_send(struct messages *to, struct json message,
		     bool interrupted);

/* A custom message. */
struct omp_custom {
	struct json type;
	struct json content;
	struct json attribution;
	struct json time;
};

/* Print it, unless its content can't be sent. `hook`: a hookMessage. */
void omp_send_custom(struct messages *to, const struct omp_custom *c,
		     bool hook);

void omp_send_branch_summary(struct messages *to, struct json summary,
			     struct json time);

/* A compactionSummary. It has an archive or blocks, or neither. */
struct omp_compaction {
	struct json summary;
	const struct omp_archive *archive; /* may be NULL */
	struct json blocks;
	struct json images;
	struct json method;
	struct json payload; /* for the provider */
	struct json time;
};

void omp_send_compaction(struct messages *to, const struct omp_compaction *c);

/* What begins a turn of the user's: a skill called, a peer's prompt. */
bool omp_begins_turn(struct json custom_type, struct json attribution);

/*
 * The text that stands for a bashExecution, a pythonExecution or a
 * fileMention (all its files); false for any other role.
 */
bool omp_message_text(struct buf *out, struct json message);

#endif
