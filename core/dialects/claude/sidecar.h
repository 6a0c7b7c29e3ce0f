/*
 * The sidecar of a Claude Code session, NAME.sessfs.json: the place of HEAD, if
 * it was moved, and labels. It is a file of sessfs, which never writes to the
 * transcript.
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
int claude_move_head(const struct session *s, uint32_t target,
		     struct change *c);
int claude_set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c);

#endif
