#include "core/dialects/claude/saved.h"

#include "core/base/array.h"
#include "core/dialects/claude/state.h"
#include "core/dialects/kit/backups.h"
#include "core/dialects/kit/line.h"

/* A session is projects/DIRECTORY/ID.jsonl in the agent's folder. */
#define CLAUDE_AROUND 3

int claude_keep_saved(struct session *s, struct json type,
		      const struct line_place *at)
{
	struct claude *c = s->now.state;
	if (!JSON_IS(type, "file-history-snapshot", "file-history-delta") ||
	    at->length > UINT32_MAX)
		return 0;
	int err = array_reserve(&c->saved.list, &c->saved.cap, c->saved.n, 1);
	if (!err)
		c->saved.list[c->saved.n++] =
			(struct note_place){ .offset = at->offset,
					     .length = (uint32_t)at->length,
					     .entry = s->now.index.n };
	return err;
}

const struct note_place *claude_saved_note(const struct session *s, uint32_t n)
{
	const struct claude *c = s->now.state;
	return c && n < c->saved.n ? &c->saved.list[n] : NULL;
}

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
