/*
 * HEAD, for people: what the leaf stands for, looked through.
 *
 * The agent goes on from session_at_leaf(): the leaf, or the entry that it is
 * bookkeeping of. Agents also end a turn or a session with notes that nobody
 * said or did (dialect_showing.is_said): attachments, reminders, marks of an
 * exit. session_head() is the nearest ancestor that is no such note, or
 * session_at_leaf() itself if all are notes, or if the dialect does not tell.
 * Contexts, forms and writes follow the leaf; only what HEAD shows differs.
 *
 * Lines are read from the leaf up to the first that is no note. Notes that an
 * earlier call has read are not read again, so a session of nothing but notes
 * costs one line an append.
 */
#include "core/session/private.h"

#include <errno.h>

#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"

/* 1: the entry is a note. 0: it is none, or can't be read. Or -ENOMEM. */
static int is_note(const struct session *s, uint32_t entry, struct buf *line)
{
	struct json json;
	int err = session_peek(s, entry, line, NULL, &json);
	if (err)
		return err == -ENOMEM ? err : 0;
	return !s->dialect->showing->is_said(json);
}

int shown_head_find(struct session *s)
{
	struct contents *c = &s->now;
	const struct shown_head was = c->shown_head;
	uint32_t from = session_at_leaf(s);
	uint32_t at = from;
	struct buf line BUF_SCOPED = { 0 };
	int note = s->dialect->showing->is_said != NULL;
	/* Are entries and their parents what they were at the last answer? */
	bool same = was.known && was.redefined_ids == c->redefined_ids &&
		    was.relinks == c->index.relinks;
	while (note > 0 && at != INDEX_NONE && !(same && at == was.from)) {
		note = is_note(s, at, &line);
		if (note > 0)
			at = bookkeeping_shown_parent(&c->index, at);
	}
	if (note < 0)
		return note;
	/* It has met the entry that the earlier answer began from. */
	if (note && at != INDEX_NONE)
		at = was.found;
	c->head = at == INDEX_NONE ? from : at;
	c->shown_head = (struct shown_head){ .known = true,
					     .from = from,
					     .found = at,
					     .redefined_ids = c->redefined_ids,
					     .relinks = c->index.relinks };
	return 0;
}
