/*
 * The state that the mount attaches to each place (place.attached).
 */
#ifndef SESSFS_ATTACHED_H
#define SESSFS_ATTACHED_H

#include "fs/edit/staged.h"
#include "fs/kernel/marks.h"

struct attached {
	struct edit_place edit; /* first: fs/edit/edit.h finds it there */
	struct mark mark;
};

static inline struct attached *attached_to(const struct place *at)
{
	return at->attached;
}

#endif
