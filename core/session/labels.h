/*
 * The labels of a session: which text stands on which entry.
 *
 * Targets are ids, as the log has them: a label may be set on an entry before
 * its line is read, or on none at all (then it is kept and does nothing). All
 * label lines are applied in file order; the last one for a target wins, and an
 * empty text clears (FORMATS.md, section 3.3).
 *
 * Several entries may carry the same text; by-label/ can show one of them. It
 * is the one that was labelled last.
 *
 * A label line costs itself, however many labels there are. Labels that have
 * the same text are a list, the one said last in front, and the first of them
 * whose entry has come is marked as shown, by its entry's number.
 */
#ifndef SESSFS_LABELS_H
#define SESSFS_LABELS_H

#include <stdint.h>

#include "core/session/index.h"

#define LABEL_NONE UINT32_MAX

struct label {
	uint32_t target; /* its id, in labels.bytes */
	uint32_t target_n;
	uint32_t entry;	 /* of that id, or INDEX_NONE while it has not come */
	uint32_t text;	 /* in labels.texts; LABEL_NONE: cleared */
	uint32_t line;	 /* of the log, that said so */
	uint32_t length; /* and where it is */
	uint64_t offset;
	int64_t time;	  /* and its time */
	uint64_t version; /* of the session, when it was read */
	uint32_t since;	  /* the line since which there is one at all */
	/* private */
	uint32_t older; /* with the same text: labels.list, or LABEL_NONE */
	uint32_t newer;
};

/* A text that was ever said; private. */
struct said_text {
	uint32_t at; /* in labels.bytes */
	uint32_t n;
	uint32_t newest; /* in labels.list, or LABEL_NONE */
	uint32_t shown;	 /* the same */
};

struct labels {
	struct label *list;
	uint32_t n;
	uint32_t n_set; /* labels with a text and an entry */
	/* Which of them each label line was about, in file order. */
	uint32_t *said;
	uint32_t n_said;

	/* private */
	size_t cap;
	size_t cap_said;
	struct said_text *texts;
	uint32_t n_texts;
	size_t cap_texts;
	struct buf bytes;
	struct idtable targets; /* list by id */
	struct idtable names;	/* texts by file name */
	uint64_t *shown;	/* a bit for each entry */
	size_t words;
	uint32_t n_unknown; /* labels of entries that have not come */
	uint32_t known;	    /* none of them is of an entry before this one */
};

void labels_init(struct labels *l);
void labels_free(struct labels *l);

/* A label line: its number, place and time, and the session's version. */
struct label_line {
	uint32_t number;
	uint32_t length;
	uint64_t offset;
	int64_t time;
	uint64_t version;
};

/* Apply a label line: -ENOMEM or -EFBIG. */
int labels_set(struct labels *l, const struct index *x, struct span target,
	       struct span text, const struct label_line *line);

/* Find the entries that have come for labels which were there before: -ENOMEM.
 */
int labels_link(struct labels *l, const struct index *x);

/* The last word on an entry's label (its text may be cleared), or NULL. */
const struct label *labels_of(const struct labels *l, struct span target);

/*
 * The labels on entries for which `on` (by number) says so, in the order in
 * which they were set; those that are cleared too, if wanted. The list is the
 * caller's to free. -ENOMEM.
 */
int labels_on(const struct labels *l, const bool *on, bool cleared,
	      const struct label ***list, uint32_t *n);

/* What it is on, and what it says; borrowed, until the labels grow. */
struct span label_target(const struct labels *l, const struct label *label);
struct span label_text(const struct labels *l, const struct label *label);

/* Its file name in by-label/. */
void label_add_name(const struct labels *l, struct buf *out,
		    const struct label *label);

/* What by-label/ shows under a file name, or NULL. */
const struct label *labels_find_name(const struct labels *l, struct span name);

/*
 * The first entry numbered `from` or higher whose label by-label/ shows, or
 * INDEX_NONE.
 */
uint32_t labels_next(const struct labels *l, uint32_t from);

#endif
