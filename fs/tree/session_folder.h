/*
 * What is in a folder of sessions: the places in it (core/places/places.h), and
 * files and folders that none of them is called like: sessions.txt, and in the
 * root of a mount .ignore and .gitignore; of a set also by-project/ and by-day/
 * (fs/tree/groups.h), which alone are listed, after the places.
 *
 * A position is a serial number; these start above the dots' positions.
 */
#ifndef SESSFS_SESSION_FOLDER_H
#define SESSFS_SESSION_FOLDER_H

#include "fs/tree/node.h"

/* The node of a place: a folder of sessions, or the root of a session. */
struct node session_folder_node(struct place *at);

/* As dir_lookup() and dir_next() (fs/tree/dir.h). */
int session_folder_find(const struct node *dir, struct span name,
			struct node *n);
int session_folder_next(const struct node *dir, uint64_t *position,
			struct buf *name, struct node *n);

#endif
