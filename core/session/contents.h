/*
 * The contents of a session (session.now) and how lines get into them.
 *
 * All functions need the session's write lock. After an error the contents hold
 * a part of the lines: the caller clears them.
 */
#ifndef SESSFS_CONTENTS_H
#define SESSFS_CONTENTS_H

#include "core/session/session.h"

void contents_init(struct contents *c);
void contents_free(struct contents *c);

/*
 * Ingest the lines after those that were read, up to the size of the log at its
 * last refresh, and link their entries. A last line without a newline is
 * ingested if it is a whole object. 0, SESSION_TURNED or -errno.
 */
int contents_grow(struct session *s);

/*
 * Read a file beside the session, and let the dialect ingest it in place of its
 * former bytes. 0 or -errno. BESIDE_NAMES is ignored if it can't be read.
 */
int contents_read_beside(struct session *s, enum beside_file i);

/* All of them and the log, for contents that are empty. 0, SESSION_TURNED or
 * -errno. */
int contents_read(struct session *s);

#endif
