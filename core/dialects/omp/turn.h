/*
 * How oh-my-pi rewrites an assistant's message before it is sent again
 * (session-context.ts and messages.ts; 18.2.0). The copies are JSON, appended
 * to a buffer; what is not changed keeps its bytes.
 */
#ifndef SESSFS_OMP_TURN_H
#define SESSFS_OMP_TURN_H

#include "core/json/json.h"

/* Did it end with an error before the model said anything? */
bool omp_turn_is_empty_error(struct json message);

/*
 * A copy without what only the connection that it came from understands; false
 * if there is nothing of that kind.
 */
bool omp_turn_sanitize(struct buf *out, struct json message);

/*
 * A copy without the tool calls that have no result: `answered` says so of the
 * first n of them in order; calls behind those have none. What only the
 * unchanged message may carry goes too.
 */
void omp_turn_strip_calls(struct buf *out, struct json message,
			  const bool *answered, size_t n);

/*
 * A copy without the unfinished thinking at its end; false if there is none.
 */
bool omp_turn_strip_thinking(struct buf *out, struct json message);

/* Its blocks; a walk over anything but an array is empty. */
struct json_walk omp_turn_blocks(struct json message);

#endif
