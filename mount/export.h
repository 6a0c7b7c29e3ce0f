/*
 * sessfs --export DIR SOURCE: what a mount of SOURCE shows, as plain files.
 *
 * They are the files of the mount: the same nodes are walked (fs/tree/dir.h)
 * and rendered (fs/kernel/fs.h), with the same names, modes and times; only,
 * folders can be written to by their owner, who is whoever exports. tree/ is
 * left out: it is by-id/ again, and too deep for many programs. What a
 * session's root has and does not list comes along.
 *
 * A session is entered once, and all of it is as it was then. One that is
 * rewritten meanwhile is given up; of a folder, the others are not.
 */
#ifndef SESSFS_EXPORT_H
#define SESSFS_EXPORT_H

#include "fs/kernel/fs.h"
#include "mount/options.h"

/*
 * Write o->source, which fs->places have, to o->folder, which is made, or empty
 * so far. Gives the exit status; what is wrong is said. A signal that asks for
 * the end ends the process by itself. Either way fs_free().
 */
int export_source(struct options *o, struct fs *fs);

#endif
