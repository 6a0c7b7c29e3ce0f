/*
 * Branches of the Pi family's sessions, as createBranchedSession() in Pi writes
 * them: a new header with parentSession; the path without labels, each entry
 * below the one before it; then the labels on the path. Ids and time are
 * derived, so that the file is the same each time. Lines keep their bytes,
 * except in members that must change.
 */
#ifndef SESSFS_PI_BRANCH_H
#define SESSFS_PI_BRANCH_H

#include "core/dialects/kit/branch.h"
#include "core/json/writer.h"

int pi_branch(const struct session *s, uint32_t entry, unsigned nth,
	      struct buf *out);

/* The same below a header of another kind (branch_rules). */
int pi_branch_below(const struct session *s, uint32_t entry, unsigned nth,
		    int (*header)(struct branch *b, uint32_t tip),
		    struct buf *out);

/* Begin a header of version 3; the caller ends the line. */
struct json_writer pi_branch_header(struct branch *b, uint32_t tip);

/*
 * Write the members of a branch's header: a new id, the time of the entry (else
 * of the header), cwd, parentSession.
 */
void pi_add_fork(struct json_writer *w, const struct session *s, uint32_t entry,
		 unsigned nth);

/* Append an id derived from these: a short one, or a whole UUID. */
void pi_derive(struct buf *out, const struct session *s, const char *what,
	       struct span of, bool whole);

#endif
