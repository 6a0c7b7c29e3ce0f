/*
 * The index of a session: its entries as a tree, found by id.
 *
 * Entries are numbered from 0 in file order. An entry's number never changes,
 * because the index only grows. All other modules refer to entries by number.
 *
 *   - Two lines with the same id are one entry. The first line gives it its
 *     number, the last one its value, as agents load them.
 *   - An entry whose parent is not in the file is a root, until a line with the
 *     parent is read. Some dialects hang it on another entry meanwhile
 *     (core/session/bridge.h).
 *   - A cycle is cut at its first entry in file order, which becomes a root.
 *   - Bookkeeping entries (labels, head marks, names) are linked like all
 *     others; the functions at the end have the tree without them.
 *
 * index_link() makes all entries visible that index_add() has added before. It
 * costs time proportional to these, unless one of their lines moves an older
 * entry (a parent that comes late, another parent for a known id, a cycle):
 * then it links all entries again.
 *
 * Errors are -ENOMEM, or -EFBIG if a number or offset does not fit. Readers
 * need the session's lock; no function here takes one.
 */
#ifndef SESSFS_INDEX_H
#define SESSFS_INDEX_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/idtable.h"

#define INDEX_NONE UINT32_MAX
/* The most entries of a session. Further lines are noted as too long. */
#define INDEX_LIMIT ((uint32_t)1 << 26)

/* The types of entries that all dialects share. */
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
	ENTRY_SILENT, /* of no word to the model, only a link to others */
};

#define ENTRY_BIT(type) ((uint32_t)1 << (type))

/* Of an entry that was not rendered yet. */
#define SIZE_UNKNOWN UINT32_MAX
#define LINES_UNKNOWN UINT32_MAX
#define PICTURES_UNKNOWN UINT16_MAX

struct entry {
	uint64_t offset; /* of its line in the file */
	int64_t time;	 /* ms since 1970, or TIMESTAMP_NONE */
	uint32_t length; /* of the line, without LF */
	uint32_t line;	 /* number of the line, from 1 */
	uint32_t digest; /* of the line, to notice other bytes in its place */
	uint32_t parent; /* or INDEX_NONE for a root */
	uint32_t first_child;
	uint32_t last_child;
	uint32_t next_sibling;
	uint32_t id;	     /* where in index.ids */
	uint32_t stands_for; /* see "Bookkeeping" */
	/*
	 * Set by readers that render the entry first. They may do so at once,
	 * and compute the same: relaxed atomic access.
	 */
	uint32_t content_size;
	uint32_t content_lines;
	uint16_t pictures;
	uint8_t type;	      /* enum entry_type */
	bool plain_name : 1;  /* its id is its file name */
	bool orphan : 1;      /* a root because its parent is missing */
	bool cut : 1;	      /* a root because it was in a cycle */
	bool bookkeeping : 1; /* it only describes other entries */
	bool continues : 1;   /* an entry that is no bookkeeping is below it */
	bool hangs : 1;	      /* on an older entry if its parent is missing */
	bool carries : 1;     /* such entries may hang on it */
	bool bridged : 1;     /* its parent is missing, and it hangs so */
};

/* An entry that is not linked to its parent, and the parent's id. */
struct loose_end {
	uint32_t entry;
	uint32_t line; /* another than the entry's: the end is stale */
	uint32_t id;   /* of the parent, in index.ids */
};

struct loose_ends {
	struct loose_end *list;
	size_t n;
	size_t cap;
};

/* An orphan that a later line may concern (core/session/bridge.h). */
struct loose_entry {
	int64_t time;
	int64_t after; /* the newest time before it of an entry that carries, or
			  INT64_MIN */
};

struct index {
	struct entry *entries;
	uint32_t n;
	uint32_t first_root;
	uint32_t last_root;
	uint32_t orphans; /* roots because their parent is missing */
	uint32_t bridged; /* entries that hang on another one instead */
	uint32_t cycles;  /* that were cut */
	uint32_t relinks; /* how often all entries were linked again */

