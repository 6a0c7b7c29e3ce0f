/*
 * The index of a session: its entries as a tree, found by id.
 *
 * Entries are numbered from 0 in file order, and an entry's number never
 * changes: the index only grows. Everything refers to entries by number.
 *
 *   - Two lines with one id are one entry; the last line is what it says, the
 *     first gave it its number (FORMATS.md, section 9).
 *   - An entry whose parent is nowhere in the file is an extra root, until the
 *     parent comes.
 *   - A cycle is cut at its first entry in file order, which becomes a root.
 *   - Entries that only keep books (DESIGN.md: labels, head marks, names) are
 *     linked like all others. Each entry also knows the one that it stands for:
 *     itself, or the nearest ancestor that keeps no books. By these links the
 *     tree is drawn for people, and its tips are found.
 *
 * A batch of index_add() calls is made visible by one index_link(). Linking
 * costs what was added, except when an added line moved an older one (a late
 * parent, another parent for a known id, a cycle): then all is linked again.
 *
 * Errors are -ENOMEM, or -EFBIG when a number or offset would not fit. Readers
 * need the session's lock; nothing here takes one.
 */
#ifndef SESSFS_INDEX_H
#define SESSFS_INDEX_H

#include <stdint.h>

#include "core/base/idtable.h"

#define INDEX_NONE UINT32_MAX
/* The most entries of a session. Further lines are noted as too long. */
#define INDEX_LIMIT ((uint32_t)1 << 26)

/* What an entry is, in the terms that every dialect shares. */
enum entry_type {
	ENTRY_OTHER,
	ENTRY_MESSAGE,
	ENTRY_CUSTOM_MESSAGE,
	ENTRY_BRANCH_SUMMARY,
	ENTRY_COMPACTION,
	ENTRY_CONTEXT_EDIT,
	ENTRY_MODEL,
	ENTRY_THINKING,
	ENTRY_LABEL,
	ENTRY_NAME,
	ENTRY_HEAD,
};

#define ENTRY_BIT(type) ((uint32_t)1 << (type))

/* Sizes that nobody has asked for yet. */
#define SIZE_UNKNOWN UINT32_MAX
#define PICTURES_UNKNOWN UINT16_MAX

struct entry {
	uint64_t offset; /* of its line in the file */
	int64_t time;	 /* ms since 1970, or TIMESTAMP_NONE */
	uint32_t length; /* of the line, without LF */
	uint32_t line;	 /* number of the line, from 1 */
	uint32_t digest; /* of its bytes: is it still the same? */
	uint32_t parent; /* or INDEX_NONE for a root */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling;
	uint32_t id; /* where in index.ids */
	/*
	 * The entry itself, or, of one that keeps books, its nearest ancestor
	 * that does not; INDEX_NONE if there is none.
	 */
	uint32_t stands_for;
	/*
	 * Rendered when first asked for, by readers beside each other: relaxed
	 * atomic access; every reader computes the same.
	 */
	uint32_t content_size;
	uint16_t pictures;
	uint8_t type;	      /* enum entry_type */
	bool plain_name : 1;  /* its id is its file name */
	bool orphan : 1;      /* a root because its parent is missing */
	bool cut : 1;	      /* a root because it was in a cycle */
	bool bookkeeping : 1; /* it only says something about other entries */
	bool continues : 1;   /* below it are entries that keep no books */
};

/* An entry whose parent can't be linked, by what it is called. */
struct loose_end {
	uint32_t entry;
	uint32_t line; /* stale when the entry has been said again since */
	uint32_t id;   /* of the parent, in index.ids */
};

struct loose_ends {
	struct loose_end *list;
	size_t n;
	size_t cap;
};

struct index {
	struct entry *entries;
	uint32_t n;
	uint32_t first_root;
	uint32_t last_root;
	uint32_t orphans; /* entries of which that is true, now */
	uint32_t cycles;
	uint32_t relinks; /* how often older entries were linked again */

	/* private */
	size_t cap;
	uint32_t linked;      /* entries before this one are linked */
	bool moved;	      /* an added line moved an older entry */
	struct buf ids;	      /* a 32-bit length and the bytes, each */
	struct idtable table; /* by id, and by name where that differs */
	/*
	 * Of an entry with a missing parent one end is current. `wanted` finds
	 * one of those that miss an id, so that an entry which comes is known
	 * to be a parent without looking at them all. Stale ends stay in both
	 * until all is linked again.
	 */
	struct loose_ends missing;
	struct idtable wanted;
	struct loose_ends cuts;
};

/* A line as its dialect has read it. */
struct index_line {
	struct span id;	    /* never empty */
	struct span parent; /* empty for a root */
	uint64_t offset;
	uint64_t length;
	uint32_t line;
	uint32_t digest;
	int64_t time;
	enum entry_type type;
	bool bookkeeping;
};

void index_init(struct index *x);
void index_free(struct index *x);

/*
 * Add a line; *entry is its number, *again whether the id was known.
 */
int index_add(struct index *x, const struct index_line *l, uint32_t *entry,
	      bool *again);
int index_link(struct index *x);

/* The entry of that id, or INDEX_NONE. */
uint32_t index_find(const struct index *x, struct span id);

/* The entry of that file name (core/session/name.h), or INDEX_NONE. */
uint32_t index_find_name(const struct index *x, struct span name);

/*
 * The entry whose file name starts so: INDEX_NONE if there is none, *ambiguous
 * if there are several. Looks at every entry.
 */
uint32_t index_find_prefix(const struct index *x, struct span prefix,
			   bool *ambiguous);

/* An id (WTF-8); borrowed, until the index grows. */
struct span index_id(const struct index *x, uint32_t entry);

/* Append the file name of an entry. */
void index_add_name(const struct index *x, struct buf *out, uint32_t entry);

/*
 * The first child (or, for INDEX_NONE, root) numbered `from` or higher, or
 * INDEX_NONE. Cheap when `from` is one behind a child given before.
 */
uint32_t index_child_from(const struct index *x, uint32_t parent,
			  uint32_t from);

/* Is the entry a tip: no bookkeeping, and nothing but bookkeeping below it? */
static inline bool index_is_tip(const struct index *x, uint32_t entry)
{
	return !x->entries[entry].bookkeeping && !x->entries[entry].continues;
}

/* What an entry hangs on where bookkeeping is left out, or INDEX_NONE. */
static inline uint32_t index_shown_parent(const struct index *x, uint32_t entry)
{
	uint32_t parent = x->entries[entry].parent;
	return parent == INDEX_NONE ? INDEX_NONE
				    : x->entries[parent].stands_for;
}

/*
 * The entry after `at` (INDEX_NONE: the first) among those that hang on an
 * entry (INDEX_NONE: among the roots), directly or by bookkeeping: children,
 * and, each after its parent, what hangs on children that keep books.
 * INDEX_NONE at the end.
 */
uint32_t index_next_below(const struct index *x, uint32_t top, uint32_t at);

#endif
