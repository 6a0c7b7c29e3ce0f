/*
 * The files whose beginnings come before the bytes of a log, where a format
 * begins a session with a part of another one. Their bytes and those of the log
 * count as one file: the first byte of the oldest ancestor is at offset 0.
 *
 * An ancestor is append-only as far as it is used: nobody changes its bytes
 * below `size`, but its agent may append to it, move it, or write another file
 * in its place. So an ancestor that has grown is recognized by its last bytes
 * before the cut, and after any other change all its bytes are compared, as
 * those of a log are.
 *
 * The log owns its lineage, and its caller serialises all but lineage_read(),
 * lineage_is_stale() and lineage_is_whole(). A zeroed struct has no ancestors.
 */
#ifndef SESSFS_LINEAGE_H
#define SESSFS_LINEAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/file/regular.h"

/* How many ancestors a log may have. */
#define LINEAGE_LIMIT 64

/* The last bytes before the cut, by which an ancestor is recognized. */
#define LINEAGE_END_SIZE 256

struct ancestor {
	char *path;
	struct regular *file;
	uint64_t size; /* of its beginning; what follows is not read */
	size_t n_end;
	char end[LINEAGE_END_SIZE];
};

struct lineage {
	struct gate *gate;     /* the log's; set before lineage_add() */
	struct ancestor *list; /* the newest first */
	size_t n;
	size_t cap;
	uint64_t size; /* bytes of all of them */
	/*
	 * What lineage_refresh() has found, until its caller clears it. Bytes
	 * after a cut are not read, so it is never VERSION_GREW.
	 */
	enum version_change change;
	/* Why it ends before its beginning, for people; or NULL. */
	const char *fault;
	bool agent_reads;	  /* the fault is none for the agent */
	struct buf fault_name;	  /* of the file that it is about */
	struct versions searched; /* where that file may appear, or change */
};

/*
 * Add the ancestor of the last one that was added. Its path is absolute and
 * without symlinks; `size` is at least 1. -ENODATA if the file has fewer bytes,
 * -EMLINK if there are LINEAGE_LIMIT already, -EFBIG if they would be larger
 * than a file can be, or the errors of regular_open().
 */
int lineage_add(struct lineage *l, const char *path, uint64_t size);

void lineage_free(struct lineage *l);

/* Replace the fault, and what was searched, by those of another lineage. */
void lineage_take_fault(struct lineage *l, struct lineage *from);

/* Read n bytes at an offset below l->size. *got is how many there were. */
int lineage_read(const struct lineage *l, uint64_t offset, void *to, size_t n,
		 size_t *got);

/*
 * Has anything happened to an ancestor, or where the missing one was looked
 * for? One look at each. True, too, while l->change is not cleared.
 */
bool lineage_is_stale(const struct lineage *l);

/* Have the ancestors at most grown, as far as a look at each shows it? */
bool lineage_is_whole(const struct lineage *l);

/*
 * May a reading of the ancestors be kept? True if none is missing and all were
 * settled (version_is_settled()) at a time before they were looked at.
 */
bool lineage_is_settled(const struct lineage *l, struct timespec before);

/*
 * Append bytes that tell these ancestors from later ones; nothing if there are
 * none. Are those of such bytes as they were, or have at most grown?
 */
void lineage_pack(const struct lineage *l, struct buf *out);
bool lineage_is_as_packed(struct gate *g, struct span packed);

/*
 * Look at the ancestors again. 0 and l->change, or -errno after an error that
 * says nothing of the files. Then nothing is forgotten of what was found: the
 * caller tries again. After VERSION_REPLACED the others are not looked at: the
 * caller frees the lineage.
 */
int lineage_refresh(struct lineage *l);

#endif
