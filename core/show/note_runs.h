/*
 * Runs of notes: how views for people show many notes as one row.
 *
 * A note is an entry that nobody said or did (rows_is_said()). One that has no
 * label, is not HEAD's and no branch point can be in a run: notes on one line
 * of descent, each the only child of the one before. tree.txt, tree.html and
 * `sessfs log` show a run of two or more as one row, "9 notes", under the id of
 * the last. by-id/, tree/, path/ and branches/ have every entry.
 */
#ifndef SESSFS_NOTE_RUNS_H
#define SESSFS_NOTE_RUNS_H

#include "core/session/session.h"
#include "core/session/tree_walk.h"

/* Can the entry, which is no bookkeeping, be in a run? `line` is its line. */
bool note_can_fold(const struct session *s, uint32_t entry, struct json line);

void note_run_add_kind(struct buf *out, uint32_t n);

/* A row of the drawn tree: an entry, or a run of notes. */
struct note_row {
	struct tree_step step; /* of the entry, or of the first note */
	uint32_t n;	       /* of the run; 1: of an entry that has its row */
	uint32_t last;	       /* the last entry */
	struct json line;      /* of the step's entry, until the next row */
};

/* As struct tree_walk, without bookkeeping. Reads each line once. */
struct note_walk {
	/* private */
	struct tree_walk tree;
	struct note_read {
		struct tree_step step;
		struct buf source;
		struct json line;
		bool folds;
	} reads[2]; /* the row's, and the one after it */
	unsigned at;
	bool has_next;
};

int note_walk_begin(struct note_walk *w, const struct session *s);

/* 1 and the next row, 0 at the end, or an error of session_read(). */
int note_walk_next(struct note_walk *w, struct note_row *row);

void note_walk_end(struct note_walk *w);

#endif
