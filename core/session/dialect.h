/*
 * A session format: a row of this table in core/dialects/registry.c, and the
 * functions of its folder (or file) there. The formats of the Pi family (pi,
 * omp, the drafts) share core/dialects/pi/.
 *
 * The rest of core/ and all of fs/ know sessions only through this table. A row
 * has a few members of its own, and a facet for each thing that formats do,
 * with a header in core/session/dialect/ that can be read alone. A facet that a
 * format lacks is NULL. A format's row stands in the file that has the format's
 * name, and each facet beside its functions, or beside the row; the header with
 * the format's name lists them.
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

#include "core/session/dialect/agent.h"
#include "core/session/dialect/bases.h"
#include "core/session/dialect/filing.h"
#include "core/session/dialect/home.h"
#include "core/session/dialect/outside.h"
#include "core/session/dialect/reading.h"
#include "core/session/dialect/rescue.h"
#include "core/session/dialect/resuming.h"
#include "core/session/dialect/sending.h"
#include "core/session/dialect/showing.h"
#include "core/session/dialect/telling.h"
#include "core/session/dialect/tools.h"
#include "core/session/dialect/writing.h"

struct dialect {
	/* In `info`, and for -o dialect=NAME. */
	const char *name;

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

	/* Each format has these three. */
	const struct dialect_reading *reading; /* lines into the index */
	const struct dialect_showing *showing; /* what an entry says */
	const struct dialect_sending *sending; /* contexts and branches */

	const struct dialect_telling *telling; /* for `info` */
	const struct dialect_writing *writing; /* NULL: read-only */
	const struct dialect_agent *agent;     /* whose files they are */
	const struct dialect_home *home; /* NULL: none keeps them in a place */
	const struct dialect_bases *bases;	   /* files it goes on from */
	const struct dialect_subagents *subagents; /* their sessions */
	const struct dialect_outside *outside;	   /* text in other files */
	const struct dialect_touching *touching;   /* how they name files */
	const struct dialect_filing *filing;	   /* and change their texts */
	const struct dialect_rescue *rescue;	   /* of damaged files */
	const struct dialect_resuming *resuming;   /* going on from entries */
	const struct dialect_receiving *receiving; /* those of other agents */
	/* What contents have besides their lines; NULL: nobody knows it. */
	const struct dialect_adding *adding;
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
