/*
 * Names in the folder of the mounts (mounts.h). Functions append.
 */
#ifndef SESSFS_MOUNT_NAME_H
#define SESSFS_MOUNT_NAME_H

#include "core/base/buf.h"

/*
 * What a session file is called (session_name_add_mount()), or "session" if it
 * can't be read.
 */
void mount_name_add(struct buf *out, const char *file);

/*
 * Options of -o in one spelling: sorted by name, without repetition. The last
 * of several values for a name counts, so these keep their order. Options with
 * a backslash, which may hide a comma, stay as they are.
 */
void mount_name_add_options(struct buf *out, const char *options);

#endif
