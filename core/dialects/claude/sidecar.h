/*
 * The sidecar of a Claude Code session, NAME.sessfs.json: where HEAD was moved,
 * and labels. It is sessfs's own (FORMATS.md, section 12); the transcript is
 * only ever read.
 *
 *     {"head": ID or null, "leaf": ID or null, "labels": {ID: TEXT}}
 *
 * `head` null is before the first entry. `leaf` is the transcript's own leaf
 * when HEAD was moved: when that is another one the agent has written since,
 * and the move is over. Without `leaf` it is not; without `head` HEAD was not
 * moved. Other members are kept as they are.
 *
 * A file there that is no such object is damaged: it is read as if there were
 * none, and left alone (-EIO). One that would grow over SIDECAR_LIMIT is not
 * written (-EFBIG).
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
