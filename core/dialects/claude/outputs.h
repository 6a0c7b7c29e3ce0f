/*
 * Outputs that are too large for a transcript.
 *
 * Claude Code writes what a tool printed, if that is long, to a file
 * SESSION/tool-results/NAME beside SESSION.jsonl; subagents use the folder of
 * the session that they belong to. The result in the transcript has the
 * beginning of it:
 *
 *     <persisted-output>
 *     Output too large (106.3KB). Full output saved to: PATH
 *
 *     Preview (first 2KB):
 *     …
 *     </persisted-output>
 *
 * The content of an entry has the file's text instead. What the agent sends is
 * the text of the transcript, so contexts have that.
 *
 * Only the name counts, not the rest of PATH: sessions are moved and copied. A
 * file that is missing, can't be read or is no regular file is as none, and the
 * content is the transcript's text. Symlinks are not followed.
 */
#ifndef SESSFS_CLAUDE_OUTPUTS_H
#define SESSFS_CLAUDE_OUTPUTS_H

#include "core/session/dialect.h"

/* A larger file is not shown; a line says so. */
#define CLAUDE_OUTPUT_LIMIT ((off_t)64 << 20)

/* The files that are shown in a session, at most. */
#define CLAUDE_OUTPUTS_LIMIT 16000

struct claude_output {
	uint32_t entry;
	uint32_t name; /* where in names; ends with a NUL */
	uint64_t seen; /* struct outside; of the entry's first one */
};

/* Of a session, by entry. A zeroed one is empty. */
struct claude_outputs {
	struct claude_output *list;
	size_t n;
	size_t cap;
	struct buf names;
};

void claude_outputs_free(struct claude_outputs *o);

/* Ingest the message of an entry with results. 0 or -ENOMEM. */
int claude_ingest_outputs(struct session *s, uint32_t entry,
			  struct json message);

#endif
