/*
 * A session: its file, the index of its entries, and what its lines add up to
 * (the leaf, labels, the name). The rest of sessfs works on this object.
 *
 * Freshness. session_enter() looks at the file and ingests new lines, so what a
 * caller reads between enter and leave is current. After an append this costs
 * time proportional to the bytes appended. A file that was truncated, rewritten
 * or replaced is read again from the start, and starts a new `epoch`. So do a
 * line that changes older entries, a header that comes after entries, and a new
 * mode or owner of the file. Entry numbers are valid within one epoch.
 *
 * Locking. session_enter() takes the session's read lock. All functions that
 * take a `const struct session *` need it. Only session_enter(),
 * session_enter_again() and session_reenter_refused() change the session, and
 * they hold its write lock meanwhile. Borrowed pointers are valid until
 * session_leave().
 *
 * Changes to the file: core/session/writer.h.
 */
#ifndef SESSFS_SESSION_H
#define SESSFS_SESSION_H

#include <time.h>

#include "core/file/log.h"
#include "core/file/sidecar.h"
#include "core/json/json.h"
#include "core/session/epoch.h"
#include "core/session/fingerprint.h"
#include "core/session/heads.h"
#include "core/session/index.h"
#include "core/session/labels.h"
#include "core/session/problems.h"
#include "core/session/record.h"
#include "core/session/started.h"

struct ahead_batch;
struct dialect;
struct dialect_registry;
struct line_place;
struct folder_index;
struct session_private;

/* Why a write was refused. Zeroed: none was. */
struct refusal {
	const char *reason; /* a static text, or NULL */
	pid_t pid;	    /* of the process that has the session open, or 0 */
};

/*
 * Why its agent would not open the file of a session. `why` is a static text,
 * a noun that people find in the file, such as "no header".
 */
struct unopened {
	const char *why; /* NULL: the agent would open it */
	/* What it does instead; NULL: it does not open it. */
	const char *happens;
	uint32_t line;	  /* that this is about; 0: the file as a whole */
	struct span base; /* or a file that it goes on from; empty: itself */
};

/* What core/session/contents.c has found: from which entry, and which. */
struct shown_head {
	bool known;
	uint32_t from;
	uint32_t found; /* INDEX_NONE: all are notes */
	uint32_t redefined_ids;
	uint32_t relinks;
};

/* The place of a note: a line that is no entry, and tells of files. */
struct note_place {
	uint64_t offset;
	uint32_t length;
	uint32_t entry; /* the number of entries before it */
};

/* Files beside a session's with something of it (dialect_reading.beside). */
enum beside_file {
	BESIDE_OWN,   /* its own: HEAD, or labels */
	BESIDE_NAMES, /* of many sessions: their names (names.h) */
	BESIDE_COUNT,
};

struct session {
	struct log log;
	struct sidecar beside[BESIDE_COUNT];
	bool force; /* write even while its agent has it open */
	enum session_access {
		SESSION_MAY_WRITE,
		SESSION_NO_FOLDER, /* a write would need a file beside it */
		SESSION_READ_ONLY, /* -o ro, or the file can't be written */
	} access;

	/* Its format, why, and the line that decided (0: none did). */
	const struct dialect *dialect;
	const char *reason;
	uint32_t reason_line;

