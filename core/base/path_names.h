/*
 * Short names for the paths of things that stand side by side in one folder:
 * the last part of each path, and as many of those before it as tell it from
 * the others.
 *
 *     /home/ann/wc       ann+wc
 *     /home/bob/wc       bob+wc
 *     /home/bob/sort     sort
 *
 * A name is longer, too, if it would begin with a dash or a dot, be empty, or
 * be one of those that the folder has already. If all parts do not help, it is
 * that of pathname_add_whole(). The names depend on the set of paths alone.
 */
#ifndef SESSFS_PATH_NAMES_H
#define SESSFS_PATH_NAMES_H

#include "core/base/buf.h"

struct path_name {
	struct span path; /* the caller's, without slashes at its end */
	struct buf name;
	unsigned parts; /* private */
};

/* Names that a folder has already. */
struct path_names_taken {
	const struct span *list;
	size_t n;
};

/*
 * Make the names, each followed by a NUL. The paths differ. 0 or -ENOMEM. The
 * caller calls buf_free() on them in either case.
 */
int path_names_make(struct path_name *list, size_t n,
		    const struct path_names_taken *taken);

#endif
