/*
 * Places: SOURCE, the folders below it, and the session files in them. SOURCE
 * may also be a set of several sources (core/places/set.h).
 *
 * If SOURCE is a session, the other places are below it: the folder of the
 * sessions that its subagents wrote (dialect_subagents), which any session may
 * have. The places of a folder are made when they are looked up or listed. They
 * are removed when a lookup or a scan finds that their file was deleted or is
 * of another type. A session is read when it is first entered. At most `keep`
 * sessions stay in memory, or a few more while threads are in all of them. The
 * one that was used longest ago is evicted. A session_memory of it stays, so
 * that its epoch goes on when it is read again.
 *
 * Numbers. Inode numbers carry PLACE_BITS for the place (fs/tree/ino.h). Each
 * place has a number of its own, its home. A session has another for each
 * epoch, for all files in it. So no two sessions share an inode number, and the
 * inode numbers of a past epoch are stale. A number that was released is not
 * assigned again before all others were. SOURCE's home is 0. A file that is not
 * a session has a place, so that its lines are not read again, but no number.
 *
 * Locks. A pinned place stays in memory, and so does its session, until
 * place_put(). places.lock, which is private, protects the numbers, the tree
 * and the pins. No file is read and nothing is waited for under it. place.lock
 * is held while a session is read; it is taken before places.lock.
 */
#ifndef SESSFS_PLACES_H
#define SESSFS_PLACES_H

#include "core/base/rwlock.h"
#include "core/places/folder.h"
#include "core/places/set.h"
#include "core/session/session.h"

#define PLACE_BITS 18

/* The default for `keep`. */
#define PLACES_KEEP 32

/* Each session has a home and a number for its epoch. */
#define PLACES_KEEP_MAX (1 << (PLACE_BITS - 1))

/* State that users of places keep for each place, in its `attached`. */
struct places_attachment {
	size_t size;			 /* 0: none */
	void (*release)(void *attached); /* before it is freed; may be NULL */
};

struct place {
	struct places *places;
	void *attached; /* zeroed when the place is made */
	/*
	 * The folder that it is in; NULL: SOURCE. Of a folder that is shown in
	 * a session, that session.
	 */
	struct place *parent;
	bool is_folder;
	/* SOURCE, if it is several; it has no file then, and "/" as path. */
	const struct source_set *set;
	char *path;	  /* of its file, absolute */
	char *mount_path; /* below the mount point; "" is SOURCE */
	const char *name; /* the last part of mount_path */
	uint32_t home;	  /* 0: SOURCE, or none yet */
	uint64_t serial;  /* places of a folder are listed in this order */
	/*
	 * Of a folder: how often its set of names has changed since the first
	 * scan ended; before that nobody knows it. Relaxed atomic access.
	 */
	unsigned changes;
	struct session *session; /* valid while entered */
	uint32_t epoch_number;	 /* after place_assign_number() */
	/*
	 * Held while its session is read. Users of places may protect
	 * what is attached by it; they must not enter a session then.
	 */
	pthread_mutex_t lock;
	struct place_state *state; /* private */
};

struct places {
	struct place *source;
	/* Of SOURCE, or of all in the set; NULL at the end. */
	const char *const *paths;
	/* Of each session; without a memory. places_init() makes the gate. */
	struct session_opening opening;
	struct places_attachment attachment;
	/* Of tree.txt; the caller sets them. */
	bool color;
	unsigned columns; /* 0: as many as usual */
	/*
	 * Optional. Called without places.lock after a session was evicted, and
	 * before a place is freed.
	 */
	void (*unloaded)(void *data, struct place *at);
	void *unloaded_data;

	struct places_state *state; /* private */
};

/*
 * Start with SOURCE at an absolute path without links. A session is read now;
 * *reason is as for session_open(). `attachment` is copied; NULL: nothing is
 * attached to places. The caller calls places_free() after an error, too.
 */
int places_init(struct places *p, const char *path,
		const struct session_opening *opening, unsigned keep,
		const struct places_attachment *attachment,
		const char **reason);

/*
 * The same with a set of sources, which is taken over, even on failure. None of
 * them is read.
 */
int places_init_set(struct places *p, struct source_set *set,
		    const struct session_opening *opening, unsigned keep,
		    const struct places_attachment *attachment);
void places_free(struct places *p);

/*
 * The place with a number, pinned, or NULL. place_put() unpins it. places_get()
 * counts as a use of the session. places_peek() does not: it is for threads
 * that only watch.
 */
struct place *places_get(struct places *p, uint32_t number);
struct place *places_peek(struct places *p, uint32_t number);
void place_put(struct place *at);

/*
 * Has anything changed below SOURCE? places_epoch() returns a number. What was
 * found by a look at all files that began after that is current for as long as
 * the number stays. places_watch() is called once before there are threads. Who
 * looks calls places_watch_sources() first, for the folders that the sources of
 * a set are in, and places_watch_folder() with each folder that is open, before
 * it is read (inotify).
 *
 * It stays for a second at most: changes by way of a hard link elsewhere, other
 * mounts, and renamed folders above SOURCE cause no event. It changes with each
 * call where a folder can't be watched: a remote filesystem, or too many
 * watches; and after places_miss(), for what else a caller's result depends on.
 * places_miss_after() an error by which something was passed over is that, if
 * the error says nothing about it (core/file/fault.h): no event tells of its
 * end.
 * 0 without places_watch(): nothing is known.
 */
void places_watch(struct places *p);
uint64_t places_epoch(struct places *p);
void places_miss(struct places *p);
void places_miss_after(struct places *p, int err);
void places_watch_folder(struct places *p, int folder);
void places_watch_sources(struct places *p);

/*
 * Iterate over the places whose session is in memory, pinned, without counting
 * as a use. *number is the position and starts at 0. NULL at the end.
 */
struct place *places_next_loaded(struct places *p, uint32_t *number);
bool place_is_loaded(struct place *at);

/*
 * Enter the session of a pinned place, and read it first if it is not in
 * memory. place_leave() comes before place_put(). -ESTALE if the file in
 * a folder was deleted, or is not a session any more.
 */
int place_enter(struct place *at);
void place_leave(struct place *at);

/* Set epoch_number for the current epoch of the session, which is entered. */
int place_assign_number(struct place *at);

/* The folder that it is in, pinned. NULL for SOURCE and for removed places. */
struct place *place_parent(struct place *at);

/*
 * The current attributes of its file, without entering. The mode is that of
 * log_mode(). If the file was deleted, SOURCE keeps its last attributes;
 * other places are -ESTALE.
 */
int place_stat(struct place *at, struct stat *st);

/* Look a name up in a folder on the disk. *found is pinned. -ENOENT if none. */
int place_find(struct place *folder, struct span name, struct place **found);

/*
 * The same for a folder in a session's own folder, the one beside its file that
 * has its name. It becomes a place below the session.
 */
int place_find_below(struct place *at, const char *name, struct place **found);

/*
 * The path of a file in a folder, or in a session's own folder; NULL without
 * memory. The caller calls free(). In a set the file is a source's path.
 */
char *place_path(const struct place *at, const char *file);

/*
 * The name of the folder that has the sessions of subagents (dialect_subagents)
 * of a session in a folder; NULL if its dialect has none.
 */
const char *place_subagents(struct place *at);

/*
 * place_scan() updates the places of a folder from the disk. -ESTALE if the
 * folder was deleted. place_next_child() then iterates over them: it returns
 * the first from serial number `from` on, pinned, or NULL at the end.
 */
int place_scan(struct place *folder);
struct place *place_next_child(struct place *folder, uint64_t from);

#endif
