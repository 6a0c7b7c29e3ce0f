/*
 * A small file beside the session that keeps what the session file can't: the
 * head, or labels. It is looked at whenever the session is, and replaced as a
 * whole by rename, so that nobody sees half of it.
 *
 * Errors are negative errno values. The session's lock in memory protects the
 * struct; who replaces the file holds the lock on the session file (log.h).
 */
#ifndef SESSFS_SIDECAR_H
#define SESSFS_SIDECAR_H

#include <sys/stat.h>

#include "core/base/buf.h"

/* A sidecar is a line or two, and labels: more than this is not one. */
#define SIDECAR_LIMIT ((off_t)16 << 20)

struct sidecar {
	char *path;  /* NULL: the session has none */
	bool exists; /* as of the last reading: something has that name */
	struct stat st;
};

/* That of a session: its path with `suffix` in place of ".jsonl". */
int sidecar_init(struct sidecar *c, const char *session, const char *suffix);
void sidecar_free(struct sidecar *c);

/* Has it changed since it was read? One stat. */
bool sidecar_is_stale(const struct sidecar *c);

/*
 * Read it; c->exists says whether there is one. Nothing is read of one that
 * can't be: no regular file (links are not followed), larger than the limit,
 * without permission. -ENOMEM; -EMFILE or -ENFILE without a descriptor.
 */
int sidecar_read(struct sidecar *c, struct buf *bytes);

/*
 * Put a new one at its path, atomically and durably, with that mode and, where
 * that can be, owner (those of the session).
 */
int sidecar_replace(const char *path, struct span bytes,
		    const struct stat *like);

#endif
