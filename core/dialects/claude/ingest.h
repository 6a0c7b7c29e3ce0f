/*
 * The lines of Claude Code.
 *
 * A line with a uuid is an entry, whatever its type. A line without is
 * metadata: titles and pins are stored, all else is skipped. A transcript has
 * no header, so now.header is made of the session's id, directory, start and
 * origin, which its lines repeat. A session that moves to another directory
 * (EnterWorktree, ExitWorktree, /cd) says so in a line of the type `relocated`.
 */
#ifndef SESSFS_CLAUDE_INGEST_H
#define SESSFS_CLAUDE_INGEST_H

#include "core/dialects/claude/state.h"

/*
 * Is logicalParentUuid the parent of the entry? A boundary is a root to the
 * agent; here it is a child of the last entry that it cuts off.
 */
bool claude_joins(enum claude_part part, struct json parent_uuid);

#endif
