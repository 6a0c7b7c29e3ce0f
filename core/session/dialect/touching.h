/*
 * How an agent names files, and which lines besides its calls tell of them. The
 * tools are rows of tools.h. core/show/touches.h makes a table of it.
 */
#ifndef SESSFS_DIALECT_TOUCHING_H
#define SESSFS_DIALECT_TOUCHING_H

#include "core/json/json.h"
#include "core/session/dialect/tools.h"

struct session;

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

#endif
