/*
 * A small file beside the session, for the head or labels where the session
 * file can't hold them. It is replaced as a whole by rename, so no reader sees
 * half of it.
 *
 * The session's lock in memory protects the struct. sidecar_replace() needs the
 * lock on the session file (core/file/log_write.h).
 */
#ifndef SESSFS_SIDECAR_H
#define SESSFS_SIDECAR_H

#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/file/version.h"

struct gate;

/* A sidecar is a line or two, and labels. A larger file is not read. */
#define SIDECAR_LIMIT ((off_t)16 << 20)

struct sidecar {
	struct gate *gate;  /* the session's */
	char *path;	    /* NULL: the session has none */
	struct version was; /* at the last sidecar_read() */
};

/* Append the session's path, with `suffix` in place of ".jsonl". */
void sidecar_add_path(struct buf *out, const char *session, const char *suffix);

/* Takes over the path, even on failure; empty: none. 0 or -ENOMEM. */
int sidecar_init(struct sidecar *c, struct gate *g, struct buf *path);
void sidecar_free(struct sidecar *c);

/* Has it changed since it was read? */
bool sidecar_is_stale(const struct sidecar *c);

/*
 * Append its bytes, and set c->was. It counts as empty if it is no regular
 * file (symlinks are not followed), is larger than the limit, or may not be
 * read. -errno if reading fails, and it is stale then: labels that can't be
 * read would be lost by the next one that is written.
 */
int sidecar_read(struct sidecar *c, struct buf *bytes);

/*
 * Replace the sidecar at a path, atomically and durably. It gets the mode and,
 * if permitted, the owner of `like`, the session file.
 */
int sidecar_replace(struct gate *g, const char *path, struct span bytes,
		    const struct stat *like);

#endif