	/* All that was ingested; replaced when the file is read again. */
	struct contents {
		struct index index;
		struct labels labels;
		struct heads heads;
		struct problems problems;
		/*
		 * The header's line. A dialect without headers puts together an
		 * object with the same members: id, cwd, timestamp,
		 * parentSession. Empty if there is neither.
		 */
		struct buf header;
		bool header_first; /* it precedes every other value */
		/* Each entry goes on from the last: `meta` may grow. */
		bool linear;
		bool bom;	    /* a mark precedes the first line */
		uint32_t null_line; /* the first that is null; 0: none */
		/* The last value, if it is true to JavaScript, but no entry. */
		uint32_t stray_line;
		double version;	 /* the header's; 1 without one */
		struct buf name; /* trimmed; empty if there is none */
		uint32_t leaf;	 /* an entry, or INDEX_NONE */
		uint32_t head;	 /* session_head() */
		struct shown_head shown_head;
		uint32_t redefined_ids; /* lines with the id of another one */
		uint32_t lines;		/* ingested */
		uint64_t indexed;	/* bytes ingested */
		const char *sidecar_fault; /* what is wrong with it, or NULL */
		void *state;		   /* the dialect's own; or NULL */
		void (*clear_state)(void *state);
		struct {
			struct note_place *list; /* in file order */
			uint32_t n;
			size_t cap;
		} notes;
		struct started started;
		/* As it was read (core/dialects/kit/own_file.h). */
		struct own_file {
			bool damaged;	  /* it exists and is not valid */
			struct buf bytes; /* the values below borrow them */
			struct json object;
			struct json head; /* null: before the first entry;
					     absent: not moved */
			struct json leaf; /* the session's when HEAD was moved
					   */
			struct json labels;
		} own;
		struct fingerprint fingerprint; /* of the bytes ingested */
		/* For lines that are not JSON (dialect_reading.takes_record).
		 */
		struct record_reader records;
		/* The lines up to some offset, for session_peek(); or NULL. */
		struct ahead_batch *kept;
	} now;

	uint32_t epoch;		/* changes when entry numbers become invalid */
	uint32_t epoch_entries; /* how many there were when it began */
	uint64_t version;	/* changes with every change */
	struct timespec stamp;	/* time of the last change; never repeats */
	struct timespec since;	/* the stamp when the epoch began */

	struct refusal refused; /* the last refused write */

	struct session_private *private;
};

/*
 * What is kept of a session that is freed to save memory, so that it can be
 * opened again in the same epoch. Zeroed: of no session.
 */
struct session_memory {
	struct session_reading read;
	uint64_t version;
	struct timespec stamp;
	struct refusal refused;
	bool unsynced;
};

void session_remember(const struct session *s, struct session_memory *m);

/*
 * How to open a session. Zeroed but for `dialects`: of the dialect that its
 * lines decide on, and to be written to.
 */
struct session_opening {
	/* Those that it may be of; they outlive the session. */
	const struct dialect_registry *dialects;
	const struct dialect *forced; /* of this one, whatever its lines are */
	bool read_only;
	bool force; /* write to it even if its agent has it open */
	/*
	 * For one visit, which begins when it was opened: the first
	 * session_enter() does not look at the file again. Nobody asks who may
	 * read it (log_mode()), or compares lines that are kept with those that
	 * the file has later.
	 */
	bool once;
	/*
	 * Optional: called with each line when it was ingested, in file order,
	 * while the session is opened; now.indexed is its end. Absent if the
	 * line is not JSON. All lines are told again if the file has to be read
	 * a second time.
	 */
	int (*ingested)(const struct session *s, struct json line);
	/*
	 * Keep the lines of a small file (1 MiB) in memory, for an opener that
	 * reads all of them once, by session_peek().
	 */
	bool keeps_lines;
	/*
	 * Optional: what the opener has read of the file, from its first byte
	 * on, and the version that it had then. It outlives the session, and is
	 * of no use if the file has changed.
	 */
	struct span bytes;
	struct version version;
	/*
	 * Optional, for an opener of many sessions that go on from one another:
	 * where they look for files. It outlives them.
	 */
	struct folder_index *names;
	struct gate *gate; /* optional: for all their files; outlives them */
	/*
	 * Optional: of the session when it was open before. The epoch goes on
	 * if the file has at most grown since then.
	 */
	const struct session_memory *memory;
	/*
	 * Optional: called now and then while it is opened, by one thread at a
	 * time, with the number of bytes read so far. Starts from 0 again if
	 * the file has to be read a second time.
	 */
	void (*progress)(void *data, uint64_t done, uint64_t total);
	void *progress_data;
};

/*
 * Open and read a session. On failure *reason is a static text for people, or
 * NULL where the errno is enough.
 */
