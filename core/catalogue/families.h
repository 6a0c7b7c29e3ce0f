/*
 * Families: which sessions of a list go on from which (dialect_bases). The base
 * of one is named by the id that its file has in its name; of several files
 * with that id, it is one of the same agent and source before others.
 */
#ifndef SESSFS_FAMILIES_H
#define SESSFS_FAMILIES_H

#include "core/catalogue/row.h"

/*
 * Arrange sorted rows, which are listed: below each session those that go on
 * from it, in the order that they had, with base and summary.depth set, which
 * the caller has cleared. A family is where its first row was. Rows that would
 * be their own ancestors stay on top. 0 or -ENOMEM.
 */
int families_arrange(struct session_rows *t,
		     const struct dialect_registry *dialects);

#endif
