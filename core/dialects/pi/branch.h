/*
 * The lines that sessfs appends to a Pi session, and the session files that it
 * makes of one: branches and migrated files.
 *
 * Lines of the agent keep their bytes, except in members that must change. For
 * the contracts of the functions see struct dialect (dialect.h).
 */
#ifndef SESSFS_PI_BRANCH_H
#define SESSFS_PI_BRANCH_H

#include "core/json/writer.h"
#include "core/session/dialect.h"

/*
 * Appends a `custom` entry below the target, which agents keep and ignore. For
 * INDEX_NONE its parent is null.
 */
int pi_move_head(const struct session *s, uint32_t target, struct change *c);

/* Appends a `label` entry below the leaf; it clears without a `label`. */
int pi_set_label(const struct session *s, uint32_t entry, struct span text,
		 struct change *c);

/* Write the members of every entry: a new id, its parent, a time in ms. */
void pi_add_envelope(struct json_writer *w, const struct session *s,
		     uint32_t parent, int64_t time);

/* Appends a `session_info` entry below the leaf; an empty name removes it. */
int pi_set_name(const struct session *s, struct span name, struct change *c);

/*
 * Writes what createBranchedSession() in Pi does: a new header with
 * parentSession; the path without labels, each entry below the one before it;
 * then the labels on the path. Ids and time are derived, so that the file is
 * the same each time.
 */
int pi_branch(const struct session *s, uint32_t entry, struct buf *out);

/*
 * The same by the rules of a relative:
 *
 *   leaves        entries that mark the head are left out, as labels are
 *   anchors_stay  one of these stays if it is a compaction's first kept entry
 *   metadata      the new header has the metadata of the old one
 */
struct fork_rules {
	bool leaves;
	bool anchors_stay;
	bool metadata;
};

int pi_fork(const struct session *s, uint32_t entry,
	    const struct fork_rules *rules, struct buf *out);

/*
 * Write the members of a branch's header: a new id, the time of the entry (else
 * of the header), cwd, parentSession.
 */
void pi_add_fork(struct json_writer *w, const struct session *s,
		 uint32_t entry);

/*
 * True for version 1: its entries have no ids that a head or label could refer
 * to, and Pi gives new ids even to those that have one.
 */
bool pi_needs_migration(const struct session *s);

/*
 * Writes the file as version 3: entries get the ids that the mount shows, and
 * the entry before as their parent, unless they have ids already; hookMessage
 * becomes custom. Lines that are not JSON stay as they are.
 */
int pi_migrate(const struct session *s, struct buf *out);

#endif
