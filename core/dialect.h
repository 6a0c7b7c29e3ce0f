/*
 * A session format: one file in core/ and one row in dialects[].
 *
 * The rest of core/ and all of fs/ know sessions only through this table.
 * Functions get the session entered (core/session.h). A `struct json` that is
 * passed in has passed json_check() and lives as long as the call.
 */
#ifndef SESSFS_DIALECT_H
#define SESSFS_DIALECT_H

#include "core/message.h"
#include "core/session.h"

/* Where a line is in the file. */
struct line_place {
	uint64_t offset;
	uint64_t length;
	uint32_t number;
};

/* A line of `meta`: its key, and its value from the entry's JSON. */
struct meta_row {
	const char *key;
	void (*add)(struct buf *out, struct json entry);
};

struct dialect {
	const char *name;

	/* Is a file of this dialect, whose first line that counts is this? */
	bool (*claims)(struct json first);

	/* Take a line that parsed into the session: index, labels, the rest. */
	int (*take)(struct session *s, struct json line,
		    const struct line_place *at);

	/* Fields of an entry that are the tree's, not the entry's own. */
	const char *const *envelope;

	/* A short word for what an entry is: its role, else its type. */
	void (*kind)(struct buf *out, struct json entry);

	/*
	 * What an entry says: its content blocks or text as JSON, absent if it
	 * has none; or, by text(), made of several fields (false: it isn't).
	 */
	struct json (*blocks)(struct json entry);
	bool (*text)(const struct session *s, struct buf *out,
		     struct json entry);

	/* A few words for an entry that has neither. */
	void (*preview)(struct buf *out, struct json entry);

	const struct meta_row *meta;
	size_t n_meta;

	/* The first entry that a compaction keeps, INDEX_NONE for nothing. */
	uint32_t (*first_kept)(const struct session *s, uint32_t entry,
			       struct json compaction);

	/*
	 * The messages that an entry puts into the context. `edit` is the
	 * latest context edit of this entry, or absent. `kept`: the entry
	 * stands before the compaction that keeps it.
	 */
	int (*messages)(const struct session *s, struct json entry,
			struct json edit, bool kept, struct messages *to);

	/* The id of the entry that a context edit changes (WTF-8). */
	void (*edit_target)(struct buf *out, struct json edit);

	/* The model that an entry sets, as PROVIDER/MODEL; else nothing. */
	void (*model)(struct buf *out, struct json entry);

	/* The path root→entry as a session file of its own. */
	int (*branch)(const struct session *s, uint32_t entry, struct buf *out);

	/* The line (with LF) that makes an entry the leaf, or labels one. */
	int (*head_line)(const struct session *s, uint32_t target,
			 struct buf *out);
	int (*label_line)(const struct session *s, uint32_t entry,
			  struct span text, struct buf *out);

	/*
	 * Does the file have to be rewritten before it can be appended to? Then
	 * migrate() gives its new bytes, and the old file is kept beside it.
	 */
	bool (*needs_migration)(const struct session *s);
	int (*migrate)(const struct session *s, struct buf *out);
	const char *backup_suffix;
};

extern const struct dialect dialect_pi;

/* The dialect of a file by its first line that counts, or NULL. */
const struct dialect *dialect_of(struct json first);

#endif
