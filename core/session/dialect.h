/*
 * A session format: a row of this table in core/dialects/registry.c, and the
 * functions of its folder (or file) there. The formats of the Pi family (pi,
 * harness, omp, the drafts) share core/dialects/pi/.
 *
 * The rest of core/ and all of fs/ know sessions only through this table.
 *
 * Functions with a `const struct session *` are called with the session's read
 * lock (core/session/session.h). Functions that ingest lines have its write
 * lock. A `struct json` argument has passed json_check() and is valid until the
 * function returns. Optional members may be NULL. Functions return 0 or -errno,
 * unless they say otherwise.
 *
 * core/dialects/kit/ has what several dialects need: lines into the index, new
 * lines, compacted contexts. block.h reads content blocks, message.h prints
 * messages.
 */
#ifndef SESSFS_DIALECT_H
#define SESSFS_DIALECT_H

#include "core/session/block.h"
#include "core/session/message.h"
#include "core/session/path.h"
#include "core/session/session.h"
#include "core/session/usage.h"

/* The place of a line in the file. */
struct line_place {
	uint64_t offset;
	uint64_t length;
	uint32_t number;
	uint32_t digest;
};

/* A line of `meta`: its key, and what appends its value for an entry. */
struct meta_row {
	const char *key;
	void (*add)(struct buf *out, struct json entry);
};

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

/*
 * What happens to the agent, at least in one version, where sessfs reads on.
 * For people; NULL: nothing happens.
 */
struct agent_faults {
	const char *null_line; /* a line is JSON's null */
	const char *timeless;  /* an entry has no timestamp */
	const char *last_line; /* the last line is a value that is no entry */
	const char *cycle;     /* parents form a cycle */
};

/*
 * For a header that is made in the place of a damaged one: values that could be
 * read of that, else what is known from elsewhere. JSON, or absent.
 */
enum header_fact {
	HEADER_ID, /* the new one */
	HEADER_VERSION,
	HEADER_TIME, /* else that of the first entry */
	HEADER_CWD,
	HEADER_FACTS
};

/* How the agent's sessions are rescued (core/session/salvage.h, joins.h). */
struct rescue_rules {
	/* What opens a file: this text, its path, and that. */
	const char *opens;
	const char *opens_with;

	/* Members of an entry: its id, its parent's, its time. */
	const char *id;
	const char *parent;
	const char *time;
	const char *session; /* optional: the session's id, in every line */
	bool needs_time;     /* the agent fails without it */
	/* The last entry is the leaf. Else pin() appends a line that sets it.
	 */
	bool leaf_is_last;
	void (*pin)(struct json_writer *w, const struct session *s,
		    uint32_t leaf);

	/*
	 * Could the object be a line? Asked of objects that are found in lines
	 * that are not JSON, where parts of lines are objects as well.
	 */
	bool (*is_line)(struct json object);
	/* Optional: is it a header, or a line that precedes the header? */
	bool (*is_header)(struct json object);
	bool (*is_start)(struct json object);
	/*
	 * With is_header: append a header, without an LF. has_ids: most lines
	 * have an id.
	 */
	void (*make_header)(struct buf *out,
			    const struct json facts[HEADER_FACTS],
			    bool has_ids);
	/*
	 * Optional: which of several conversations in the file is the entry's?
	 * An entry is joined to one of its own.
	 */
	uint32_t (*side)(const struct session *s, uint32_t entry);
};

/*
 * The files beside the session that the content of an entry has text of. The
 * version changes when they do, and is not 0. `seen` is the version that the
 * entry's content_size and content_lines are of: atomic access.
 */
struct outside {
	uint64_t version;
	uint64_t *seen;
};

/* How files are looked for beside a session. */
struct finding {
	struct name_cache *names; /* or NULL */
	/* The folders that were looked through are added to it. */
	struct versions *searched;
	struct gate *gate; /* or NULL */
};

/* The requests of a session file, compared with contexts. */
struct request_check {
	const char *file; /* as it is shown */
	struct buf *out;  /* gets "FILE:LINE: ..." for each that differs */
	size_t compared;
	size_t different; /* of these */
	size_t unknown;	  /* not compared: their beginning is not in the file */
};

/* A file beside the session, which is read with it. */
struct beside {
	/* Append its path, as seen from the session's; nothing: it has none. */
	void (*path)(const char *session, struct buf *out);
	/*
	 * Ingest its bytes in place of those before. Called when it has
	 * changed, and each time the session is read from the start. `there`:
	 * it exists.
	 */
	int (*ingest)(struct session *s, struct span bytes, bool there);
};

struct dialect {
	/* In `info`, and for -o dialect=NAME. */
	const char *name;

	struct agent_faults agent_faults;
	const struct rescue_rules *rescue; /* optional */

