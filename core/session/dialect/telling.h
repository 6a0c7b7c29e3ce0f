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
	 * Optional: append the name of the agent's rules that the session
	 * follows, of those that changed from version to version. Needs
	 * now.state.
	 */
	void (*rules)(const struct session *s, struct buf *out);
};

#endif
