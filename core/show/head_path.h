/*
 * The way from the root to HEAD, for path/: the entries that are no bookkeeping
 * (index.h), numbered from 1 at the root.
 *
 * The list is made when it is first asked for. When HEAD has moved since, only
 * the entries that are new on the way are visited: one after an append, however
 * long the way is. Numbers below the entry that both ways share stay. The list
 * is kept as derived.h says, and costs 8 bytes of memory an entry.
 */
#ifndef SESSFS_HEAD_PATH_H
#define SESSFS_HEAD_PATH_H

#include "core/session/session.h"

/* The entry with a number: 0, -ENOENT if there is none, or -ENOMEM. */
int head_path_entry(const struct session *s, uint32_t number, uint32_t *entry);

#endif
