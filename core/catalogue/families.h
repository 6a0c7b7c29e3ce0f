/*
 * Families in a list of sessions: one that was forked from another
 * (dialect_bases) comes below it.
 */
#ifndef SESSFS_FAMILIES_H
#define SESSFS_FAMILIES_H

#include "core/catalogue/row.h"

/*
 * Arrange sorted rows, which are listed: below each session those that go on
 * from it, in the order that they had, with summary.depth set. A family is
 * where its first row was. Rows that would be their own ancestors stay on top.
 * 0 or -ENOMEM.
 */
int families_arrange(struct session_rows *t,
		     const struct dialect_registry *dialects);

#endif
