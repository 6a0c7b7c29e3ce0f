/*
 * Subagents: sessions that a call in another session started.
 *
 * Claude Code writes the transcript of a subagent to
 *
 *     SESSION/subagents/agent-ID.jsonl    beside SESSION.jsonl
 *     agent-ID.jsonl                      beside it, up to about 2.1.0
 *
 * A subagent that a subagent starts is in the same folder. The result of the
 * call has the ID: as toolUseResult.agentId, and in the transcript of a
 * subagent, where that is missing, in a line "agentId: ID (…" at the end of the
 * result's text. So a subagent is found when its call has a result. That of a
 * call in the background comes when the subagent starts.
 *
 * All lines of such a transcript are sidechains. There they are the
 * conversation, and as no sidechains to sessfs.
 */
#ifndef SESSFS_CLAUDE_SUBAGENTS_H
#define SESSFS_CLAUDE_SUBAGENTS_H

#include "core/session/dialect.h"

/* Inode numbers have 14 bits for the subagents of an entry. */
#define CLAUDE_SUBAGENTS_LIMIT 16000

/* In the order of the results. */
struct claude_subagent {
	uint32_t caller; /* the entry with the call */
	uint32_t name;	 /* of the file, where in names; ends with a NUL */
};

/* Of a session. A zeroed one is empty. */
struct claude_subagents {
	struct claude_subagent *list;
	uint32_t *order; /* of `list`, by caller */
	size_t n;
	size_t cap;
	size_t order_cap;
	struct buf names;
};

void claude_subagents_free(struct claude_subagents *a);

/* Is the transcript that of a subagent, by its file's name? */
bool claude_is_subagent(const struct session *s);

/*
 * Ingest the line of an entry with results: add the subagent that it names, if
 * any. 0 or -ENOMEM.
 */
int claude_ingest_subagent(struct session *s, struct json line);

#endif
