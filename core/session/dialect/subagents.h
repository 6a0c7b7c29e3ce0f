/*
 * The sessions of subagents, which an agent writes beside the session that
 * started them. Which entries started which: now.started.
 */
#ifndef SESSFS_DIALECT_SUBAGENTS_H
#define SESSFS_DIALECT_SUBAGENTS_H

#include "core/base/buf.h"

struct dialect_subagents {
	/*
	 * Their folder in the session's own folder, which has the name of its
	 * file without ".jsonl". A session of them may also be beside this one.
	 */
	const char *folder;
	/* Optional: append the path of that folder if it is elsewhere. */
	void (*add_folder)(const char *session, struct buf *out);
};

#endif