	/* private */
	size_t cap;
	uint32_t linked;      /* entries before this one are linked */
	bool moved;	      /* an added line moved an older entry */
	struct buf ids;	      /* buf_keep() */
	struct idtable table; /* by id, and by name where that differs */
	/*
	 * An entry with a missing parent has one current end. `wanted` finds an
	 * end by the id that it misses, so that a new entry is recognized as a
	 * parent without looking at all ends. Stale ends stay in both until all
	 * entries are linked again.
	 */
	struct loose_ends missing;
	struct idtable wanted;
	struct loose_ends cuts;
	uint32_t hanging;	   /* orphans that are bridged */
	struct loose_entry *loose; /* by time */
	size_t n_loose;
	size_t cap_loose;
};

/* A line as its dialect reads it. */
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
	bool hangs; /* as in struct entry; neither without a time */
	bool carries;
};

void index_init(struct index *x);
void index_free(struct index *x);

/* Add a line. *entry is its number; *again: an earlier line has the id. */
int index_add(struct index *x, const struct index_line *l, uint32_t *entry,
	      bool *again);

/* Link the entries that were added. Until then they have no place in the tree.
 */
int index_link(struct index *x);

/* The entry with an id, or INDEX_NONE. */
uint32_t index_find(const struct index *x, struct span id);

/* The entry with a file name (core/session/file_name.h), or INDEX_NONE. */
uint32_t index_find_name(const struct index *x, struct span name);

/*
 * Find the entry whose file name starts with a prefix. -ENOENT if none does,
 * -EINVAL if several do, -ENOMEM. Looks at every entry.
 */
int index_find_prefix(const struct index *x, struct span prefix,
		      uint32_t *entry);

/* An id (WTF-8); borrowed, until the index grows. */
struct span index_id(const struct index *x, uint32_t entry);

/*
 * The id of the parent that an orphan misses (WTF-8, borrowed); empty for other
 * entries. Looks at all orphans.
 */
struct span index_missed_id(const struct index *x, uint32_t entry);

void index_add_name(const struct index *x, struct buf *out, uint32_t entry);

/*
 * The first child (or, for INDEX_NONE, root) numbered `from` or higher, or
 * INDEX_NONE. Cheap if the entry before `from` is a child.
 */
uint32_t index_child_from(const struct index *x, uint32_t parent,
			  uint32_t from);

/*
 * The entry after `at` in a walk over all below `top` (INDEX_NONE: over all),
 * parents first: its first child, unless the walk does not go `into` it.
 * INDEX_NONE at the end.
 */
uint32_t index_next_below(const struct index *x, uint32_t top, uint32_t at,
			  bool into);

/*
 * Bookkeeping: entries that only describe other entries or the session, and say
 * nothing themselves, such as labels, marks of the head, and names. So are
 * lines of which the model hears nothing.
 *
 * The dialect's row says which types of entries are bookkeeping
 * (dialect_reading.bookkeeping): for Pi it is in
 * core/dialects/pi/ingest.c.
 *
 * Bookkeeping is linked into the tree like all other entries. Besides, each
 * entry stands for an entry: for itself, or, if it is bookkeeping, for its
 * nearest ancestor that is not. HEAD, path/, branches/ and the drawn trees
 * follow these links, so they show the tree without bookkeeping. HEAD also
 * looks through notes (core/session/contents.c).
 */

/* Is an entry of this type bookkeeping? `types` are a dialect's. */
static inline bool bookkeeping_has(uint32_t types, enum entry_type type)
{
	return types & ENTRY_BIT(type);
}

/* Is the entry a tip: no bookkeeping, and only bookkeeping below it? */
static inline bool bookkeeping_is_tip(const struct index *x, uint32_t entry)
{
	return !x->entries[entry].bookkeeping && !x->entries[entry].continues;
}

/* The parent of an entry in the tree without bookkeeping, or INDEX_NONE. */
static inline uint32_t bookkeeping_shown_parent(const struct index *x,
						uint32_t entry)
{
	uint32_t parent = x->entries[entry].parent;
	return parent == INDEX_NONE ? INDEX_NONE
				    : x->entries[parent].stands_for;
}

/*
 * The entry after `at` (INDEX_NONE: the first) among those that are below `top`
 * (INDEX_NONE: among the roots) with nothing but bookkeeping in between:
 * children and, each after its parent, the children of bookkeeping. INDEX_NONE
 * at the end.
 */
static inline uint32_t bookkeeping_next_below(const struct index *x,
					      uint32_t top, uint32_t at)
{
	if (at == INDEX_NONE)
		return index_child_from(x, top, 0);
	return index_next_below(x, top, at, x->entries[at].bookkeeping);
}

#endif
