/*
 * The edits of labels and names that are in progress (fs/edit/line_file.h).
 *
 * An edit is a truncation by open(2) and the writes after it. It remembers the
 * line before the edit, to restore it if a write is refused, and the line that
 * it has set so far. There are LINE_EDITS slots; a new edit replaces the
 * oldest, but never one whose truncation is pending.
 *
 * An edit ends with the next GETATTR, which the kernel sends before another
 * open, and not between writes. A truncation without a write ends after a
 * minute.
 *
 * Thread-safe: `lock` protects the edits.
 */
#ifndef SESSFS_LINE_EDITS_H
#define SESSFS_LINE_EDITS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"

#define LINE_EDITS 16

struct line_edit {
	uint64_t ino;  /* 0: a free slot */
	uint32_t home; /* of its place, if the truncation is pending */
	uint64_t age;
	bool truncated;	   /* and not written to since */
	bool pending;	   /* the truncation is not applied yet */
	bool ended;	   /* only its bytes are still of use; until then
			      the next open must send a GETATTR */
	int64_t due;	   /* the next try: CLOCK_MONOTONIC in ms */
	int64_t begun;	   /* the same clock */
	struct buf before; /* the line, empty if there was none */
	struct buf result; /* the line that the edit has set so far, */
	struct buf bytes;  /* from these bytes: some formats trim or cut them */
};

struct line_edits {
	pthread_mutex_t lock;
	uint64_t clock;	  /* 0: no edit yet; atomic access */
	unsigned pending; /* truncations; atomic access */
	struct line_edit list[LINE_EDITS];
};

void line_edits_free(struct line_edits *e);

/*
 * Begin an edit of a file, or continue the one that is in progress. `line` is
 * the session's line now, `bytes` those of the file. Does nothing if
 * truncations are pending in all slots.
 */
void line_edits_begin(struct line_edits *e, uint64_t ino, bool truncate,
		      struct span line, struct span bytes);

/*
 * Lock the edits and return that of a file, whose members the caller may read
 * and change. NULL, and nothing is locked, if there is none.
 */
struct line_edit *line_edits_lock(struct line_edits *e, uint64_t ino);
void line_edits_unlock(struct line_edits *e, const struct line_edit *edit);

/* Is `line` the line that the edit has set, or found? It is locked, or NULL. */
bool line_edit_has(const struct line_edit *edit, struct span line);

/* The edit of a file, if there is one, has set this line, from these bytes. */
void line_edits_set(struct line_edits *e, uint64_t ino, struct span line,
		    struct span bytes);

/* Append the bytes from which the edit has set `line`; false if it has not. */
bool line_edits_get_bytes(struct line_edits *e, uint64_t ino, struct span line,
			  struct buf *out);

/*
 * End the edit. True, and the line from before the edit appended, if `line` is
 * still the one that the edit has set.
 */
bool line_edits_undo(struct line_edits *e, uint64_t ino, struct span line,
		     struct buf *before);

/* Free the slot of an edit that has failed, unless a truncation is pending. */
void line_edits_forget(struct line_edits *e, uint64_t ino);

/* End the edit, unless it is a truncation that was not written to yet. */
void line_edits_end(struct line_edits *e, uint64_t ino);

/*
 * Defer the truncation of a file of the place with this home for so many ms.
 * False if there is no edit of it. One that is pending stays as it is.
 */
bool line_edits_defer(struct line_edits *e, uint64_t ino, uint32_t home,
		      int64_t ms);

/* Stop deferring a truncation. False if none was pending. */
bool line_edits_undefer(struct line_edits *e, uint64_t ino);

/* Is a truncation of the file pending? Then it must be shown empty. */
bool line_edits_is_pending(struct line_edits *e, uint64_t ino);

static inline bool line_edits_any_pending(const struct line_edits *e)
{
	return __atomic_load_n(&e->pending, __ATOMIC_ACQUIRE) != 0;
}

/*
 * The files with pending truncations that are due by a time, of the place with
 * this home or of all (LINE_EDITS_ALL). Returns how many.
 */
#define LINE_EDITS_ALL UINT32_MAX
size_t line_edits_list_due(struct line_edits *e, uint32_t home, int64_t by,
			   uint64_t inos[LINE_EDITS]);

/* When the first pending truncation is due; INT64_MAX: none is pending. */
int64_t line_edits_due(struct line_edits *e);

#endif
