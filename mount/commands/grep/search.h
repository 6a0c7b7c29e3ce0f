/*
 * A search of some PATHs, which have one set of options.
 *
 * A thread takes a batch of entries (mount/operands/pieces.h). What `skip` does
 * not pass over and the filter passes is rendered, its lines are selected by
 * `seek`, and printed by `print`. The output is in the order of the batches.
 */
#ifndef SESSFS_GREP_SEARCH_H
#define SESSFS_GREP_SEARCH_H

#include "core/session/short_ids.h"
#include "mount/commands/commands.h"
#include "mount/commands/grep/skip.h"
#include "mount/operands/entries.h"
#include "mount/operands/pieces.h"

/* What is special to the command: its options, and what they make of a search.
 */
struct grep_options {
	/* As the user gave them: those of every grep, */
	struct texts patterns;
	struct texts pattern_files;
	int fixed;
	int basic; /* is refused */
	int any_case;
	int word;
	int line;
	int invert;
	int only_matching;
	int quiet;
	int list;    /* the sessions with a hit */
	int without; /* those without */
	int count;   /* how many lines of a session are selected */
	const char *most_given;
	const char *before_given;
	const char *after_given;
	const char *around_given;
	int usual; /* what sessfs does anyway */
	/* and its own. */
	struct entry_options entries;
	struct select_options select;
	int said;
	int all;
	int plain;
	int heading;
	int no_heading;
	const char *color_when;
	int open;
	int resume;

	/* What follows from them. */
	bool color;
	uint64_t most; /* selected lines of a content */
	uint64_t before;
	uint64_t after;
	bool contexts;	     /* lines are printed in groups */
	bool tells;	     /* of sessions only whether, or how often */
	struct select_by by; /* its times are of entries */
	struct touched_path touched;
	bool only_said;	  /* the text of hits that nobody said is left out */
	bool counts_rest; /* and they are counted */
	bool table;	  /* rows for choosing, not text */

	/* Of the PATH that is searched. */
	bool files;	     /* -l prints the names of files */
	bool shows_path;     /* headings have the path */
	const char *entry;   /* the only one that is searched */
	const char *subtree; /* only this and what is below it */
};

/* Exit statuses of grep. */
enum grep_status {
	GREP_FOUND = 0,
	GREP_NOT_FOUND = 1,
	GREP_FAILED = 2,
};

/* Searches, one after the other. */
struct grep_search {
	/* The caller sets these, and zeroes the others. */
	struct grep_options *how;
	const struct patterns *patterns;
	const struct skip *skip; /* NULL: nothing is passed over */

	struct buf rows; /* with how->table: what is found */
	bool printed;	 /* something was */
	uint64_t rest;	 /* lines that are not printed: nobody said them */
	unsigned failed; /* a pattern has: the search is over; atomic */
	bool selected;	 /* there was a session to search */

	/* private, of one search */
	unsigned found;	  /* atomic */
	unsigned chosen;  /* how->entry or how->subtree is there; atomic */
	uint64_t session; /* the last one of the output, or counted */
	uint64_t count;	  /* of its selected lines */
};

/*
 * Search the n PATHs, or the agents' sessions. What fails is reported. A folder
 * without sessions fails.
 */
enum grep_status grep_search_run(struct grep_search *s,
				 const struct select_by *by, char *const *paths,
				 size_t n);

/* -- print.c */

/*
 * What is printed of hits: paths, line numbers, separators and headings, in the
 * colors that grep has if they are wanted; or rows to be chosen from.
 *
 * Used by one thread for a batch. An error is in *out (buf_error()).
 *
 * Batches are printed by several threads at once, and then written in order. A
 * session may go on in the next batch: the heading that it has there, too, is
 * left out then, by what the batch notes of headings.
 */

/* A line of a content. */
struct grep_line {
	uint64_t number;  /* from 1 */
	bool selected;	  /* else it is context */
	struct span text; /* without its newline */
};

/* What is known of a session for headings, while it is entered. Zeroed:
 * nothing. */
struct grep_heading {
	uint32_t *tips; /* by entry: its tip, or INDEX_NONE */
	uint32_t head;	/* the tip of HEAD's path */
	struct short_ids ids;
};

