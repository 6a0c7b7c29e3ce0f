/*
 * A session: its file, its index, and what the lines say together (the leaf,
 * labels, the name). This is the one object that the rest works on.
 *
 * Freshness. session_enter() looks at the file first and reads what is new, so
 * whatever is asked between enter and leave is of now. A file that was appended
 * to costs what was appended. One that was truncated, rewritten or replaced is
 * read again from the start, and gets a new `epoch`: numbers of entries mean
 * something within one epoch only. So does one whose older entries have come to
 * say something else, or whose mode or owner has changed.
 *
 * Locking. session_enter() takes the session's lock for reading; everything
 * that takes a `const struct session *` needs it held. Only session_enter() and
 * session_enter_again() change it, for a moment, under the write lock. Borrowed
 * pointers and entry numbers are good until session_leave().
 *
 * Writing: core/session/writer.h.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_SESSION_H
#define SESSFS_SESSION_H

#include <time.h>

#include "core/base/brlock.h"
#include "core/file/log.h"
#include "core/file/sidecar.h"
#include "core/json/json.h"
#include "core/session/heads.h"
#include "core/session/index.h"
#include "core/session/labels.h"
#include "core/session/problems.h"

struct dialect;
struct dialect_registry;
struct line_place;
struct pictures;

/* Positions among the parsed lines that are no entries: dialects/pi/ingest.h.
 */
struct skipped {
	uint32_t *list;
	uint32_t n;
	size_t cap;
};

/* Why a write was refused, for people. Zeroed: none was. */
struct refusal {
	const char *reason; /* a static text, or NULL */
	pid_t pid;	    /* the process that it is about, or 0 */
};

struct session {
	struct log log;
	struct sidecar sidecar;
	bool asked_read_only;
	bool force;	/* asked for: write even if its agent has it open */
	bool read_only; /* asked for, or the file can't be written */

	/* What the file is, why, and by which line of it (0: by none). */
	const struct dialect *dialect;
	const char *reason;
	uint32_t reason_line;
	bool forced;	/* asked for: nothing in the file changes it */
	bool no_folder; /* it needs to make files beside it, and can't */
	bool undecided; /* lines that are still to come may say what it is */
	bool unclaimed; /* there are lines, and no dialect claims them */

	/* What the file says; replaced as a whole when it is read again. */
	struct contents {
		struct index index;
		struct labels labels;
		struct heads heads;
		struct problems problems;
		/*
		 * The header's line, or (where a dialect has none) what lines
		 * say of the session as a whole, with a header's members: id,
		 * cwd, timestamp, parentSession. Empty if nothing does.
		 */
		struct buf header;
		bool header_first; /* and it came before every entry */
		bool has_id_space; /* and ids.h knows its id */
		unsigned char id_space[16];
		double version; /* the header's, 1 if it has none */
		bool linear;	/* a version 1 log: entries without ids */
		struct skipped skipped;
		struct buf name;	/* trimmed; empty if there is none */
		uint32_t leaf;		/* the last entry said, or INDEX_NONE */
		uint32_t head;		/* see session_head() */
		uint32_t redefined_ids; /* ids that were said again, so far */
		uint32_t lines;		/* read so far */
		uint32_t values;  /* of them, JSON that counts for the agent */
		uint64_t indexed; /* bytes read so far */
		bool open_end;	  /* the last line read has no newline yet */
		struct buf start; /* the first bytes read, */
		struct buf tail;  /* and the last: are they still there? */
		uint64_t digest;  /* of all bytes read */
		uint64_t first_digest;	   /* what the first line adds to it */
		const char *sidecar_fault; /* for people, or NULL */
		/* The dialect's own part, and what frees it; it sets both. */
		void *own;
		void (*free_own)(void *own);
	} now;

	uint32_t epoch;	       /* changes when what was known may not hold */
	uint64_t version;      /* changes with every change */
	struct timespec stamp; /* of the last change; never twice the same */

	struct refusal refused; /* the last one (core/session/writer.h) */

	struct pictures *pictures; /* for content.c; readers share them */

