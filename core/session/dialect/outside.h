/*
 * Files beside the session that the contents of entries have text of, such as
 * outputs of tools that were too long for a line.
 */
#ifndef SESSFS_DIALECT_OUTSIDE_H
#define SESSFS_DIALECT_OUTSIDE_H

#include "core/json/json.h"

struct session;

/*
 * The files that one entry has text of. The version changes when they do, and
 * is not 0. `seen` is the version that the entry's content_size and
 * content_lines are of: atomic access.
 */
struct outside {
	uint64_t version;
	uint64_t *seen;
};

struct dialect_outside {
	/*
	 * False for an entry that has text of no file. *o may be NULL;
	 * otherwise the files are looked at.
	 */
	bool (*of_entry)(const struct session *s, uint32_t entry,
			 struct outside *o);

	/* A version of all such files, 0 if there are none. */
	uint64_t (*of_all)(const struct session *s);

	/*
	 * Append the file that a text of a result stands for: 1, 0 if the text
	 * stands for itself, or -errno.
	 */
	int (*add_text)(const struct session *s, struct buf *out,
			struct json text);
};

#endif