int session_open(struct session **out, const char *path,
		 const struct session_opening *how, const char **reason);
/* How it was opened. */
const struct session_opening *session_opened(const struct session *s);
void session_free(struct session *s);

/*
 * Refresh the session and take the read lock; pair with session_leave(). On
 * error the session is not entered.
 */
int session_enter(struct session *s);

/*
 * Take the read lock if the session is fresh. Returns false, without the lock,
 * otherwise.
 */
bool session_enter_if_fresh(struct session *s);
void session_leave(struct session *s);

/*
 * Has the file at most grown since the session was entered? A caller that reads
 * several lines checks this at the end: if it is true, they are of one file.
 */
bool session_is_whole(const struct session *s);

static inline const struct entry *session_entry(const struct session *s,
						uint32_t entry)
{
	return &s->now.index.entries[entry];
}

/*
 * The entry that the agent goes on from: the leaf, or the nearest ancestor of
 * it that is no bookkeeping (core/session/index.h). INDEX_NONE before the first
 * entry.
 */
static inline uint32_t session_at_leaf(const struct session *s)
{
	return s->now.leaf == INDEX_NONE
		       ? INDEX_NONE
		       : session_entry(s, s->now.leaf)->stands_for;
}

/*
 * The entry that HEAD points to, for people: the nearest one at or above
 * session_at_leaf() that is no note (core/session/contents.c).
 */
static inline uint32_t session_head(const struct session *s)
{
	return s->now.head;
}

/* An entry's label, empty if it has none. */
struct span session_label(const struct session *s, uint32_t entry);

/*
 * Read an entry's line: its bytes in *line, and their value in *json, which is
 * valid until *line changes. -ESTALE if the file has other bytes there by now;
 * then the next refresh compares all of them.
 */
int session_read(const struct session *s, uint32_t entry, struct buf *line,
		 struct json *json);

/*
 * The same, without reading a line that the session keeps. *text, which may be
 * NULL, and *json are valid until *line or the session changes. A line that is
 * kept is the one that was indexed, whatever the file has by now.
 */
int session_peek(const struct session *s, uint32_t entry, struct buf *line,
		 struct span *text, struct json *json);

/* The same of the bytes alone, which are not scanned. */
int session_peek_text(const struct session *s, uint32_t entry, struct buf *line,
		      struct span *text);

/* The bytes of the log that the session keeps, from the first on; or none. */
struct span session_kept(const struct session *s);

/* As session_read(), for the line at an offset. Compares no digest. */
int session_read_line(const struct session *s, uint64_t offset, uint32_t length,
		      struct buf *line, struct json *json);

/* Append the header's id; nothing without one. */
void session_id(const struct session *s, struct buf *out);

/* A member of the header; absent without one. */
struct json session_header(const struct session *s, const char *name);

/* The formats that it was opened with, one of which it is of. */
const struct dialect_registry *session_dialects(const struct session *s);

/* Why a line marks a relative of the session's dialect, or NULL. */
const char *session_turns(const struct session *s, struct json line);

/*
 * Called by a dialect that ingests a line which only a relative may write. If
 * the line marks one, the session becomes of that dialect, and this returns
 * SESSION_TURNED. The dialect returns it as well, which stops the reading: the
 * session is read from the start as the relative. Else 0.
 */
#define SESSION_TURNED 1
int session_turn(struct session *s, struct json line,
		 const struct line_place *at);

/* Would its agent open the file? The one answer for all that ask. */
struct unopened session_unopened(const struct session *s);

/*
 * Has a subagent of another session written it? Then its agent does not go on
 * from it by itself.
 */
bool session_is_subagent(const struct session *s);

/* Can the session be written to? 0, or -EROFS. */
int session_writable(const struct session *s);

/*
 * Keep why a write is refused, for `info`. The caller has entered the session.
 * This leaves it, refreshes it, and enters it again, even on error.
 */
int session_reenter_refused(struct session *s, struct refusal refused);

/* Refresh and take the read lock again. Returns locked even on error. */
int session_enter_again(struct session *s);

#endif
