/*
 * What Codex writes before the output of a command in the text of a result
 * (0.171.0: core/src/tools/context.rs), a line each:
 *
 *     Chunk ID: 3f2a91          of a process that may go on, or
 *     Exit code: 1              of one that has ended
 *     Wall time: 0.0512 seconds
 *     Process exited with code 1
 *     Original token count: 12
 *     Output:
 */
#ifndef SESSFS_CODEX_OUTPUT_H
#define SESSFS_CODEX_OUTPUT_H

#include "core/base/span.h"
#include "core/session/block.h"

/*
 * The length of these lines at the start of a text; 0: it does not begin so.
 * *failed: they have another exit code than 0; it may be NULL.
 */
size_t codex_heading(struct span text, bool *failed);

/* The result that an item is, which is BLOCK_OTHER if it is no output. */
struct block codex_item_result(struct json item);

#endif