struct grep_printer {
	/* The caller sets these, and zeroes the others. */
	const struct grep_options *how;
	struct matcher *matcher; /* shows where the matches are */
	struct batch *batch;	 /* gets which sessions have headings */
	struct buf *out;	 /* empty */

	/* The content whose lines are printed, of a session that is entered. */
	struct pieced *of;
	const struct session *session;
	uint32_t entry;

	/* private */
	struct pieced *last_of; /* the session that the batch ends with */
	uint64_t last;		/* line of the content; 0: none */
	struct buf before;	/* each line of the content: path, or columns */
	struct buf plain;	/* a text without what a terminal hides */
	struct grep_heading heading;
};

/* Begin with the content of an entry. */
void grep_print_begin(struct grep_printer *p, struct pieced *of,
		      const struct session *s, uint32_t entry);

/*
 * Print a line after those that come before it. -1 if a pattern fails there
 * (matcher_add_error()), else 0.
 */
int grep_print_line(struct grep_printer *p, const struct grep_line *line);

/* Print the name of a session, without an end of the line. */
void grep_print_session(const struct grep_printer *p, const struct pieced *d);

/* Append the path of the content. */
void grep_print_add_path(const struct grep_printer *p, struct buf *out);

/* Drop what is known of the session, which is left. */
void grep_print_leave(struct grep_printer *p);

/* After the last line of the batch. */
void grep_print_end(struct grep_printer *p);

/* Print what separates hits: an empty line, or "--". */
void grep_print_separator(const struct grep_printer *p, bool blank);

/* -- seek.c */

/*
 * The lines of a content that a search selects, with those around them. Each
 * content is searched by itself: counts (-m) and context (-A, -B, -C) end with
 * it.
 *
 * Used by one thread for a batch.
 */
struct grep_seek {
	/* The caller sets these, and zeroes the others. */
	const struct skip *skip; /* NULL: nothing is passed over */
	struct grep_printer *to; /* has begun with the content */

	uint64_t selected; /* lines of the last content */
	uint64_t line;	   /* the last one that was looked at */
};

/*
 * Select lines, and print them; or only count them, up to `most`. -1 if a
 * pattern fails (matcher_add_error()), else 0.
 */
int grep_seek_print(struct grep_seek *k, struct span content);
int grep_seek_count(struct grep_seek *k, struct span content, uint64_t most);

/* -- hits.c */

/*
 * Hits as rows to be chosen from, for --open and --resume: the newest, or with
 * fzf the one that the user chooses; and going on from that.
 */

/* A row as it is printed: columns, each of which ends with a NUL. */
enum grep_column {
	ROW_MOUNT,  /* the session was named as a mounted one; else empty */
	ROW_FILE,   /* the session's */
	ROW_SHOWN,  /* its name, as printed, with a slash unless it is empty */
	ROW_ENTRY,  /* the name of its folder in by-id/ */
	ROW_WHEN,   /* local time */
	ROW_ROLE,   /* or type */
	ROW_WHOSE,  /* agent and project */
	ROW_TIME,   /* in UTC */
	ROW_PARENT, /* the session that its own was forked off */
	ROW_LINE,   /* of its content */
	ROW_TEXT,
	ROW_COLUMNS
};

struct grep_row {
	const char *column[ROW_COLUMNS];
};

/* The newest entry first. Borrows the text of the rows. */
struct grep_hits {
	struct grep_row *list;
	size_t n;
};

/*
 * Sort the rows. A session that was forked repeats entries of another: a hit in
 * it is left out if a session that is no fork has the same in an entry with
 * this id and time. 0 or -ENOMEM. The caller calls grep_hits_free() in any
 * case.
 */
int grep_hits_sort(struct grep_hits *h, struct span rows);
void grep_hits_free(struct grep_hits *h);

/*
 * Choose one of at least one. 0, or an exit status: of a failure, reported, or
 * 130 if the user gave up.
 */
int grep_hits_choose(const struct grep_hits *h, const struct grep_row **hit);

/*
 * Print the path of the hit's entry in a mount, which is made unless the user
 * has named one; on a terminal, show the content from its line on. Returns an
 * exit status.
 */
int grep_open_hit(const struct grep_row *hit);

/* Print the command with which the agent goes on from there. */
int grep_resume_hit(const struct grep_row *hit);

#endif