	struct timespec
		since; /* the stamp of the last reading from the start */

	/* private */
	const struct dialect_registry *dialects;
	const struct session_opening *opening; /* while it is opened */
	bool incomplete;		       /* the last reading failed */
	/*
	 * Until when other bytes may come under the same time: a write sets the
	 * time first. CLOCK_MONOTONIC in ms, 0 for no more.
	 */
	int64_t unsettled_until;
	bool only_grew; /* since then: its ends say whether it is the same */
	struct brlock lock;
	bool keep_epoch; /* what is read again is of our own rewriting */
};

/*
 * What is left of a session that is freed for its memory's sake: enough to open
 * it again as the same. Zeroed, it is that of no session.
 */
struct session_memory {
	const struct dialect *dialect; /* NULL: of no session */
	uint32_t epoch;
	uint64_t version;
	struct timespec stamp;
	struct timespec since;
	uint32_t entries;
	uint64_t indexed;
	uint64_t digest;
	struct refusal refused;
	mode_t mode; /* and owner: of what the kernel may keep */
	uid_t uid;
	gid_t gid;
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
	 * Optional: it was open before. Numbers of entries, and the epoch, go
	 * on meaning what they meant if the file has at most grown since.
	 */
	const struct session_memory *memory;
	/*
	 * Optional: told now and then, by the thread that opens, how many bytes
	 * have been read so far, of how many. They may be read a second time.
	 */
	void (*progress)(void *data, uint64_t done, uint64_t total);
	void *progress_data;
};

/*
 * Open and read a session. On failure *why is a static text for people, or NULL
 * where the errno says it all.
 */
int session_open(struct session **out, const char *path,
		 const struct session_opening *how, const char **why);
void session_free(struct session *s);

/*
 * Close the file of a session that nobody is in, and that nobody enters before
 * this returns. session_enter() opens it again.
 */
void session_park(struct session *s);

/*
 * Is the file still what it was when the session was entered, or has it only
 * grown? What is read of several lines is of one piece only if it is.
 */
bool session_is_whole(const struct session *s);

/* Bring up to date and lock for reading. Always pair with session_leave(). */
int session_enter(struct session *s);

/*
 * Enter a session if it is up to date. Opens no file: if it was parked, its
 * file can't be read. Returns false, not entered, otherwise.
 */
bool session_enter_if_fresh(struct session *s);
void session_leave(struct session *s);

static inline const struct entry *session_entry(const struct session *s,
						uint32_t entry)
{
	return &s->now.index.entries[entry];
}

/*
 * Where HEAD points: the entry that the leaf stands for (core/session/index.h).
 * INDEX_NONE before the first entry.
 */
uint32_t session_head(const struct session *s);

/* An entry's label, empty if it has none. */
struct span session_label(const struct session *s, uint32_t entry);

/*
 * An entry's line: its bytes in *line, and what they say in *json, which is
 * good until anything is added to *line. -ESTALE if there is another one in its
 * place by now.
 */
int session_read(const struct session *s, uint32_t entry, struct buf *line,
		 struct json *json);

/* The same for a line that is known by its place. */
int session_read_line(const struct session *s, uint64_t offset, uint32_t length,
		      struct buf *line, struct json *json);

/* The session's own id, as the header gives it; "" without one. */
void session_id(const struct session *s, struct buf *out);

/* A member of the header; absent without one. */
struct json session_header(const struct session *s, const char *name);

/* Why a line marks a relative of the session's dialect; NULL if it does not. */
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

/* May the session be written to? 0, or -EROFS. */
int session_writable(const struct session *s);

/*
 * Keep why a write is refused, for `info`. The session is entered, and is left
 * meanwhile. Entered also on error.
 */
int session_refuse(struct session *s, struct refusal refused);

/*
 * Leave in order to rewrite the file: whoever reads it until who has left
 * enters again lets entries that still have their numbers keep them.
 */
void session_leave_to_rewrite(struct session *s);

/* Take in what was written meanwhile and enter, for who has just left. */
int session_enter_again(struct session *s);

#endif
