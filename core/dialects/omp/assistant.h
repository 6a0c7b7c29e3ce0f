/*
 * How oh-my-pi changes an assistant's message before it sends it again
 * (session-context.ts and messages.ts; 18.3.4). The functions append a changed
 * copy as JSON, whose other members keep their bytes.
 */
#ifndef SESSFS_OMP_ASSISTANT_H
#define SESSFS_OMP_ASSISTANT_H

#include "core/dialects/kit/sending.h"

/* Does it end with an error, without any text? */
bool omp_assistant_is_empty_error(struct json message);

/*
 * Append a copy without the members that are valid only for the connection that
 * it was received on. Returns false, and appends nothing, if there are none.
 */
bool omp_assistant_sanitize(struct buf *out, struct json message);

/*
 * Append a copy of a turn without the tool calls that have no result, and
 * without redacted thinking and signatures, which are valid in the unchanged
 * message only. It may have more calls than when it was listed.
 */
void omp_assistant_strip_calls(struct buf *out, struct json message,
			       const struct sending *x, const struct piece *p);

/*
 * Append a copy without the unfinished thinking at its end. Returns false, and
 * appends nothing, if there is none.
 */
bool omp_assistant_strip_thinking(struct buf *out, struct json message);

/* Walk its blocks; empty if the content is not an array. */
struct json_walk omp_assistant_blocks(struct json message);

#endif
