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
 * The agent makes custom messages and summaries of other entries too; then the
 * omp_send functions are called for them (compaction.h). to->out fails when
 * memory runs out.
 */
#ifndef SESSFS_OMP_MESSAGE_H
#define SESSFS_OMP_MESSAGE_H

#include "core/dialects/omp/archive.h"
#include "core/session/message.h"

/*
 * Print a message of the session as it is sent. `interrupted`: it is the
 * assistant's, and a note of its interrupted thinking follows. Returns 0 or
 * -ENOMEM.
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
	struct json rewritten; /* when it rewrote the history; absent: then */
};

void omp_send_compaction(struct messages *to, const struct omp_compaction *c);

/* Does a custom message begin a turn: a skill call, or a peer's prompt? */
bool omp_begins_turn(struct json custom_type, struct json attribution);

#endif
