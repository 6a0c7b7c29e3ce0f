/*
 * Tool calls by the entries that have them, remembered while a caller goes from
 * entry to entry, so that results find what they answer.
 *
 * A result names its call by an id. The call is in an entry above it: in the
 * parent, or, where several calls were made at once, above the other results.
 * It is looked for in the CALLS_ABOVE nearest ancestors, as long as their lines
 * have CALLS_BYTES together, so that a result without a call costs little. For
 * the same reason an entry has CALLS_OF_ENTRY calls and results at most, and a
 * call whose id has more than CALL_ID_BYTES in JSON is not found.
 * Which calls are found does not depend on what is remembered.
 *
 * A call is kept with the argument that tells most: the command of a shell, the
 * file of an edit, the pattern of a search. Agents name tools as they like, but
 * their arguments alike. So it is chosen by its own name, and if none of its
 * names is known, it is the first short string.
 */
#ifndef SESSFS_CALLS_H
#define SESSFS_CALLS_H

#include "core/session/block.h"
#include "core/session/session.h"

#define CALLS_ABOVE 32
#define CALLS_BYTES ((uint64_t)4 << 20)
#define CALLS_OF_ENTRY 64
#define CALL_ID_BYTES 1024

struct call {
	struct span id;	      /* WTF-8; empty if it has none, or a long one */
	struct span name;     /* this and the next: plain (words.h) */
	struct span argument; /* the telling one; may be empty */
	bool failed;	      /* its result is an error */
};

/* A list of calls. Zeroed: empty. */
struct call_list {
	struct buf bytes;
	unsigned n;
};

/* Append a call. The list owns a copy. Without memory l->bytes has failed. */
void calls_put(struct call_list *l, const struct call *c);

/* Iterate: begin with the span of l->bytes. Borrowed, until a call is added. */
bool calls_next(struct span *rest, struct call *c);

/*
 * An entry evicts the one that many before it in the file, so entries of one
 * branch, or of a few that were written at once, do not evict each other.
 */
#define CALLS_KEPT 128

struct calls {
	/* private */
	const struct session *s;
	struct buf cwd; /* read when it is first needed */
	bool has_cwd;
	struct buf line;
	struct calls_kept {
		bool is_used;
		uint32_t entry;
		struct call_list list;
	} kept[CALLS_KEPT];
};

void calls_begin(struct calls *c, const struct session *s);
void calls_end(struct calls *c);

/* Add the call of a block (BLOCK_CALL) to a list, up to CALLS_OF_ENTRY. */
void calls_add_block(struct calls *c, struct call_list *l,
		     const struct block *b);

/* Remember the calls of an entry. Takes the list, and leaves another one. */
void calls_keep(struct calls *c, uint32_t entry, struct call_list *l);

/*
 * Find the call with an id above an entry: 0, with *found empty if there is
 * none, or -errno. Borrowed until the next call of a function here.
 */
int calls_find(struct calls *c, uint32_t entry, struct span id,
	       struct call *found);

#endif
