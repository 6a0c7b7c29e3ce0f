/* Branches of oh-my-pi's sessions as files. */
#ifndef SESSFS_OMP_BRANCH_H
#define SESSFS_OMP_BRANCH_H

#include "core/session/dialect.h"

/*
 * The same as createBranchedSession: a title slot, and a header with the title
 * and the folders of the session. Unlike there, an entry whose parent is a
 * label gets the entry before that label as its parent, as in Pi.
 */
int omp_branch(const struct session *s, uint32_t entry, unsigned nth,
	       struct buf *out);

#endif
