/* The path from the root to an entry. */
#ifndef SESSFS_PATH_H
#define SESSFS_PATH_H

#include "core/session/session.h"

struct path {
	uint32_t *list; /* root first */
	uint32_t n;
};

/* The path to an entry; empty for INDEX_NONE. 0 or -ENOMEM. */
int path_load(struct path *p, const struct session *s, uint32_t entry);
void path_free(struct path *p);

/* Is an entry on the path to another one, or that one itself? */
bool path_has(const struct session *s, uint32_t leaf, uint32_t entry);

/* The first entry of the path to an entry; INDEX_NONE for INDEX_NONE. */
uint32_t path_root(const struct session *s, uint32_t leaf);

/*
 * Does the path begin at an entry that was cut from a cycle of parents? An
 * agent that follows its parents never ends.
 */
bool path_is_cut(const struct session *s, uint32_t leaf);

#endif
