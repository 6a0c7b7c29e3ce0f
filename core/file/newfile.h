/*
 * A file made anew beside an old one, to take its place by rename: the old one
 * is there, whole, until the new one is, whole and on the disk.
 *
 * The folder is opened once, without following symlinks (nofollow.h): all of it
 * happens there, whatever the path leads to meanwhile.
 *
 * newfile_write(), then either newfile_commit() or newfile_discard(); both
 * release it. Errors are negative errno values.
 */
#ifndef SESSFS_NEWFILE_H
#define SESSFS_NEWFILE_H

#include <sys/stat.h>

#include "core/base/buf.h"

struct newfile {
	int folder;	    /* that both are in */
	const char *target; /* the name that it is to take; borrowed */
	struct buf name;    /* its own until then */
};

/* May a file be made beside that one? A guess: making it says for sure. */
bool newfile_is_possible(const char *path);

/*
 * The bytes, with that mode and owner. Only root can give a file away: for
 * others that is -EPERM where the owner must be kept. On an error nothing is
 * left.
 */
int newfile_write(struct newfile *f, const char *path, struct span bytes,
		  const struct stat *like, bool keep_owner);

/* An error may also mean that it has its place, but not for sure on the disk.
 */
int newfile_commit(struct newfile *f);
void newfile_discard(struct newfile *f);

#endif
