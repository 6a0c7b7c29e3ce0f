/*
 * Hits as rows to be chosen from, for --open and --resume: the newest, or with
 * fzf the one that the user chooses; and going on from that.
 */
#ifndef SESSFS_GREP_HITS_H
#define SESSFS_GREP_HITS_H

#include "core/base/buf.h"

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
