/*
 * What is done with a file on the disk: it is written, or removed.
 */
#ifndef SESSFS_CHANGE_H
#define SESSFS_CHANGE_H

#include <sys/stat.h>

#include "core/base/buf.h"

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

void change_free(struct change *c);

/*
 * Print a line for each of n changes, or a patch, which a terminal shows as
 * `sessfs diff` does. Returns an exit status.
 */
int change_show(const struct change *list, size_t n, bool patch);

#endif
