/*
 * The common part of the two drafts of a session tree: entry types, contexts
 * and branches.
 *
 * Both are drafts for Pi's sessions: their messages are Pi's, and the header is
 * an entry, the root. A `head` entry only marks its parent. Summaries are sent
 * unchanged. `label` entries are an addition of sessfs.
 *
 * Both know a linear form, Pi's version 1, which is read as a draft only by
 * request (pi/state.h); migration makes it a tree.
 */
#ifndef SESSFS_DRAFT_H
#define SESSFS_DRAFT_H

#include "core/session/dialect.h"

extern const struct dialect dialect_draft_index;
extern const struct dialect dialect_draft_uuid;

/* The type of an entry by its `type`. */
enum entry_type draft_type(struct json type);

/* See dialect.h. All else that entries show is as in Pi (pi/show.h). */
struct json draft_blocks(struct json entry);

/*
 * The context, as core/dialects/kit/compacted.h builds it. `first_kept` returns
 * the first entry that a compaction keeps.
 */
int draft_context(const struct session *s, const struct path *p,
		  uint32_t (*first_kept)(const struct session *s,
					 uint32_t entry,
					 struct json compaction),
		  struct messages *to);

/*
 * A branch as a file of its own: a new header, the path without its labels, and
 * the labels of entries on it. The header replaces the one that the path begins
 * with, if there is one.
 */
struct draft_branch {
	const struct session *s;
	struct path path;  /* without labels */
	uint32_t *places;  /* by entry: see draft_place() */
	bool has_header;   /* path.list[0] is a header */
	uint32_t position; /* of the current line, in the new file */
	struct buf above;  /* for the callbacks: the id of the last line */
	struct buf *out;
};

struct draft_branch_lines {
	int (*header)(struct draft_branch *b, uint32_t tip);
	int (*entry)(struct draft_branch *b, uint32_t entry, struct json line);
	int (*label)(struct draft_branch *b, const struct label *l);
};

int draft_branch(const struct session *s, uint32_t entry,
		 const struct draft_branch_lines *lines, struct buf *out);

/*
 * The position of an entry in the new file; for a label, which is left out, of
 * the next entry on the path; INDEX_NONE if the entry is not on the path.
 */
uint32_t draft_place(const struct draft_branch *b, uint32_t entry);

/* The entry at a position after the header, or INDEX_NONE. */
uint32_t draft_at(const struct draft_branch *b, uint32_t position);

#endif
