/*
 * The sidecar of a Claude Code session, NAME.sessfs.json: a file of sessfs,
 * with labels, and with the place of HEAD if the agent honours none in the
 * transcript (claude/head.h).
 *
 *     {"head": ID or null, "leaf": ID or null, "labels": {ID: TEXT}}
 *
 * `head` null is the place before the first entry; without `head`, HEAD was not
 * moved. `leaf` is the transcript's own leaf at the time of the move. If it
 * differs from the current one, the agent has written since, and the move is
 * void; without `leaf` it stays valid. Other members are kept.
 *
 * A file that is not such an object is damaged: it is ignored, and never
 * overwritten (-EIO). A sidecar larger than SIDECAR_LIMIT is not written
 * (-EFBIG).
 */
#ifndef SESSFS_CLAUDE_SIDECAR_H
#define SESSFS_CLAUDE_SIDECAR_H

#include "core/session/dialect.h"

#define CLAUDE_SIDECAR_SUFFIX ".sessfs.json"

/* The functions are those of struct dialect (dialect.h). */
int claude_ingest_sidecar(struct session *s, struct span bytes, bool there);
int claude_set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c);

/* Make an entry the head (INDEX_NONE: before the first). */
int claude_sidecar_move_head(const struct session *s, uint32_t target,
			     struct change *c);

/* Remove a head from the sidecar. The change is empty if it has none. */
int claude_sidecar_drop_head(const struct session *s, struct change *c);

#endif
