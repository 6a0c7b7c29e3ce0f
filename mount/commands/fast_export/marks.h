/*
 * Marks of `git fast-import`, by which a stream goes on from an earlier one.
 *
 * The mark of an entry is its number and one more, so marks stay the same as
 * long as numbers do: for an epoch (core/session/epoch.h). The next process
 * can't know an epoch, so each stream has one mark more, the seal: a digest of
 * all entries up to the last that was written. git keeps both in its file of
 * marks, from which a later stream learns how many entries there are, and
 * whether they are still those.
 */
#ifndef SESSFS_MARKS_H
#define SESSFS_MARKS_H

#include "core/session/session.h"

/* The digest of entries before this one. */
uint32_t marks_seal(const struct session *s, uint32_t before);

static inline uint32_t marks_of(uint32_t entry)
{
	return entry + 1;
}

struct marks {
	uint32_t written; /* entries before this one have been written */
	size_t digits;	  /* of git's object names */
};

/*
 * Read git's file of marks; none is written yet if there is no file. 0,
 * -ESTALE if the session has not the entries that were written, -EINVAL if it
 * is no such file, or -errno.
 */
int marks_read(struct marks *m, const char *path, const struct session *s);

#endif
