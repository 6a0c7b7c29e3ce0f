/*
 * The mount point: what can be said against it before libfuse is asked.
 *
 * FUSE lets anything be mounted over anything, and so do we, save a session
 * over a session: the daemon below would go on, out of reach. That is always a
 * command given twice.
 */
#ifndef SESSFS_MOUNTPOINT_H
#define SESSFS_MOUNTPOINT_H

#include <stdbool.h>

#include "core/base/buf.h"

struct mountpoint {
	char *path;	/* absolute, links resolved */
	char *spelled;	/* absolute, as the user has it */
	struct buf why; /* private */
};

/*
 * Look at the directory `name`, on which `source` (absolute, links resolved) is
 * to be mounted. NULL if it will do, else the reason in words, which lives as
 * long as m. Either way mountpoint_free() it.
 */
const char *mountpoint_init(struct mountpoint *m, const char *name,
			    const char *source);
void mountpoint_free(struct mountpoint *m);

/* Is a path that of a folder, or of what is in it? Both have no links. */
bool mountpoint_is_below(const char *path, const char *folder);

#endif
