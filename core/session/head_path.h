/*
 * The way from the root to HEAD, for path/: the entries that are no bookkeeping
 * (bookkeeping.h), numbered from 1 at the root.
 *
 * The list is made when it is first asked for. When HEAD has moved since, only
 * the entries that are new on the way are visited: one after an append, however
 * long the way is. Numbers below the entry that both ways share stay. The list
 * belongs to an epoch, and the session drops it when it is read from the start.
 *
 * Costs 8 bytes of memory an entry, from the first question on. Thread-safe:
 * readers of a session share the list, which has a lock of its own.
 */
#ifndef SESSFS_HEAD_PATH_H
#define SESSFS_HEAD_PATH_H

#include "core/session/session.h"

struct head_path;

/* NULL without memory. */
struct head_path *head_path_new(void);
void head_path_free(struct head_path *p);

/* The entry with a number: 0, -ENOENT if there is none, or -ENOMEM. */
int head_path_entry(const struct session *s, uint32_t number, uint32_t *entry);

/* Drop the list. The caller has the session's write lock. */
void head_path_forget(struct head_path *p);

#endif
