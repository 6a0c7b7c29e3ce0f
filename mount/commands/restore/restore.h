/*
 * What `sessfs restore` would do: which files of a folder differ from what they
 * were at an entry of a session.
 *
 * A file that is known at the entry is written as it was there. One that was
 * first seen later is written as it was seen, and one that was made later is
 * removed (files_at_before()); all branches are asked, HEAD's first. Files
 * outside of the working directory are left alone unless they are named, and so
 * are those that are missing there after a shell ran.
 *
 * Paths of files on the disk are absolute, and not followed through symlinks.
 */
#ifndef SESSFS_RESTORE_H
#define SESSFS_RESTORE_H

#include <sys/stat.h>

#include "core/files/files_at.h"

/* What is done with a file on the disk: it is written, or removed. */
struct change {
	char *path;	 /* on the disk */
	struct buf name; /* for people */
	bool removes;
	bool refused; /* the file is not as the session knew it: reported */
	bool exists;  /* the file; *st and `old` are its */
	struct stat st;
	struct buf old;
	struct buf new; /* unless it is removed */
	mode_t mode;	/* of a file that is not there */
	/* For undo.c: */
	bool removed;  /* what is taken back removed the file, */
	uint64_t hash; /* or made it what has this */
};

struct plan {
	const struct session *s;
	uint32_t entry;
	const char *root; /* of files below the working directory: absolute,
			     without symlinks */
	bool force;
	bool dry;    /* only print the changes, */
	bool patch;  /* as a patch */
	bool undoes; /* they are no restore: no undo takes them back */
	/* The NAMEs, as they were typed; none: all below the root. */
	char **paths;
	size_t n_paths;
	char *here;  /* the user's working directory */
	bool *named; /* by NAME: a file is called so; or NULL */

	struct change *list;
	size_t n;
	size_t cap;
	bool refused; /* one of them is */
};

/*
 * Find the changes of a plan, whose other members are set, also those that are
 * refused. Reports these, and what is left. Returns an exit status; the caller
 * calls plan_free() in any case.
 */
int plan_make(struct plan *p);
void plan_free(struct plan *p);
void change_free(struct change *c);

/*
 * Read a file of a path: 1 with its attributes and bytes, 0 if there is none,
 * or -errno: -ELOOP or -ENOTDIR if a symlink is in the way, -EISDIR.
 */
int plan_read(const char *path, struct stat *st, struct buf *bytes);

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
