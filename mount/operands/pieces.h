/*
 * The sessions of several SOURCEs in pieces, for commands that read all entries
 * on all processors (core/base/parallel.h).
 *
 * SOURCEs come in the order in which the user named them, the sessions of a
 * folder by their paths (core/places/walk.h); or, with pieces.newest_first, the
 * sessions of all of them by time. Entries come in file order. A small
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
#include "core/file/held_folders.h"
#include "core/places/walk.h"
#include "mount/cli/command.h"
#include "mount/operands/newest.h"

/*
 * Larger sessions are split. Those that are read once to see whether they are
 * wanted are split above the second size: until then all processors do that.
 */
#define PIECES_SPLIT ((off_t)1 << 20)
#define PIECES_SPLIT_WANTED ((off_t)8 << 20)

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
	uint64_t size;	   /* of its file */
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
	/* The caller sets these, and zeroes the others. */
	const struct options *o;
	uint64_t bytes;	  /* of session files that make a batch; atomic */
	const char *name; /* in place of each SOURCE's; NULL: its own */
	bool again;	  /* sessions are entered again after a visit */
	bool newest_first;
	int64_t since; /* of files last written to before, in ms, none is
			  read; 0: all are */
	void *data;    /* of work() and emit(), which are those of a sweep */
	void (*work)(struct pieces *p, const struct batch *b, struct buf *out);
	int (*emit)(struct pieces *p, const struct buf *out);
	/* Optional: may anything of a session with this file be wanted? */
	bool (*wants)(const struct pieces *p, int fd);

	int status;	   /* atomic */
	bool has_sessions; /* there is one at least, so far */

	/* private */
	size_t named; /* SOURCEs that were opened */
	struct held_folders folders;
	struct pieces_source *source;
	struct pieced *current; /* the session that pieces are made of */
	uint32_t done;		/* entries of it */
	uint64_t begun;		/* sessions */
	struct newest waiting;	/* with newest_first: sessions */
	bool is_sorted;
};

/* Do all batches. Returns as sweep_run() does. */
int pieces_run(struct pieces *p);

/* What is done with a piece. The session is entered. */
struct piece_visitor {
	void *data;
	/* Called for each entry. Anything but 0 ends the visit. */
	int (*entry)(void *data, const struct session *s, uint32_t entry);
	/* Drop what entry() has made: the session is visited again. */
	void (*drop)(void *data);
};

/*
 * Visit the entries of a piece, again if the session was rewritten or removed
 * meanwhile. An error is reported, and what entry() has made stays.
 */
void piece_visit(struct pieces *p, const struct piece *piece,
		 const struct piece_visitor *visitor);

#endif