	/*
	 * Detection (detect.h). claims() returns why a file with this line is
	 * of the dialect, or NULL. It asks for what the agent writes into every
	 * such line, so that a line of another program is not claimed.
	 *
	 * confirms(), with which a claim is tentative, judges it by a later
	 * line: positive if that is the agent's as well, negative if it is not,
	 * 0 if the next line decides. At the end of the file `next` is absent:
	 * negative if the agent would have written more by then.
	 *
	 * A relative of another dialect begins with the same lines. It takes
	 * over a file of that dialect at the first line that it marks. marks()
	 * is called for headers, and for entries that the other does not fully
	 * know. It returns the reason, or NULL.
	 */
	const char *(*claims)(struct json line);
	int (*confirms)(struct json claimed, struct json next); /* optional */
	const struct dialect *relative_of; /* optional, with marks() */
	const char *(*marks)(struct json line);

	bool has_version; /* of headers */

	/*
	 * Optional: why the agent would not open the file. Without it the agent
	 * opens any file. Decided by what was noted while lines were ingested:
	 * it is called often.
	 */
	struct unopened (*unopened)(const struct session *s);

	/*
	 * Optional: the folder of the sessions that subagents wrote, in the
	 * session's own folder, which has the name of its file without
	 * ".jsonl". A session of them may also be beside this one.
	 *
	 * subagent() appends the name, without ".jsonl", of the n-th session
	 * that the calls of an entry started, from 0, or returns false. There
	 * are less than 2^14, and lines that are appended only add to them.
	 * subagent_caller() returns the entry that started the n-th one of the
	 * session, in the order of the lines that told so, or INDEX_NONE.
	 */
	const char *subagents;
	bool (*subagent)(const struct session *s, uint32_t entry, uint32_t n,
			 struct buf *out);
	uint32_t (*subagent_caller)(const struct session *s, uint32_t n);

	/* Optional, without add_entry(): why no line is appended, for people.
	 */
	const char *never_appended;

	/* Does every write create a file beside the session? */
	bool needs_folder;

	/*
	 * Are the ids of entries their places in the file? Then each line is
	 * durable before the next one is written: if a power cut loses the end
	 * of a line, and not the line after it, the two become one, and later
	 * ones would have other ids.
	 */
	bool ids_are_places;

	/*
	 * Optional: add the files of which the session continues a part, given
	 * its log without a lineage
	 * (core/file/lineage.h). Called each time the file is read from the
	 * start, when its dialect is known. Returns 0, or -errno after an error
	 * that says nothing of the files; where the lineage can't be followed
	 * further, lineage.fault says why. Called again, with a zeroed lineage,
	 * when one of lineage.searched has changed. `names` may be NULL.
	 */
	int (*find_lineage)(const struct log *log, struct lineage *l,
			    struct name_cache *names);

	/*
	 * Optional, all three: the sessions that go on from one another. A
	 * session's file has an id in its name (empty: none). base_id() appends
	 * that of the file from which the session of a log goes on: 1, 0 if
	 * there is none, or -errno. find_file() appends the path of the file
	 * with an id, as seen from another one: the same results.
	 */
	struct span (*file_id)(struct span path);
	int (*base_id)(const struct log *log, struct buf *out);
	int (*find_file)(const char *path, struct span id,
			 const struct finding *how, struct buf *out);

	/*
	 * Ingest a line: add it to the index, the labels and so on. Called for
	 * values that JavaScript takes for true, and with any_value for all
	 * values. ingest_invalid() is called for all other lines that are not
	 * blank. ingest() may return SESSION_TURNED, from session_turn().
	 */
	int (*ingest)(struct session *s, struct json line,
		      const struct line_place *at);
	bool any_value;
	/*
	 * Optional: the agent reads the value that a line begins with, or that
	 * goes over several lines (core/session/record.h). Is such a value to
	 * be ingested? Then ingest_invalid() is called after that.
	 */
	bool (*takes_record)(const struct session *s, struct json value);
	int (*ingest_invalid)(struct session *s,
			      const struct line_place *at); /* optional */

	/*
	 * Optional: the dialect's own part of the contents, now.state. Made
	 * before the first line is ingested (NULL: no memory), and freed with
	 * the contents. NULL while the session could not be read.
	 */
	void *(*new_state)(void);
	void (*free_state)(void *state);

	/*
	 * ENTRY_BIT()s of the types of bookkeeping entries: they describe other
	 * entries or the session, and have no content of their own.
	 */
	uint32_t bookkeeping;

	/*
	 * Optional: set now.leaf. Called after new lines were linked, and after
	 * the sidecar has changed. Without it the last entry is the leaf. Must
	 * cost time proportional to the new lines.
	 */
	int (*find_leaf)(struct session *s);

	/*
	 * Optional, each: the files beside the session. A struct change
	 * replaces BESIDE_OWN. BESIDE_NAMES has changed for a session only if
	 * its name has; if the file can't be read, the session keeps its name.
	 */
	struct beside beside[BESIDE_COUNT];

	/*
	 * With BESIDE_NAMES: the part of a session's path that is its id there,
	 * and the id and the name in a line, or false.
	 */
	struct span (*name_id)(struct span path);
	bool (*read_name)(struct json line, struct json *id, struct json *name);

	/*
	 * The value that is an entry's type (NULL: its member `type`), and the
	 * names of the members that place it in the tree, up to a NULL.
	 */
	struct json (*type)(struct json entry);
	const char *const *envelope;

