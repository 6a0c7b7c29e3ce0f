/*
 * The files whose beginnings come before the bytes of a log, where a format
 * begins a session with a part of another one. Their bytes and those of the log
 * count as one file: the first byte of the oldest ancestor is at offset 0.
 *
 * An ancestor is append-only as far as it is used: nobody changes its bytes
 * below `size`, but its agent may append to it, move it, or write another file
 * in its place. lineage_is_stale() tells whether such a thing has happened, and
 * lineage_refresh() whether the bytes are still the same.
 *
 * The log owns its lineage, and its caller serialises all but lineage_read()
 * and lineage_is_stale(). A zeroed struct has no ancestors.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_LINEAGE_H
#define SESSFS_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buf.h"

/* How many ancestors a log may have: each has a descriptor. */
#define LINEAGE_LIMIT 64

/* The last bytes before the cut, by which an ancestor is recognized. */
#define LINEAGE_END_SIZE 256

struct ancestor {
	char *path;
	int fd;	       /* -1 while the log is parked */
	uint64_t size; /* of its beginning; what follows is not read */
	struct stat st;
	size_t n_end;
	char end[LINEAGE_END_SIZE];
};

struct lineage {
	struct ancestor *list; /* the newest first */
	size_t n;
	size_t cap;
	uint64_t size; /* bytes of all of them */
	/* Why it ends before its beginning, for people; or NULL. */
	const char *fault;
	struct buf fault_name; /* of the file that it is about */
};

/*
 * Add the ancestor of the last one that was added. Its path is absolute and
 * without symlinks; `size` is at least 1. -ENODATA if the file has fewer bytes,
 * -EMLINK if there are LINEAGE_LIMIT already, or the errors of log_open().
 */
int lineage_add(struct lineage *l, const char *path, uint64_t size);

void lineage_free(struct lineage *l);

/* Read n bytes at an offset below l->size. *got is how many there were. */
int lineage_read(const struct lineage *l, uint64_t offset, void *to, size_t n,
		 size_t *got);

/* Has anything happened to an ancestor? One fstat(2) for each. */
bool lineage_is_stale(const struct lineage *l);

/*
 * Look at the ancestors again, and open them if they are parked. Returns 1 if
 * one has other bytes, or is no longer at its path; 0 if all are the same; or
 * -errno after an error that says nothing of the files.
 */
int lineage_refresh(struct lineage *l);

/* Close the descriptors. */
void lineage_park(struct lineage *l);

#endif
