/*
 * Writing the files that hold one line: an entry's label, the session's name
 * (DESIGN.md, "label").
 *
 * A write is applied at once: the bytes take the place of all from that offset
 * on (so that of two writers one wins, and no mixture), and the result must be
 * such a line, or nothing happens. The answer is known when write(2) returns.
 *
 * `echo TEXT >label` is a truncation, which clears, and then one or several
 * writes. When one of them turns out to be no such line, the file gets back the
 * line that it had before all of them, unless somebody else has set another
 * one meanwhile. A struct oneline_edit remembers it while the edit goes on.
 * There is no CLOSE to end it (fs/fs.h). But a later open asks for the
 * attributes, which writes that follow each other do not; and the first write
 * comes within a minute of the truncation, or is no part of it.
 */
#ifndef SESSFS_ONELINE_H
#define SESSFS_ONELINE_H

#include <pthread.h>
#include <time.h>

#include "fs/kind.h"

#define ONELINE_LIMIT 1024

#define ONELINE_EDITS 16

struct oneline_edit {
	uint64_t ino; /* 0: a free slot */
	uint64_t age;
	bool truncated; /* and not yet written to */
	bool over;	/* it is remembered for its bytes only */
	struct timespec when;
	struct buf before; /* the line, empty if there was none */
	struct buf left;   /* what the edit has made of it so far, */
	struct buf bytes;  /* of these bytes: some formats trim or cut it */
};

struct oneline_edits {
	pthread_mutex_t lock;
	uint64_t clock; /* 0: there was none yet; atomic access */
	struct oneline_edit list[ONELINE_EDITS];
};

struct fs;

int oneline_edits_init(struct oneline_edits *e);
void oneline_edits_free(struct oneline_edits *e);

/* The attributes of a file have been asked for: its edit is over. */
void oneline_edit_end(struct oneline_edits *e, uint64_t ino);

/* Is one going on? Then the next open has to ask for the attributes. */
bool oneline_is_edited(struct oneline_edits *e, uint64_t ino);

/* Is it such a line: UTF-8, no control characters, short enough? */
bool oneline_is_valid(struct span text);

/* The session must not be entered. 0 or -errno. */
int oneline_truncate(struct fs *fs, uint64_t ino, uint64_t size);
int oneline_write(struct fs *fs, uint64_t ino, uint64_t offset,
		  struct span data);

#endif
