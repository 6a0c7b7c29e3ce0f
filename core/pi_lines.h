/*
 * The lines that sessfs writes into a Pi session, and the files that it makes
 * of one (FORMATS.md, sections 3.8, 3.9, 10 and 12). Part of pi.c's dialect.
 *
 * Lines of the agent keep their bytes, but for the members that have to change.
 * The functions are those of struct dialect (dialect.h).
 */
#ifndef SESSFS_PI_LINES_H
#define SESSFS_PI_LINES_H

#include "core/session.h"

/*
 * A `custom` entry below the target, inert in every agent. For INDEX_NONE its
 * parent is null, which is before the first entry.
 */
int pi_head_line(const struct session *s, uint32_t target, struct buf *out);

/* A `label` entry at the leaf; without `label` it clears. */
int pi_label_line(const struct session *s, uint32_t entry, struct span text,
		  struct buf *out);

/*
 * What Pi's createBranchedSession writes: a new header with parentSession; the
 * path without labels, chained over the gaps; the labels that stand, last. Its
 * ids and time are derived, so that it is the same at every reading.
 */
int pi_branch(const struct session *s, uint32_t entry, struct buf *out);

/*
 * Version 1 has no ids to hang a head or a label on; and Pi would give its
 * entries new ones even if they had.
 */
bool pi_needs_migration(const struct session *s);

/*
 * The whole file as version 3: the ids that the mount shows, each entry below
 * the one before it (or, where entries have ids already, as they are);
 * hookMessage as custom. Bad lines stay where they are.
 */
int pi_migrate(const struct session *s, struct buf *out);

#endif
