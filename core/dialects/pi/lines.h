/*
 * The lines that sessfs writes into a Pi session, and the files that it makes
 * of one (FORMATS.md, sections 3.8, 3.9, 10 and 12).
 *
 * Lines of the agent keep their bytes, but for the members that have to change.
 * The functions are those of struct dialect (dialect.h).
 */
#ifndef SESSFS_PI_LINES_H
#define SESSFS_PI_LINES_H

#include "core/json/writer.h"
#include "core/session/dialect.h"

/*
 * A `custom` entry below the target, inert in every agent. For INDEX_NONE its
 * parent is null, which is before the first entry.
 */
int pi_move_head(const struct session *s, uint32_t target, struct change *c);

/* A `label` entry at the leaf; without `label` it clears. */
int pi_set_label(const struct session *s, uint32_t entry, struct span text,
		 struct change *c);

/* What every entry has: a new id, its parent, a time in ms. */
void pi_add_envelope(struct json_writer *w, const struct session *s,
		     uint32_t parent, int64_t time);

/* A `session_info` entry at the leaf; an empty name takes it away. */
int pi_set_name(const struct session *s, struct span name, struct change *c);

/*
 * What Pi's createBranchedSession writes: a new header with parentSession; the
 * path without labels, chained over the gaps; the labels that stand, last. Its
 * ids and time are derived, so that it is the same at every reading.
 */
int pi_branch(const struct session *s, uint32_t entry, struct buf *out);

/* The same by a relative's rules. */
struct fork_rules {
	bool leaves;	   /* head marks are dropped, as labels are, */
	bool anchors_stay; /* but not those that a compaction names */
	bool metadata;	   /* the header's metadata is carried over */
};

int pi_fork(const struct session *s, uint32_t entry,
	    const struct fork_rules *rules, struct buf *out);

/*
 * What the header of a branch says of where it comes from: an id of its own,
 * the entry's time (else the header's), cwd, parentSession.
 */
void pi_add_fork(struct json_writer *w, const struct session *s,
		 uint32_t entry);

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
