/*
 * Replacing files, so that it can be taken back: what is replaced is kept below
 * $XDG_STATE_HOME/sessfs/restored (~/.local/state/sessfs/restored).
 *
 *     20260301T101500-1/root   the folder whose files were replaced
 *     20260301T101500-1/done   what was done: a record for each file
 *     20260301T101500-1/0      what a file was before, by its record
 *     20260301T101500-1/undone it was taken back
 *
 * A file is kept, and its record is written, before it is changed. Each is
 * replaced by a rename, so that it is the old or the new one at any time.
 * Nothing is written through a symlink. Functions return an exit status, after
 * reporting an error.
 */
#ifndef SESSFS_REPLACED_H
#define SESSFS_REPLACED_H

#include "mount/commands/restore/plan.h"

/*
 * Print the changes of a plan, and make them, and say where the old files are
 * kept. If one is refused, none is made.
 */
int replaced_do(const struct plan *p);

/*
 * Take back what was replaced last in u->root, or in a folder around it. A file
 * that was changed since is refused, and then nothing is changed, unless
 * u->force. What is there is kept in the same way, but not for another undo.
 */
int replaced_undo(struct plan *u);

/* For undo.c: append the folder; and create a file with these bytes, synced: 0
 * or -errno. */
void replaced_add_folder(struct buf *out);
int replaced_create(int folder, const char *name, struct span bytes,
		    mode_t mode);

#endif
