/*
 * Places: SOURCE, the folders below it, and the session files in them.
 *
 * A session that SOURCE names is the only place there is. Of a folder, places
 * are made when they are looked up or listed, and dropped when their file turns
 * out to be gone, or to be something else. A session is read when somebody
 * enters it; only so many stay in memory (`keep`, or a few more while threads
 * are in all of them), and of one that was used longest ago a few words are
 * left, by which it can be read again as the same (session_memory).
 *
 * Descriptors. However many sessions stay in memory, only so many of them have
 * their file open (`files`, or a few more while threads are in all of them).
 * The others are parked: the file of the one that was used longest ago is
 * closed, and place_enter() opens it again. An open that fails for want of a
 * descriptor parks another session and is tried again.
 *
 * Numbers. Inode numbers carry 18 bits for the place (fs/tree/ino.h). A place
 * has one for itself, its home; a session also has one for each epoch, for all
 * that is in it. So no two sessions share an inode number, and those of an
 * epoch that is over name nothing. A number that was given back is not given
 * out again before all others were. SOURCE's home is 0. Files that turn out to
 * be no sessions have a place, to be remembered, but no number.
 *
 * Locks. place_get() and place_find() pin a place: it stays, and so does its
 * session, until place_put(). `places.lock` protects the numbers, the tree of
 * places and who is pinned; no file is read and nothing is waited for under it.
 * Who reads it may still pin. `place.lock` is held while a session is opened;
 * it is taken first.
 *
 * Errors are negative errno values.
 */
#ifndef SESSFS_PLACE_H
#define SESSFS_PLACE_H

#include "core/base/brlock.h"
#include "core/places/bits.h"
#include "core/places/folder.h"
#include "core/session/session.h"
#include "core/session/writer.h"

#define PLACE_BITS 18

/* How many sessions stay in memory where nobody says. */
#define PLACES_KEEP 32

/* Each has a number for itself and one for its epoch. */
#define PLACES_MOST (1 << (PLACE_BITS - 1))

/* How many of their files are open, where the limit allows that. */
#define PLACES_FILES 256

/* State that the users of the places keep for each place, in its `attached`. */
struct places_attachment {
	size_t size;			 /* 0: none */
	void (*release)(void *attached); /* before it is freed; may be NULL */
};

struct place {
	struct places *all;
	void *attached;	      /* zeroed when the place is made */
	struct place *folder; /* that it is in; NULL: it is SOURCE */
	bool is_folder;
	char *path;	  /* of its file, absolute */
	char *shown;	  /* its path behind the mount point; "" is SOURCE */
	const char *name; /* the last part of that */
	uint32_t home;	  /* its number; 0: SOURCE's, or it has none yet */
	uint64_t serial;  /* places of a folder are listed in this order */
	unsigned scans;	  /* of a folder: how often; relaxed atomic access */
	struct session *session; /* while entered */
	uint32_t number;	 /* that of its epoch, after place_settle() */
	/*
	 * Held while its session is opened or parked. Users of places may hold
	 * it to protect what is attached, while they enter no session.
	 */
	pthread_mutex_t lock;
	struct place_state *state; /* private */

	/*
	 * fs/kernel/notify.h's, under `lock`. But entries are added to the
	 * sets, and `version` is read, without it.
	 */
	struct told {
		struct told_state {
			uint32_t number; /* of the epoch, or 0 */
			uint32_t first;	 /* entries when the epoch began */
			uint32_t entries;
			uint32_t leaf;
			uint32_t head;
			uint32_t labels; /* label lines */
		} state;
		uint64_t version;  /* of the session, plus 1; atomic access */
		struct bits shown; /* entries whose files it may know */
		struct bits pictured;	/* of them, those with pictures */
		uint32_t most_pictures; /* atomic access */
	} told;
	/* fs/kernel/watch.h's, under `lock`: the file that is watched */
	struct watched {
		bool any; /* atomic access, and so `id` */
		int id;	  /* from 1; -1: it is looked at every so often */
		dev_t dev;
		ino_t ino;
	} watched;
};

struct places {
	struct place *source;
	struct session_opening how; /* sessions are opened; without a memory */
	struct places_attachment attachment;
	bool color; /* tree.txt is in colors; the caller's to set */
	/*
	 * Optional: told, without the lock, when a session is not in memory any
	 * more, or its place is about to go.
	 */
	void (*closed)(void *data, struct place *at);
	void *closed_data;

	struct places_state *state; /* private */
};

/*
 * SOURCE is at this path, absolute and without links. A session is read now;
 * *why is as for session_open(). `attachment` is copied; NULL: nothing is
 * attached to places.
 */
int places_init(struct places *p, const char *path,
		const struct session_opening *how, unsigned keep,
		const struct places_attachment *attachment, const char **why);
void places_free(struct places *p);

/* The place with that number, pinned, or NULL; put it back. */
struct place *place_get(struct places *p, uint32_t number);
void place_put(struct place *at);

/*
 * Enter the session of a place that is pinned; leave it before it is put back.
 * -ESTALE if its file has gone from a folder.
 */
int place_enter(struct place *at);
void place_leave(struct place *at);

/*
 * writer_begin() on the session of a place that is pinned and has been entered
 * since; writer_end() follows on 0.
 */
int place_begin_write(struct place *at, struct writer *w);

/*
 * For callers that open files themselves: if `err` is a want of descriptors,
 * park the session that was used longest ago. Returns true if trying again may
 * help; false if it is another error, or no session can be parked.
 */
bool places_make_room(struct places *p, int err);

/* Let its number be that of the session's epoch; the session is entered. */
int place_settle(struct place *at);

/* The folder that it is in, pinned; NULL above SOURCE. */
struct place *place_above(struct place *at);

/*
 * A file's attributes as they are now, without entering; the mode is as
 * log_mode()'s. SOURCE keeps its last ones while it is gone; others are
 * -ESTALE.
 */
int place_stat(struct place *at, struct stat *st);

/* Find, pinned, what has that name in a folder just now: -ENOENT. */
int place_find(struct place *folder, struct span name, struct place **found);

/*
 * A folder's places: bring them up to date, then take them one by one, pinned,
 * from the serial number `from` on; NULL at the end. -ESTALE if the folder has
 * gone.
 */
int place_scan(struct place *folder);
struct place *place_next(struct place *folder, uint64_t from);

/*
 * For who only watches, pinned, without counting as use: the place with a
 * number; and those whose session is in memory, one by one, behind *number
 * (start at 0), which is moved on. NULL if there is none.
 */
struct place *place_peek(struct places *p, uint32_t number);
struct place *place_next_open(struct places *p, uint32_t *number);
bool place_is_open(struct place *at);

#endif
