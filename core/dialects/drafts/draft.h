/*
 * What the two drafts of a session tree share (FORMATS.md, section 5; seeds 000
 * and 003): entry types, contexts, and the files made of a session.
 *
 * Both are drafts for Pi's sessions: their messages are Pi's, and the header is
 * an entry, the root. A `head` entry is only a mark at its parent. Summaries
 * are sent word for word. sessfs adds `label` entries, and reads them.
 *
 * Both know a linear form, Pi's version 1, which is read as a draft only by
 * request (pi/state.h); migration makes it a tree.
 */
#ifndef SESSFS_DRAFT_H
#define SESSFS_DRAFT_H

#include "core/session/dialect.h"

extern const struct dialect dialect_draft_index;
extern const struct dialect dialect_draft_uuid;

/* What an entry is, by its `type`. */
enum entry_type draft_type(struct json type);

/* See dialect.h; the rest of what entries show is as in Pi (pi/show.h). */
struct json draft_blocks(struct json entry);

/*
 * The context, by core/dialects/kit/compacted.h with this rule for the first
 * entry that a compaction keeps.
 */
int draft_context(const struct session *s, const struct path *p,
		  uint32_t (*first_kept)(const struct session *s,
					 uint32_t entry,
					 struct json compaction),
		  struct messages *to);

/*
 * A branch as a file of its own: a new header, the path without its labels, the
 * labels that stand on it. A path that begins with a header has it replaced; to
 * another one a header is added.
 */
struct draft_branch {
	const struct session *s;
	struct path path;  /* without labels */
	uint32_t *places;  /* by entry: see draft_place() */
	bool has_header;   /* path.list[0] is one */
	uint32_t position; /* in the new file, of the line in hand */
	struct buf above;  /* who writes the lines: the id of the last one */
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
 * The position in the new file of an entry, or, for a label that is left out,
 * of what comes next on the path; INDEX_NONE if it is not on the path.
 */
uint32_t draft_place(const struct draft_branch *b, uint32_t entry);

/* The entry at a position behind the header, or INDEX_NONE. */
uint32_t draft_at(const struct draft_branch *b, uint32_t position);

#endif
