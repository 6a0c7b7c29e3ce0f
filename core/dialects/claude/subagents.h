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

/*
 * Ingest the line of an entry with results: add the subagent that it names, if
 * any. 0 or -ENOMEM.
 */
int claude_ingest_subagent(struct session *s, struct json line);

#endif
