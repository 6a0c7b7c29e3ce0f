/* What the file `info` tells of a session, besides what all dialects have. */
#ifndef SESSFS_DIALECT_TELLING_H
#define SESSFS_DIALECT_TELLING_H

#include "core/base/buf.h"

struct session;

struct dialect_telling {
	bool has_version; /* headers have one: now.version */

	/* Append model and thinking level at a leaf, if they are set. */
	int (*settings)(const struct session *s, uint32_t leaf,
			struct buf *model, struct buf *thinking);

	/*
	 * Optional: which moves of HEAD the agent does not see, because they
	 * are kept beside the session; NULL if it sees all.
	 */
	const char *(*unseen_moves)(const struct session *s);
};

#endif
