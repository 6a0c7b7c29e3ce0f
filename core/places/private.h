/*
 * The private half of places.h, for the files of this folder.
 *
 * Functions marked "under the lock" need the write side of places.lock; they
 * neither read files nor wait. place.lock is taken before places.lock.
 */
#ifndef SESSFS_PLACES_PRIVATE_H
#define SESSFS_PLACES_PRIVATE_H

#include "core/base/rwlock.h"
#include "core/file/version.h"
#include "core/places/places.h"

/* Places that it borrows. places.lock protects it. */
struct place_list {
	struct place **items;
	size_t n;
	size_t cap;
};

struct place_state {
	/* places.lock protects these. */
	struct version checked;	       /* the file when it was last checked */
	const struct dialect *dialect; /* of its lines; NULL: none yet */
	bool is_shown;		       /* a folder, or a session by its lines */
	bool is_own;	    /* a folder that a session beside it shows */
	bool is_removed;    /* freed when it has no pins */
	bool is_scanned;    /* a folder, of which a scan has ended */
	unsigned pins;	    /* atomic: changes under the read lock */
	uint64_t last_use;  /* atomic: by places.clock */
	uint64_t last_scan; /* atomic: that found it */
	struct place *next_removed;
	struct place_list children; /* by serial number */
	struct place_list by_name;  /* the same */

	/*
	 * place.lock protects these. Eviction sets `memory` without it, while
	 * no thread pins the place.
	 */
	struct session_memory memory;
	uint32_t epoch; /* atomic: the epoch of place.epoch_number */

	/*
	 * Held while the base is looked for; it protects these. Taken before
	 * places.lock, and before place.lock of other places.
	 */
	pthread_mutex_t base_lock;
	bool has_read_base;
	struct buf base_id;   /* of the file that it goes on from (bases.h) */
	struct version based; /* the file that base_id was read from */
	struct buf base_path; /* empty: it was not found */
	struct versions searched; /* then: where it may appear */
};

/*
 * The numbers of places. They are assigned in turn, so a number that was
 * released is not assigned again before all others were. places.lock protects
 * them; a zeroed struct has none.
 */
#define NUMBERS_LIMIT ((uint32_t)1 << PLACE_BITS)

struct numbers {
	struct place **owners; /* by number; NULL: free */
	size_t cap;
	uint32_t n;    /* assigned */
	uint32_t next; /* to assign, if it is free */
};

/* What places_epoch() knows. */
struct quiet {
	pthread_mutex_t lock; /* protects these */
	int inotify;
	uint64_t epoch; /* 0: it is not on */
	int64_t since;	/* when the epoch began, in ms */
	bool is_missed;
};

struct places_state {
	pthread_rwlock_t lock;
	struct quiet quiet;
	unsigned keep; /* sessions in memory */
	struct stat source_stat;
	struct source_set set; /* empty: SOURCE is one file or folder */
	const char **paths;    /* for places.paths */
	struct numbers numbers;
	uint64_t clock; /* atomic: of uses */
	uint64_t serials;
	struct place_list loaded; /* their sessions are in memory */
	struct place *removed;	  /* to be freed by places_unlock() */
};

/* Unlock the write side, then free the places that were removed under it. */
void places_unlock(struct places *p);

/* -- place.c */

/*
 * A place that is in no table yet, or NULL without memory. `file` is the name
 * of its file in the folder; for SOURCE, which has no folder, its path.
 */
struct place *place_new(struct places *p, struct place *folder,
			const char *file, const char *name, bool is_folder);
void place_free(struct place *at);

/* Under either side of the lock: pin, as a use or without counting it. */
void place_pin(struct place *at);
void place_pin_unused(struct place *at);

void numbers_free(struct numbers *l);

/* Assign a number to a place. -ENFILE if none is free; -ENOMEM. */
int numbers_assign(struct numbers *l, struct place *owner, uint32_t *number);
void numbers_release(struct numbers *l, uint32_t number);

/* NULL if the number is free. */
struct place *numbers_owner(const struct numbers *l, uint32_t number);

/* The lowest assigned number above `number`, or NUMBERS_LIMIT. */
uint32_t numbers_next(const struct numbers *l, uint32_t number);

/* Under the lock: remove a place, if it is in the list. The order changes. */
void loaded_remove(struct place_list *list, const struct place *at);

/* Read the session, which was not in memory. Needs place.lock. */
int loaded_read(struct place *at, const char **reason);

/* -- children.c */

/* Under the lock: remove all places in a folder, or of a session. */
void children_clear(struct place *folder);

/* -- quiet.c */

void quiet_free(struct quiet *q);

#endif
