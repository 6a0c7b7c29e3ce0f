/*
 * Writing label files (DESIGN.md, "label").
 *
 * A write is applied at once: the bytes take the place of all from that offset
 * on (so that of two writers one wins, and no mixture), and the result must be
 * a label, or nothing happens. The answer is known when write(2) returns.
 *
 * `echo TEXT >label` is a truncation, which clears, and then one or several
 * writes. When one of them turns out to be no label, the entry gets back the
 * label that it had before all of them, unless somebody else has set another
 * one meanwhile. A struct label_edit remembers it while the edit goes on. There
 * is no CLOSE to end it (fs/fs.h). But a later open asks for the attributes,
 * which writes that follow each other do not; and the first write comes within
 * a minute of the truncation, or is no part of it.
 */
#ifndef SESSFS_LABEL_H
#define SESSFS_LABEL_H

#include <pthread.h>
#include <time.h>

#include "fs/kind.h"

#define LABEL_LIMIT 1024

#define LABEL_EDITS 16

struct label_edit {
	uint64_t ino; /* 0: a free slot */
	uint64_t age;
	bool truncated; /* and not yet written to */
	struct timespec when;
	struct buf before; /* the label, empty if there was none */
	struct buf left;   /* what the edit has made of it so far */
};

struct label_edits {
	pthread_mutex_t lock;
	uint64_t clock; /* 0: there was none yet; atomic access */
	struct label_edit list[LABEL_EDITS];
};

struct fs;

int label_edits_init(struct label_edits *e);
void label_edits_free(struct label_edits *e);

/* The attributes of a label have been asked for: its edit is over. */
void label_edit_end(struct label_edits *e, uint64_t ino);

/* Is one going on? Then the next open has to ask for the attributes. */
bool label_is_edited(struct label_edits *e, uint64_t ino);

/* Is it a label: one line of UTF-8, no control characters, short enough? */
bool label_is_valid(struct span text);

/* The session must not be entered. 0 or -errno. */
int label_truncate(struct fs *fs, uint64_t ino, uint64_t size);
int label_write(struct fs *fs, uint64_t ino, uint64_t offset, struct span data);

#endif
