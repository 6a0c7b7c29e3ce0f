/*
 * Contexts against the agent's own record of what it has sent
 * (sessfs-formats(5)).
 *
 * Since 2.1.305 at least, a transcript has the requests themselves:
 *
 *   api-request-blob  a message, below its hash
 *   api-request       the messages of a request: the first `keep` of the
 *                     request `base`, and then those with the hashes in `tail`
 *   requestRef        in the lines of an answer: the request
 *
 * So what was sent for an answer is known, and has to be the context of the
 * entry that the answer hangs on. Both are compared in one form, since a turn
 * is divided into messages, and reminders stand among its blocks, as the model
 * takes them:
 *
 *   - All contents are blocks. A cache_control, is_error that is false, and
 *     newlines at the end of a text do not count.
 *   - Reminders, also those at the end of a result, and the system's messages
 *     are notes. Notes are compared apart from the blocks.
 *   - If the request is for another model than the one of the context, thinking
 *     does not count: it is sent to its own model alone.
 */
#ifndef SESSFS_TESTS_REQUESTS_H
#define SESSFS_TESTS_REQUESTS_H

#include "core/session/dialect.h"

struct request_check {
	const char *file; /* as it is shown */
	struct buf *out;  /* gets "FILE:LINE: ..." for each that differs */
	size_t compared;
	size_t different; /* of these */
	size_t unknown;	  /* not compared: their beginning is not in the file */
};

/*
 * Compare the requests that the file says were sent with the contexts of the
 * entries that they were sent from. 0 or -errno. The session is entered.
 */
int requests_check(const struct session *s, struct request_check *c);

/* Append the line with how many are equal. */
void requests_add_count(const struct request_check *c);

#endif
