/*
 * Calls of tools and their outputs.
 *
 *   - An output whose call is not sent is dropped, unless it has no call_id, or
 *     is of a search of tools by the server.
 *   - A call without an output is followed by one that the agent makes up:
 *     "aborted", or no tools for a search of tools. If the call has an id, so
 *     has the output, one that is derived from it.
 *
 * A call and an output belong together by their kind and call_id, wherever they
 * stand.
 */
#ifndef SESSFS_CODEX_CALLS_H
#define SESSFS_CODEX_CALLS_H

#include "core/dialects/kit/sending.h"
#include "core/json/writer.h"

sending_pass codex_note_calls; /* for the other passes */
sending_pass codex_drop_orphan_outputs;

/*
 * Write the output that a call lacks. Returns its enum codex_item_type;
 * CODEX_NO_ITEM if the piece is no call or has its output; -errno.
 */
int codex_write_missing_output(const struct sending *x,
			       const struct piece *call, struct json_writer *w);

#endif
