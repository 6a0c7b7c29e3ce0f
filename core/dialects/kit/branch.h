/*
 * A branch as a session file of its own, in the Pi family: a header, the
 * entries of a path without its labels, then the labels of these entries in the
 * order in which they were set. A dialect writes each line.
 */
#ifndef SESSFS_KIT_BRANCH_H
#define SESSFS_KIT_BRANCH_H

#include "core/session/path.h"

/* Positions are those of lines in the new file, the header being 0. */
struct branch {
	const struct session *s;
	unsigned nth;	   /* branch of its entry */
	uint32_t position; /* of the line that is written */
	struct buf above;  /* the id of the line before it */
	struct buf *out;

	struct path path; /* without labels */
	bool has_header;  /* its first entry is the header */
	uint32_t *places; /* by entry: see branch_place() */
	bool *on;	  /* by entry: it is in the branch */
};

struct branch_rules {
	/* A header on the path is an entry, and header() replaces it. */
	bool header_is_entry;
	/*
	 * Each appends a line to b->out. header() and label() set `above` to
	 * its id, if lines name those before them.
	 */
	int (*header)(struct branch *b, uint32_t tip);
	int (*entry)(struct branch *b, uint32_t entry, struct json line);
	int (*label)(struct branch *b, const struct label *l);
};

int branch_write(const struct session *s, uint32_t entry, unsigned nth,
		 const struct branch_rules *rules, struct buf *out);

/* For header() and label(). */
void branch_set_above(struct branch *b, struct span id);

/*
 * The position of an entry; of a label, that of the next one on the path;
 * INDEX_NONE if the entry is not on the path.
 */
uint32_t branch_place(const struct branch *b, uint32_t entry);

/* The entry before the one that is written; INDEX_NONE: it is the first. */
uint32_t branch_parent(const struct branch *b);

/*
 * The entry that a compaction names as the first it keeps, or in place of a
 * label the next one, at most the compaction itself.
 */
uint32_t branch_anchor(const struct branch *b, uint32_t anchor);

/*
 * The entry, or in place of a label the one before it; INDEX_NONE if there is
 * none.
 */
uint32_t branch_up_to(const struct branch *b, uint32_t entry);

#endif
