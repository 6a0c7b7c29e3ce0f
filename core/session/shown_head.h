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
#ifndef SESSFS_SHOWN_HEAD_H
#define SESSFS_SHOWN_HEAD_H

#include "core/session/session.h"

/*
 * Set now.head after now.leaf or the index has changed. The session is locked
 * for writing. 0 or -ENOMEM. A line that can't be read is looked at no further.
 */
int shown_head_find(struct session *s);

#endif
