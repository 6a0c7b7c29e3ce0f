/*
 * Which files calls of tools name, and what they make of a file's text.
 * core/files/files_at.h asks for each call that went well, in the order of
 * their results. The tools are rows of tools.h.
 */
#ifndef SESSFS_DIALECT_FILING_H
#define SESSFS_DIALECT_FILING_H

#include "core/session/block.h"
#include "core/session/dialect/tools.h"

struct session;
struct file_text;

/*
 * How an agent names files, and which lines besides its calls tell of them:
 * core/show/touches.h makes a table of it.
 */

/*
 * What the agent reads of a path that is no part of the file's name. "~" and
 * "file://" mean the same everywhere.
 */
enum path_spelling {
	PATH_AT = 1 << 0,      /* @src/wc.c: a mention */
	PATH_AT_FULL = 1 << 1, /* the same before "/" and "~" only */
	PATH_COLON = 1 << 2,   /* a ":" before a full path, or before ./ */
	PATH_LINES = 1 << 3,   /* wc.c:1-40, wc.c:raw: of a file that is read */
};

/* What a note says of a call. */
struct call_note {
	struct json call; /* its id */
	struct json dir;  /* that relative paths are below, or absent */
	bool failed;
	struct json change; /* of the file that add() is called for */
	/* Called for each file. 0 or -errno. */
	int (*add)(struct call_note *to, enum file_act act, struct json path);
	void *data; /* for add() */
};

/* All members are optional. */
struct dialect_touching {
	unsigned spelling; /* of enum path_spelling */
	/*
	 * Where a line has the working directory for its own calls, and those
	 * of later lines: a path (json_at()).
	 */
	const char *dir;

	/* What one of now.notes says; without it, they are not of calls. */
	int (*read_note)(struct json line, struct call_note *to);
};

/* A call of which the result is there, and one file of it. */
struct filed {
	const struct session *s;
	struct json name; /* of the tool */
	struct json arguments;
	enum file_act act;  /* FILE_MOVE: the text that goes to another path */
	struct span path;   /* as core/show/touch_path.h has it */
	struct span body;   /* the lines of a patch for it; else empty */
	struct json caller; /* the line that has the call */
	struct json line;   /* that has the result */
	struct json output; /* of the result: a string or blocks, or absent */
	struct json note;   /* of the call (struct call_note), or absent */
	struct json change; /* what it says of this file, or absent */
};

/* What such a line tells of files. */
struct saved_files {
	uint32_t entry;	   /* on the way to this one, or it is the line's own */
	struct json about; /* the id of an entry that must be on the way; or
			      absent */
	/*
	 * Called for each, with its path as calls spell it, and the text, or
	 * FILE_IS_DELETED if there was none. 0 or -errno.
	 */
	int (*add)(struct saved_files *to, struct json path,
		   const struct file_text *text);
	void *data; /* for add() */
};

struct dialect_filing {
	/*
	 * Change the text (core/files/file_text.h), which may not be known, of
	 * a file that was read, written or edited. Errors are those of the
	 * text, or -errno. Left as it is, the state is FILE_IS_UNKNOWN.
	 */
	int (*apply)(const struct filed *call, struct file_text *t);

	/* Optional: may a call that failed have written some of it? */
	bool (*half_done)(const struct filed *call);

	/*
	 * Optional, where the results of parallel calls hang on their calls, so
	 * that only one is on the way to what follows, and all count: a number
	 * for the answer that an entry is a part of; 0: of none.
	 */
	uint32_t (*answer)(const struct session *s, uint32_t entry);

	/*
	 * Optional: the file that a call turned out to be of, by its result.
	 */
	struct json (*path)(const struct filed *call);

	/*
	 * Calls of one answer run at once: a read beside a write of the same
	 * file may have seen either text.
	 */
	bool at_once;

	/*
	 * Optional: what a line tells of files that the agent has saved beside
	 * the session: 0 or -errno. Such a line is an entry of some type, or
	 * without types one of now.notes.
	 */
	uint32_t saved_types; /* ENTRY_BIT() */
	int (*saved)(const struct session *s, struct json line,
		     struct saved_files *to);
};

#endif
