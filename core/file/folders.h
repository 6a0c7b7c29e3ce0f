/*
 * Making folders: mkdir -p.
 */
#ifndef SESSFS_FOLDERS_H
#define SESSFS_FOLDERS_H

#include <sys/types.h>

#include "core/base/span.h"

/*
 * Make the folder at a path, and those that it is in, as far as they are
 * missing, with this mode. 0 or -errno.
 */
int folders_make(struct span path, mode_t mode);

#endif
