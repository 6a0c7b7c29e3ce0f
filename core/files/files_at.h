/*
 * The files as they were at any entry: those whose whole text follows from the
 * way from the root to it, and for all others that were touched on the way why
 * it does not.
 *
 * A call counts from the entry on that has its result. Which file it is of says
 * core/show/touches.h, of which folders here have their numbers; what the call
 * makes of the text says dialect_filing. A text that was seen as a whole counts
 * more than one that was computed. Commands of shells are not followed: a file
 * stays as the session last knew it.
 *
 * Entries share what they have in common with their parents, so that a way is
 * followed once, and an entry costs what it changes. Nothing is read before the
 * first question. What was read is kept (derived.h).
 *
 * A file is known by the entry from which it counts and its place among those
 * of that entry. What is true of an entry depends on the lines before it alone,
 * so that it never changes within an epoch.
 *
 * Functions return -ENOMEM, or the error of reading; -ESTALE if the file was
 * rewritten. INDEX_NONE for an entry is the time before the first one.
 */
#ifndef SESSFS_FILES_AT_H
#define SESSFS_FILES_AT_H

#include "core/files/file_text.h"
#include "core/session/session.h"

/* More files of an entry are left out. */
#define FILES_OF_ENTRY ((uint32_t)1 << 14)

struct file_at {
	uint32_t folder; /* core/show/touches.h */
	bool is_dir;	 /* a folder with known files in it; then the rest
			    says nothing */
	uint32_t entry;	 /* from which it counts */
	uint32_t nth;	 /* of those of that entry */
	enum file_state state;
	bool outside; /* something else was found than was computed */
	bool executable;
	bool shell;    /* a shell was called after that */
	uint32_t call; /* the entry that decided */
	uint64_t size; /* of a text that is known */
};

/*
 * What a folder has under a name (touch_table_real()): 0 or -ENOENT. Only
 * folders and files that are known are found.
 */
int files_at_find(const struct session *s, uint32_t entry, uint32_t folder,
		  struct span name, struct file_at *f);

/*
 * The next file or folder in a folder. *at is the position, from 0: 1 with its
 * name appended and *at after it, or 0.
 */
int files_at_next(const struct session *s, uint32_t entry, uint32_t folder,
		  uint32_t *at, struct buf *name, struct file_at *f);

/* The file with these two numbers: 0 or -ENOENT. */
int files_at_file(const struct session *s, uint32_t entry, uint32_t nth,
		  struct file_at *f);

/* Append the text of such a file. */
int files_at_add_text(const struct session *s, const struct file_at *f,
		      struct buf *out);

/*
 * The file as it was at an entry, as far as what came later on the way to
 * another one tells: what was seen there before any call changed it. Its state
 * is FILE_IS_DELETED if it was not there, or was made later. 0 or -ENOENT: it
 * was touched on neither way.
 */
int files_at_before(const struct session *s, uint32_t entry, uint32_t later,
		    uint32_t folder, struct file_at *f);

/* What is known of a file at an entry: 0 or -ENOENT. */
int files_at_last(const struct session *s, uint32_t entry, uint32_t folder,
		  struct file_at *f);

/* Had a file this text at any entry that was asked for? 1, 0 or -errno. */
int files_at_has_text(const struct session *s, uint32_t folder,
		      struct span text);

/*
 * The n-th folder that was touched on the way to an entry, known or not: 1, 0
 * at the end. *at is the position, from 0.
 */
int files_at_next_touched(const struct session *s, uint32_t entry, uint32_t *at,
			  struct file_at *f);

/*
 * Append files.txt: a line for each path that was touched on the way to an
 * entry, by their paths: the path, what is known of it, the entry that decided,
 * and the size, with tabs between.
 */
int files_at_add_table(const struct session *s, uint32_t entry,
		       struct buf *out);

#endif
