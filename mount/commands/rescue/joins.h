/*
 * Where the broken links of a session's tree are joined again, for `sessfs
 * rescue`.
 *
 * An entry whose parent is missing, or that was cut from a cycle, gets the
 * newest entry that is not newer than itself, by time and, of equal times, in
 * file order, which belongs to the same conversation and does not descend from
 * it. An entry without a time has that of the entry before it in the file.
 */
#ifndef SESSFS_JOINS_H
#define SESSFS_JOINS_H

#include "core/session/session.h"

/* In joins.to: the link is not broken. */
#define JOINS_NOT (INDEX_NONE - 1)

struct joins {
	uint32_t *to;  /* by entry: the new parent, INDEX_NONE or JOINS_NOT */
	int64_t *time; /* by entry; TIMESTAMP_NONE if no entry has one */
};

/*
 * Find the joins. `side` is that of struct dialect_rescue, or NULL. 0 or
 * -ENOMEM; the caller calls joins_free() in either case. Takes n log n steps.
 */
int joins_find(struct joins *j, const struct session *s,
	       uint32_t (*side)(const struct session *s, uint32_t entry));
void joins_free(struct joins *j);

#endif
