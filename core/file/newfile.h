/*
 * Replacing a file atomically and durably: a new file is written beside it
 * under a temporary name, synced, and renamed.
 *
 * The folder is opened once (nofollow.h), and all happens in it, whatever the
 * path leads to by then.
 *
 * After newfile_write() succeeds, newfile_finish(), a commit or
 * newfile_discard() releases the struct.
 */
#ifndef SESSFS_NEWFILE_H
#define SESSFS_NEWFILE_H

#include <sys/stat.h>

#include "core/base/buf.h"

struct gate;

struct newfile {
	int folder;
	const char *target; /* its name in the folder; borrowed */
	struct buf name;    /* the temporary one */
};

/*
 * Can a file be made beside this one? By access(2), so creating may fail, as it
 * may where access(2) could not say.
 */
bool newfile_is_possible(struct gate *g, const char *path);

/*
 * Write the bytes to a new file beside `path`, which stays the caller's, and
 * sync it. It gets the mode and owner of `like`. If the owner cannot be set,
 * because only root may do that, this is -EPERM with keep_owner; without it the
 * file belongs to the process's user. No file is left after an error.
 */
int newfile_write(struct newfile *f, struct gate *g, const char *path,
		  struct span bytes, const struct stat *like, bool keep_owner);

/*
 * Make the names in the folder durable that were changed so far. After a power
 * cut a rename may be there without what was done before it.
 */
int newfile_sync_folder(const struct newfile *f);

/* The same for the folder of a file. */
int newfile_sync_folder_of(struct gate *g, const char *path);

/* After an error the rename may have happened, without being durable. */
int newfile_commit(struct newfile *f);

/*
 * The two steps of it, for callers that look at the old file between them.
 * newfile_finish() takes the result of the first: it makes the rename durable,
 * or removes the new file, and returns the error.
 */
int newfile_rename(const struct newfile *f);
int newfile_finish(struct newfile *f, int err);

/* The same where no file may be replaced: -EEXIST if the name is taken. */
int newfile_commit_new(struct newfile *f);
void newfile_discard(struct newfile *f);

/*
 * mkdir -p: make the folder at a path, and those that it is in, as far as they
 * are missing, with this mode. 0 or -errno.
 */
int newfile_make_folders(struct span path, mode_t mode);

#endif
