/*
 * Sessions in pieces, for commands that read all entries on all processors
 * (core/base/parallel.h).
 *
 * Sessions come in the order of a selection (mount/operands/selection.h), and
 * their entries in file order. A small session is one piece, and is indexed by
 * the thread that reads it. A large one is indexed first, and then split.
 * Several pieces make a batch: the task of a sweep.
 *
 * What can't be read is reported in one line on stderr, and the rest goes on.
 * pieces.status is the exit status then.
 */
#ifndef SESSFS_PIECES_H
#define SESSFS_PIECES_H

#include <pthread.h>

#include "core/base/bits.h"
#include "core/file/held_folders.h"
#include "mount/operands/selection.h"

/*
 * Larger sessions are split. With wants() files are prefiltered first; those
 * below the second size stay whole then, so that the prefilters of many files
 * run in parallel.
 */
#define PIECES_SPLIT ((off_t)1 << 20)
#define PIECES_SPLIT_WANTED ((off_t)8 << 20)

struct pieces;

/* Entries of a session that is split, in the epoch of its pieces. */
struct chosen {
	struct bits entries;
	bool known; /* all of them were added; atomic */
};

/* A session, as long as pieces of it are in use. */
struct pieced {
	struct pieces *of;
	const struct session_row *row;
	uint64_t number;   /* of the session, in the order of pieces, from 1 */
	struct span name;  /* row->shown */
	struct buf prefix; /* of paths in it: "" or "NAME/" */
	uint32_t n;	   /* its entries; INDEX_NONE: it is one piece */
	uint32_t epoch;	   /* for which n is valid */
	unsigned users;	   /* atomic */
	pthread_mutex_t lock;	 /* held while it is opened */
	struct session *session; /* by enter_pieced(); or NULL; atomic */
	/* For the user of pieces: */
	unsigned marked; /* atomic */
	struct chosen chosen;
};

/* The entries [from, to) of a session. */
struct piece {
	struct pieced *of;
	uint32_t from;
	uint32_t to; /* INDEX_NONE: up to the last one */
	/* For the user of pieces: */
	bool is_counted;
	uint64_t count;
};

struct batch {
	struct piece *list;
	size_t n;
	size_t cap;
	/* For the user of pieces: of what is printed, the sessions that it */
	uint64_t first; /* begins with, by their numbers, and */
	uint64_t last;	/* ends with */
	size_t heading; /* bytes of the first one's heading */
};

/* What wants() has read of a file. It reads up to the version's size. */
struct piece_file {
	struct version version;
	bool keeps;	  /* all that it reads is to be kept */
	struct buf bytes; /* these, or room for any */
	uint64_t from;	  /* set by it: nothing before this offset is wanted */
};

struct pieces {
	/* The caller sets these, and zeroes the others. */
	const struct select_by *by; /* with of_entries and as_mounted */
	char *const *paths;	    /* none: the agents' sessions */
	size_t n_paths;
	uint64_t bytes; /* of session files that make a batch; atomic */
	void *data;	/* of work() and emit(), which are those of a sweep */
	void (*work)(struct pieces *p, struct batch *b, struct buf *out);
	int (*emit)(struct pieces *p, const struct batch *b,
		    const struct buf *out);
	/*
	 * Optional: may anything of a session with this file, of which nothing
	 * was read, be wanted?
	 */
	bool (*wants)(const struct pieces *p, int fd, struct piece_file *f);

	int status;	   /* atomic */
	bool has_sessions; /* there is one at least, and */
	bool has_selected; /* one that is selected */
	bool has_folders;  /* without PATHs: agents have any */
	bool is_named;	   /* names begin with that of a PATH */

	/* private */
	struct selection selection;
	struct gate *gate;
	struct held_folders folders;
	size_t next;		/* row */
	struct pieced *current; /* the session that pieces are made of */
	uint32_t done;		/* entries of it */
	uint64_t begun;		/* sessions */
};

/* Do all batches. Returns as sweep_run() does. */
int pieces_run(struct pieces *p);

/*
 * Append what its file is called: the path below a PATH, behind the PATH's own
 * name. 0 or -ENOMEM.
 */
int pieced_add_file(const struct pieced *d, struct buf *out);

/* What is done with a piece. The session is entered. */
struct piece_visitor {
	void *data;
	/* Called for each entry. Anything but 0 ends the visit. */
	int (*entry)(void *data, const struct session *s, uint32_t entry);
	/* Drop what entry() has made: the session is visited again. */
	void (*drop)(void *data);
	struct piece_file *file; /* used for one piece after the other */
};

/*
 * Visit the entries of a piece, again if the session was rewritten or removed
 * meanwhile. An error is reported, and what entry() has made stays.
 */
void piece_visit(struct pieces *p, const struct piece *piece,
		 const struct piece_visitor *visitor);

#endif
