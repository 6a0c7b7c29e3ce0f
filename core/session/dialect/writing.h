/*
 * How a dialect's sessions are changed: a function returns the bytes of the
 * change, and core/session/writer.h writes them.
 */
#ifndef SESSFS_DIALECT_WRITING_H
#define SESSFS_DIALECT_WRITING_H

#include "core/session/session.h"

/* The bytes that a change writes, in this order. Nothing is written if empty.
 */
struct change {
	struct buf lines; /* to append, each with its LF */
	/*
	 * `start` replaces `old_start`, the first bytes of the file: in place
	 * if both are of the same length, else by a new file.
	 */
	struct buf start;
	struct buf old_start;
	struct buf sidecar; /* the new sidecar as a whole */
	/* Why it can't be made, for people, if the function fails. */
	struct refusal refused;
};

/* A file that must be rewritten before lines can be appended. */
struct dialect_migration {
	bool (*is_needed)(const struct session *s);
	/*
	 * Append the file's new bytes. -EOPNOTSUPP if it has a line that the
	 * agent does not write.
	 */
	int (*migrate)(const struct session *s, struct buf *out);
};

struct dialect_writing {
	/* Does every write create a file beside the session? */
	bool needs_folder;

	/*
	 * Are the ids of entries their places in the file? Then each line is
	 * durable before the next one is written: if a power cut loses the end
	 * of a line, and not the line after it, the two become one, and later
	 * ones would have other ids.
	 */
	bool ids_are_places;

	const struct dialect_migration *migration; /* optional */

	/*
	 * The change that makes an entry the leaf (INDEX_NONE: before the
	 * first), and the one that labels an entry; an empty text clears its
	 * label.
	 */
	int (*move_head)(const struct session *s, uint32_t target,
			 struct change *c);
	int (*set_label)(const struct session *s, uint32_t entry,
			 struct span text, struct change *c);

	/* Optional: is every move of the session's head refused? */
	bool (*head_is_fixed)(const struct session *s);

	/*
	 * The change that appends an entry made from an object, as the new
	 * leaf. NULL: sessfs never writes to the session file. -EINVAL, with
	 * the reason for people in *reason, if the agent could not load the
	 * entry.
	 */
	int (*add_entry)(const struct session *s, struct json line,
			 struct change *c, const char **reason);
	/* Without add_entry(): why no line is appended, for people. */
	const char *never_appended;

	/* Optional: the change that names the session; "" removes its name. */
	int (*set_name)(const struct session *s, struct span name,
			struct change *c);
};

#endif
