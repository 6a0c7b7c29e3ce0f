/*
 * The sessions of several SOURCEs in pieces, for commands that read all entries
 * on all processors (core/base/parallel.h).
 *
 * SOURCEs come in the order in which the user named them, the sessions of a
 * folder by their paths (core/places/walk.h), entries in file order. A small
 * session is one piece, and is indexed by the thread that reads it. A large one
 * is indexed first, and then split. Several pieces make a batch: the task of a
 * sweep.
 *
 * What can't be read is reported in one line on stderr, and the rest goes on.
 * pieces.status is the exit status then.
 */
#ifndef SESSFS_PIECES_H
#define SESSFS_PIECES_H

#include "core/base/bits.h"
#include "core/places/walk.h"
#include "mount/commands/options.h"

/* Larger sessions are split. */
#define PIECES_SPLIT ((off_t)1 << 20)

struct pieces_source;

/* Entries of a session that is split, in the epoch of its pieces. */
struct chosen {
	struct bits entries;
	bool known; /* all of them were added; atomic */
};

/* A session, as long as pieces of it are in use. */
struct pieced {
	struct pieces_source *source;
	struct place *at;  /* pinned */
	uint64_t number;   /* of the session, in the order of pieces, from 1 */
	struct buf name;   /* of its SOURCE, its path below that, or both */
	struct buf prefix; /* of paths in it: "" or "NAME/" */
	uint32_t n;	   /* its entries; INDEX_NONE: it is one piece */
	uint32_t epoch;	   /* for which n is valid */
	bool once;	   /* not pieces.again */
	unsigned users;	   /* atomic */
	/* For the user of pieces: */
	unsigned marked; /* atomic */
	struct chosen chosen;
};

/* The entries [from, to) of a session. */
struct piece {
	struct pieced *of;
	uint32_t from;
	uint32_t to; /* INDEX_NONE: up to the last one */
};

struct batch {
	struct piece *list;
	size_t n;
	size_t cap;
};

struct pieces {
	const struct options *o;
	uint64_t bytes;	  /* of session files that make a batch */
	const char *name; /* in place of each SOURCE's; NULL: its own */
	bool again;	  /* sessions are entered again after a visit */
	int status;	  /* atomic */

	/* private */
	size_t named; /* SOURCEs that were opened */
	struct pieces_source *source;
	struct pieced *split; /* the session that is being split */
	uint32_t done;	      /* entries of it */
	uint64_t sessions;    /* so far */
};

/*
 * The next batch, or NULL at the end. One thread at a time; batch_free() may be
 * called by any. The caller zeroes *p, but for the first four members.
 */
struct batch *pieces_next(struct pieces *p);
void batch_free(struct batch *b);

/* After the last batch was freed. */
void pieces_end(struct pieces *p);

/* Called for each entry of a piece. The session is entered. */
typedef int piece_entry_fn(void *data, const struct session *s, uint32_t entry);

/*
 * Enter the session and visit the entries of a piece. Returns 0 or -errno: the
 * first one that `visit` returns, or -ESTALE if the session was rewritten or
 * removed meanwhile. The caller may try again then.
 */
int piece_visit(const struct piece *p, piece_entry_fn *visit, void *data);

/* Report that a session can't be read. */
void piece_fail(struct pieces *p, const struct piece *piece, int err);

#endif
