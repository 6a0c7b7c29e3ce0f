/*
 * A session format: one folder (or file) in core/dialects/, and one row in
 * core/dialects/registry.c. The formats of the Pi family (pi, harness, omp, the
 * drafts) share core/dialects/pi/.
 *
 * The rest of core/ and all of fs/ know sessions only through this table.
 * Functions get the session entered (core/session/session.h), but for those
 * that take lines, which have it to themselves. A `struct json` that is passed
 * in has passed json_check() and lives as long as the call. A member that is
 * said to be optional may be NULL.
 *
 * What several dialects do alike is in core/dialects/kit/ (lines into the
 * index, new lines, compacted contexts) and here: block.h (content blocks),
 * message.h (printing).
 */
#ifndef SESSFS_DIALECT_H
#define SESSFS_DIALECT_H

#include "core/session/block.h"
#include "core/session/message.h"
#include "core/session/path.h"
#include "core/session/session.h"

/* Where a line is in the file. */
struct line_place {
	uint64_t offset;
	uint64_t length;
	uint32_t number;
	uint32_t digest;
};

/* A line of `meta`: its key, and its value from the entry's JSON. */
struct meta_row {
	const char *key;
	void (*add)(struct buf *out, struct json entry);
};

/*
 * What a change to the session writes, in this order; what is empty is not
 * written.
 */
struct change {
	struct buf lines; /* to append, each with its LF */
	/*
	 * What takes the place of `over`, the file's first bytes: over them if
	 * it is as long, else in a new file.
	 */
	struct buf start;
	struct buf over;
	struct buf sidecar; /* all that it holds from then on */
};

struct dialect {
	/* As `info` and -o dialect= have it. */
	const char *name;

	/*
	 * Detection (FORMATS.md, section 1). claims(): why a file in which this
	 * line comes before any that another row claims is of this dialect, or
	 * NULL. The first row counts.
	 *
	 * Formats that begin alike: one whose `relative_of` is the dialect that
	 * a file was taken for takes it over at the first line that it marks.
	 * marks() is asked of headers, and of entries that the other does not
	 * know all about; it says why, or NULL.
	 */
	const char *(*claims)(struct json line);
	const struct dialect *relative_of; /* optional, and */
	const char *(*marks)(struct json line);

	/*
	 * Would its owner not open a file without a header that comes first?
	 * Do headers carry a version, and is there only one that it opens
	 * (0: no)?
	 */
	bool needs_header;
	bool has_version;
	double only_version;

	/* Does every write make a file beside the session? */
	bool needs_folder;

	/*
	 * Take a line that parsed (and is not null, false, 0 or "", unless it
	 * takes any_value) into the session: index, labels, the rest.
	 * ingest_invalid() is told of all other lines that are not blank.
	 * ingest() may return SESSION_TURNED, from session_turn().
	 */
	int (*ingest)(struct session *s, struct json line,
		      const struct line_place *at);
	bool any_value;
	int (*ingest_invalid)(struct session *s,
			      const struct line_place *at); /* opt. */

	/*
	 * Optional: the dialect's own part of the contents, now.state. Made
	 * before the first line is ingested (NULL: no memory), and freed with
	 * the contents. Contents that could not be read have none.
	 */
	void *(*new_state)(void);
	void (*free_state)(void *state);

	/*
	 * The types of entries that only keep books, as ENTRY_BIT()s: what says
	 * something about other entries or the session, and nothing itself.
	 */
	uint32_t bookkeeping;

	/*
	 * Optional: after lines were taken and linked, and after the sidecar
	 * has changed, set now.leaf. Without it the leaf is the last entry
	 * taken. Costs what has come, not what is there.
	 */
	int (*find_leaf)(struct session *s);

	/*
	 * Optional: a file beside the session, whose name has this in place of
	 * ".jsonl". ingest_sidecar() gets its bytes when they have changed
	 * (`there` is false if there is no such file), and after every reading
	 * from the start.
	 */
	const char *sidecar;
	int (*ingest_sidecar)(struct session *s, struct span bytes, bool there);

	/*
	 * The value that says an entry's type (NULL: its member `type`), and
	 * all members that are the tree's.
	 */
	struct json (*type)(struct json entry);
	const char *const *envelope;

	/* A short word for what an entry is: its role, else its type. */
	void (*role_or_type)(struct buf *out, struct json entry);

	/*
	 * What an entry says: its content blocks or text as JSON, absent if it
	 * has none; or, by text(), made of several fields (false: it isn't).
	 * Blocks and what is in them are parts of the entry, not copies: the
	 * place of a picture's data is that in its line (pictures.h).
	 */
	block_reader *read_block;
	struct json (*blocks)(struct json entry);
	bool (*text)(const struct session *s, struct buf *out,
		     struct json entry); /* optional */

	/*
	 * Optional: a picture's bytes, where its data is not base64. False: it
	 * is, after all.
	 */
	bool (*picture)(struct buf *out, struct json data);

	/* A few words for an entry that has neither. */
	void (*preview)(struct buf *out, struct json entry);

	const struct meta_row *meta;
	size_t n_meta;
	/* Optional: may an entry's `meta` grow within the epoch? */
	bool (*meta_grows)(const struct session *s);

	/*
	 * The messages that the model would be sent with the last entry of the
	 * path as the leaf. context_grows: later lines elsewhere may add to the
	 * context of an entry.
	 */
	int (*context)(const struct session *s, const struct path *p,
		       struct messages *to);
	bool context_grows;

	/* Optional: model and thinking level at the leaf; nothing if unset. */
	int (*settings)(const struct session *s, uint32_t leaf,
			struct buf *model, struct buf *thinking);

	/* The path root→entry as a session file of its own. */
	int (*branch)(const struct session *s, uint32_t entry, struct buf *out);

	/*
	 * What makes an entry the leaf (INDEX_NONE: before the first), or
	 * labels one (with an empty text: clears its label). NULL: the dialect
	 * is read-only. -errno refuses.
	 */
	int (*move_head)(const struct session *s, uint32_t target,
			 struct change *c);
	int (*set_label)(const struct session *s, uint32_t entry,
			 struct span text, struct change *c);

	/*
	 * What appends an entry that says what a line does (an object), as the
	 * new leaf. NULL: the session file is never written to. -EINVAL, with
	 * words for people in *why, for what its owner could not load.
	 */
	int (*add_entry)(const struct session *s, struct json line,
			 struct change *c, const char **why);

	/* Optional: names the session; "" takes its name away. */
	int (*set_name)(const struct session *s, struct span name,
			struct change *c);

	/*
	 * Optional: does a running owner have the session at this path open, so
	 * that a write would cost it something? Then *why says so. The header
	 * is a copy of the session's, which is not entered. Asked before each
	 * write, and never to read.
	 */
	bool (*in_use)(const char *path, struct json header,
		       struct refusal *why);

	/*
	 * Optional: the owner's lock on the session at this path, held while
	 * something is written. -EBUSY if it can't be had soon.
	 */
	int (*lock)(const char *path, void **held);
	void (*unlock)(void *held);

	/*
	 * Optional: does the file have to be rewritten before it can be
	 * appended to? Then migrate() gives its new bytes, and the old file is
	 * kept beside it.
	 */
	bool (*needs_migration)(const struct session *s);
	int (*migrate)(const struct session *s, struct buf *out);
	const char *backup_suffix;
};

/* The dialects that a session may be of (core/dialects/registry.h). */
struct dialect_registry {
	const struct dialect *const *rows; /* in the order of detection */
	size_t n;
	/* A file is read as this until one of its lines decides. */
	const struct dialect *fallback;
};

#endif
