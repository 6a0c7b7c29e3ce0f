/*
 * The sessions of subagents, which an agent writes beside the session that
 * started them.
 */
#ifndef SESSFS_DIALECT_SUBAGENTS_H
#define SESSFS_DIALECT_SUBAGENTS_H

#include "core/base/buf.h"

struct session;

struct dialect_subagents {
	/*
	 * Their folder in the session's own folder, which has the name of its
	 * file without ".jsonl". A session of them may also be beside this one.
	 */
	const char *folder;
	/* Optional: append the path of that folder if it is elsewhere. */
	void (*add_folder)(const char *session, struct buf *out);

	/*
	 * Append the name, without ".jsonl", of the n-th session that the calls
	 * of an entry started, from 0, or return false. There are less than
	 * 2^14, and lines that are appended only add to them.
	 */
	bool (*add_name)(const struct session *s, uint32_t entry, uint32_t n,
			 struct buf *out);

	/*
	 * The entry that started the n-th one of the session, in the order of
	 * the lines that told so, or INDEX_NONE.
	 */
	uint32_t (*caller)(const struct session *s, uint32_t n);
};

#endif
