/*
 * The labels of a session: the text that each entry is labelled with.
 *
 * The target of a label is an id. Its entry may be read later than the label,
 * or never; until then the label is kept and has no effect. Label lines are
 * applied in file order. The last one for a target wins, and an empty text
 * clears the label.
 *
 * Several entries may have labels with the same text. by-label/ can show one of
 * them, and shows the one that was labelled last.
 *
 * Applying a line takes the same time however many labels there are. Where a
 * label that is shown goes, labels_link() looks once through all for another
 * one with its text.
 */
#ifndef SESSFS_LABELS_H
#define SESSFS_LABELS_H

#include <stdint.h>

#include "core/base/bits.h"
#include "core/session/index.h"

#define LABEL_NONE UINT32_MAX

/* A label line: its number, place and time, and the session's version. */
struct label_line {
	uint32_t number;
	uint32_t length;
	uint64_t offset;
	int64_t time;
	uint64_t version;
};

struct label {
	uint32_t target;      /* its id, in labels.bytes */
	uint32_t entry;	      /* of that id, or INDEX_NONE until it is read */
	uint32_t text;	      /* in labels.texts; LABEL_NONE: cleared */
	struct label_line at; /* the last line that set or cleared it */
	uint32_t since;	      /* the line that set it when it had no text */
};

/* A text that a label has, or had; private. */
struct label_text {
	uint32_t at;	/* in labels.bytes */
	uint32_t shown; /* in labels.list, or LABEL_NONE */
};

struct labels {
	struct label *list;
	uint32_t n;
	uint32_t n_set; /* labels with a text and an entry */
	/* The label (in `list`) of each label line, in file order. */
	uint32_t *lines;
	uint32_t n_lines;

	/* private */
	size_t cap;
	size_t cap_lines;
	struct label_text *texts;
	uint32_t n_texts;
	size_t cap_texts;
	struct buf bytes;	/* buf_keep() */
	struct idtable targets; /* list by id */
	struct idtable names;	/* texts by file name */
	struct bits shown;	/* entries */
	bool stale;		/* a text may have another label to show */
	uint32_t n_pending;	/* labels without an entry */
	uint32_t looked_up;	/* entries before this one have no such label */
};

void labels_init(struct labels *l);
void labels_free(struct labels *l);

/*
 * Apply a label line. 0, -ENOMEM or -EFBIG. What by-label/ shows is current
 * after labels_link().
 */
int labels_set(struct labels *l, const struct index *x, struct span target,
	       struct span text, const struct label_line *line);

/*
 * Find the new entries that have labels already, and what by-label/ shows. 0 or
 * -ENOMEM.
 */
int labels_link(struct labels *l, const struct index *x);

/* The label of an id, which may be cleared; NULL if none was ever set. */
const struct label *labels_of(const struct labels *l, struct span target);

/*
 * The labels on the entries i for which on[i] is true, in the order in which
 * they were set. The caller frees the list. 0 or -ENOMEM.
 */
int labels_on(const struct labels *l, const bool *on,
	      const struct label ***list, uint32_t *n);

/* The id of its target, and its text; borrowed until the labels grow. */
struct span label_target(const struct labels *l, const struct label *label);
struct span label_text(const struct labels *l, const struct label *label);

/* Append its file name in by-label/. */
void label_add_name(const struct labels *l, struct buf *out,
		    const struct label *label);

/* The label that by-label/ shows under a file name, or NULL. */
const struct label *labels_find_name(const struct labels *l, struct span name);

/*
 * The first entry numbered `from` or higher whose label by-label/ shows, or
 * INDEX_NONE.
 */
static inline uint32_t labels_next(const struct labels *l, uint32_t from)
{
	return bits_next(&l->shown, from);
}

#endif
