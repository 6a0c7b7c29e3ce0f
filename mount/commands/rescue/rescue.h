/*
 * The steps of a rescue: rescue.c reads the damaged file (salvage.c), and
 * writes the new one; remake.c makes the lines in between.
 */
#ifndef SESSFS_RESCUE_H
#define SESSFS_RESCUE_H

#include "core/file/newfile.h"
#include "core/session/dialect.h"
#include "core/session/session.h"
#include "mount/operands/session_file.h"

/*
 * Salvaging the lines of a damaged session file.
 *
 * The result is the text of a file of which each line is an object: a line that
 * is one keeps its bytes. From a line that is not JSON, each whole object is
 * taken that could be a line of the dialect: one after a block of NUL bytes or
 * after a torn line, and several without a newline between them. Control
 * characters in strings are escaped, if a line has no other fault. Only one
 * header is kept, and it comes first; if there is none, the dialect makes one.
 *
 * Each departure from the file is reported.
 */

/* What is printed of the file: a line for each remark about a line of it. */
struct rescue_report {
	struct span file; /* its name, on one line */
	struct buf text;
	uint32_t changes; /* remarks about lines that do not stay as they are */
};

/* Begin a remark about a line that stays as it is, or about a change. */
void rescue_remark(struct rescue_report *r, uint32_t line);
void rescue_change(struct rescue_report *r, uint32_t line);

struct salvage {
	struct buf text;
	uint32_t *lines; /* for each line of the text: that of the file, or 0 */
	uint32_t n_lines;
	uint32_t recovered; /* objects in lines that are not JSON */
	uint32_t values;    /* in the file, without a header that was made */

	/* private */
	struct rescue_report *report;
	const struct dialect_rescue *rules;
	struct buf body;
	struct buf start; /* the line before the header */
	struct buf header;
	struct buf facts[HEADER_FACTS]; /* JSON */
	uint32_t with_id;		/* objects, without headers */
	uint32_t without_id;
	uint32_t header_line;
	uint32_t start_line;
	uint32_t line;
	size_t cap_lines;
};

/*
 * Read the file as one of this dialect, which has rescue rules, and begin the
 * report anew. `id` is the new session's. 0, or -errno; the caller calls
 * salvage_free() in either case.
 */
int salvage_file(struct salvage *v, struct rescue_report *report,
		 const struct log *log, const struct dialect *d,
		 struct span id);
void salvage_free(struct salvage *v);

/*
 * Where the broken links of a session's tree are joined again.
 *
 * An entry whose parent is missing, or that was cut from a cycle, gets the
 * newest entry that is not newer than itself, by time and, of equal times, in
 * file order, which belongs to the same conversation and does not descend from
 * it. An entry without a time has that of the entry before it in the file.
 */

/* In joins.to: the link is not broken. */
#define JOINS_NOT (INDEX_NONE - 1)

struct joins {
	uint32_t *to;  /* by entry: the new parent, INDEX_NONE or JOINS_NOT */
	int64_t *time; /* by entry; TIMESTAMP_NONE if no entry has one */
};

/*
 * Find the joins. `side` is that of struct dialect_rescue, or NULL. 0 or
 * -ENOMEM; the caller calls joins_free() in either case. Takes n log n steps.
 */
int joins_find(struct joins *j, const struct session *s,
	       uint32_t (*side)(const struct session *s, uint32_t entry));
void joins_free(struct joins *j);

/* What the steps share. */
struct rescue {
	struct session_file damaged;
	const char *file; /* as it was named */
	const char *out_name;
	const char *at;	   /* of these, the one that an error is about */
	struct buf reason; /* of an error; empty: as errno says */
	struct buf shown;  /* the file's name, on one line */
	struct buf path;   /* of the new file; absolute */
	struct log log;
	const struct dialect *dialect;
	struct buf id;	 /* of the new session */
	struct buf leaf; /* of the file as it is */
	struct salvage salvage;
	struct newfile draft;	  /* the salvaged text, */
	struct session_file made; /* read as a session */
	struct session *s;	  /* of the draft */
	struct joins joins;
	uint32_t *entries; /* by line of the text: its entry, or INDEX_NONE */
	struct buf last;   /* the line that comes last */
	struct buf out;
	struct rescue_report report;
};

/*
 * Make the lines of the new session (r->out) from the draft, with `leaf` as its
 * leaf, and report each change. 0 or -errno.
 */
int rescue_make_session(struct rescue *r, uint32_t leaf);

/* The line of the file that an entry of the draft is from. */
uint32_t rescue_line_of(const struct rescue *r, uint32_t entry);

/* Report an entry by its name. */
void rescue_report_entry(struct rescue *r, uint32_t entry);

#endif
