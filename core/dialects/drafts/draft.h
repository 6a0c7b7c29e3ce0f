/*
 * The common part of the two drafts of a session tree: entry types and
 * contexts.
 *
 * Both are drafts for Pi's sessions: their messages are Pi's, and the header is
 * an entry, the root. A `head` entry only marks its parent. Summaries are sent
 * unchanged. `label` entries are an addition of sessfs.
 *
 * draft_index.c has the one whose ids are positions, draft_uuid.c the one with
 * UUIDs; each from reading over contexts, writing and branches to migration.
 * Both know a linear form, Pi's version 1, which is read as a draft only by
 * request (pi/v1.c); migration makes it a tree.
 */
#ifndef SESSFS_DRAFT_H
#define SESSFS_DRAFT_H

#include "core/session/dialect.h"

extern const struct dialect dialect_draft_index;
extern const struct dialect dialect_draft_uuid;

/* The type of an entry by its `type`. */
enum entry_type draft_type(struct json type);

/* See dialect.h. Nearly all that entries show is as in Pi (pi/show.c). */
extern const struct dialect_showing draft_showing;
extern const struct dialect_agent draft_agent;

/*
 * See kit/compacted.h. Messages are sent as in Pi; all other entries in a
 * context are summaries.
 */
int draft_messages(const struct session *s, struct json entry, struct json edit,
		   bool kept, struct messages *to);

#endif
