/*
 * Lines that tell of files which Claude Code has saved (kit/backups.h).
 *
 *     file-history-snapshot    the files that it had saved so far, as they were
 *                              when a prompt began
 *     file-history-delta       one more, just before its first edit
 *
 * Both name an entry, the prompt or the one with the call. A second snapshot of
 * a prompt repeats the first one, and is passed over.
 */
#include "core/dialects/claude/claude.h"

#include "core/dialects/kit/backups.h"

/* A session is projects/DIRECTORY/ID.jsonl in the agent's folder. */
#define CLAUDE_AROUND 3

int claude_saved(const struct session *s, struct json line,
		 struct saved_files *to)
{
	JSON_FIELDS(f, line, type, messageId, snapshot, isSnapshotUpdate,
		    trackingPath, backup);
	struct json all = json_get(f.snapshot, "trackedFileBackups");
	struct json_walk w = json_walk(all);
	struct json path;
	struct json backup;
	int err = 0;
	to->about = f.messageId;
	if (json_is(f.type, SPAN("file-history-delta")))
		return backups_tell(s, CLAUDE_AROUND, f.trackingPath, f.backup,
				    to);
	if (json_truthy(f.isSnapshotUpdate) || json_type(all) != JSON_OBJECT)
		return 0;
	while (!err && json_next_member(&w, &path, &backup))
		err = backups_tell(s, CLAUDE_AROUND, path, backup, to);
	return err;
}