	/*
	 * Append a short word for an entry: its role, else its type. In every
	 * dialect an entry that only has results of tools is a toolResult, and
	 * an agent's summary of what was said before is a compaction.
	 */
	void (*role_or_type)(struct buf *out, struct json entry);

	/*
	 * Optional: did a person type the entry? Without it, each entry with
	 * the role "user" counts.
	 */
	bool (*is_typed)(struct json entry);

	/*
	 * The content of an entry: its blocks or text as JSON, absent if it has
	 * none. text() appends a text that is made of several fields, or
	 * returns false. Blocks and their values are parts of the entry's line,
	 * not copies: pictures.h keeps their places.
	 */
	block_reader *read_block;
	struct json (*blocks)(struct json entry);
	bool (*text)(const struct session *s, struct buf *out,
		     struct json entry); /* optional */

	/*
	 * Optional: append the bytes of a picture whose data is not base64.
	 * False if it is.
	 */
	bool (*picture)(struct buf *out, struct json data);

	/*
	 * Optional: files beside the session that contents have text of.
	 * outside() returns false for an entry that has none. *o may be NULL;
	 * otherwise the files are looked at. outside_all() returns a version of
	 * all such files, 0 if there are none. outside_text() appends the file
	 * that a text of a result stands for: 1, 0 if the text stands for
	 * itself, or -errno.
	 */
	bool (*outside)(const struct session *s, uint32_t entry,
			struct outside *o);
	uint64_t (*outside_all)(const struct session *s);
	int (*outside_text)(const struct session *s, struct buf *out,
			    struct json text);

	/*
	 * Optional: if the entry as a whole is the result of a tool, a block of
	 * type BLOCK_RESULT, with the name of the tool if that is in it.
	 */
	struct block (*result)(struct json entry);

	/*
	 * Append a few words for an entry whose blocks have none, such as one
	 * without blocks. Nothing: those of its text() are good.
	 */
	void (*preview)(struct buf *out, struct json entry);

	/*
	 * Optional: append the number of tokens that the context had before a
	 * compaction.
	 */
	void (*tokens_before)(struct buf *out, struct json entry);

	const struct meta_row *meta;
	size_t n_meta;
	/* Optional: may the `meta` of an entry grow within the epoch? */
	bool (*meta_grows)(const struct session *s);

	/*
	 * Optional: what a line adds to the sums of the agent; *used is zeroed.
	 * Not called for lines without the bytes "usage".
	 */
	void (*usage)(struct json line, struct used *used);

	/*
	 * Add the messages that the agent would send to the model with the last
	 * entry of the path as the leaf. context_grows: lines that are not on
	 * the path may add to them later.
	 */
	int (*context)(const struct session *s, const struct path *p,
		       struct messages *to);
	bool context_grows;

	/* Optional: append model and thinking level at a leaf, if they are set.
	 */
	int (*settings)(const struct session *s, uint32_t leaf,
			struct buf *model, struct buf *thinking);

	/*
	 * Optional: append the name of the agent's rules that the session
	 * follows, of those that changed from version to version.
	 */
	void (*rules)(const struct session *s, struct buf *out);

	/*
	 * Optional: compare the requests that the file says were sent with the
	 * contexts of the entries that they were sent from.
	 */
	int (*check_requests)(const struct session *s, struct request_check *c);

	/* Append a session file with the path to an entry. */
	int (*branch)(const struct session *s, uint32_t entry, struct buf *out);

	/*
	 * The change that makes an entry the leaf (INDEX_NONE: before the
	 * first), and the one that labels an entry; an empty text clears its
	 * label. NULL: the dialect is read-only.
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

	/* Optional: the change that names the session; "" removes its name. */
	int (*set_name)(const struct session *s, struct span name,
			struct change *c);

	/*
	 * Optional: has a running agent the session at this path open, so that
	 * something would be lost by a write to its file? 1: *refusal has the
	 * reason, and only the sidecar can be written. 0: none is found. -errno
	 * if there is no descriptor or memory to look for one. Called before
	 * each write, without the session's lock; the header is a copy.
	 */
	int (*in_use)(struct gate *gate, const char *path, struct json header,
		      struct refusal *refusal);

	/*
	 * Optional, for `info`: the process of the agent that has the session
	 * at this path open; 0 if none is found.
	 */
	pid_t (*process)(struct gate *gate, const char *path);

	/*
	 * Optional: the agent's lock on the session at this path, held during a
	 * write. -EBUSY if another process keeps it.
	 */
	int (*lock)(const char *path, void **held);
	void (*unlock)(void *held);

	/*
	 * Optional: must the file be rewritten before lines can be appended?
	 * Then migrate() appends its new bytes to *out, and the old file is
	 * kept beside it, with the suffix. -EOPNOTSUPP if it has a line that
	 * the agent does not write.
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
	/*
	 * Optional: why a file with this line is refused, for people: it has
	 * what another program writes. NULL: it does not.
	 */
	const char *(*foreign)(struct json line);
};

#endif
