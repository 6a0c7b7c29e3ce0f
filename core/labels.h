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
 */
#ifndef SESSFS_LABELS_H
#define SESSFS_LABELS_H

#include <stdint.h>

#include "core/index.h"

struct label {
	uint32_t target; /* its id, in labels.text */
	uint32_t target_n;
	uint32_t text;	 /* in labels.text */
	uint32_t text_n; /* 0: cleared */
	uint32_t line;	 /* of the log, that said so */
	uint64_t offset; /* where it is */
	uint32_t length;
	int64_t time;	  /* and its time */
	uint32_t since;	  /* the line since which there is one at all */
	uint64_t version; /* of the session, when it was read */
};

/* A row of by-label/. */
struct label_link {
	uint32_t entry;
	uint32_t label; /* in labels.list */
};

struct labels {
	struct label *list;
	uint32_t n;
	struct label_link *links; /* in the order of their entries */
	uint32_t n_links;
	uint32_t n_set;	    /* labels with a text and an entry */
	uint32_t n_unknown; /* labels of entries that have not come */

	/* private */
	uint32_t cap;
	struct buf text;
	struct idtable targets;
	struct idtable names;
	bool changed;
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
int labels_set(struct labels *l, struct span target, struct span text,
	       const struct label_line *line);

/* Bring links up to date after a batch; costs the labels, if any changed. */
int labels_link(struct labels *l, const struct index *x, bool entries_came);

/* The last word on an entry's label (its text may be cleared), or NULL. */
const struct label *labels_of(const struct labels *l, struct span target);

/*
 * The labels on entries for which `on` (by number) says so, in the order in
 * which they were set; those that are cleared too, if wanted. The list is the
 * caller's to free. -ENOMEM.
 */
int labels_on(const struct labels *l, const struct index *x, const bool *on,
	      bool cleared, const struct label ***list, uint32_t *n);

/* What it is on, and what it says; borrowed, until the labels grow. */
struct span label_target(const struct labels *l, const struct label *label);
struct span label_text(const struct labels *l, const struct label *label);

/* The file name of a link, and the link of a file name (NULL if none). */
void label_link_name(const struct labels *l, struct buf *out,
		     const struct label_link *link);
const struct label_link *labels_find_link(const struct labels *l,
					  struct span name);

/* The link of an entry, or NULL when another entry has that label now. */
const struct label_link *labels_link_of(const struct labels *l, uint32_t entry);

#endif
