/*
 * How a change that was decided gets into the session's file, and into the one
 * beside it. For core/session/writer.c alone.
 *
 *     lines       appended, or put behind the migrated session
 *     start       written over the file's own start; where it has another
 *                 size, the file is replaced
 *     sidecar     replaces the file beside it
 */
#ifndef SESSFS_WRITE_CHANGE_H
#define SESSFS_WRITE_CHANGE_H

#include "core/session/writer.h"

struct change;

/*
 * Write a change, and refresh the session, which is left for each of its steps.
 * What was written is there, even if the session can't be read just now: errors
 * of entering it again don't count. -EAGAIN: another process wrote meanwhile,
 * and nothing was written.
 */
int write_change(struct writer *w, struct change *c);

#endif
