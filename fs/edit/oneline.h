/*
 * Writing the files that hold one line: an entry's label, the session's name
 * (DESIGN.md, "label").
 *
 * A write is applied at once: the bytes take the place of all from that offset
 * on (so that of two writers one wins, and no mixture), and the result must be
 * such a line, or nothing happens. The answer is known when write(2) returns,
 * and what was accepted is on the disk then.
 *
 * `echo TEXT >label` is a truncation by open(2), and then one or several
 * writes. The truncation waits: a write that follows takes its place, so that
 * one entry is written and not two, and none if the text is refused. There is
 * no CLOSE that would say that no write follows (fs/kernel/fs.h). So the line
 * is cleared in the session when anybody looks at anything in the mount, after
 * ONELINE_WAIT_MS, or when the mount ends, whichever comes first: in the mount
 * nobody sees the old line, and only who reads the session file itself can find
 * it there a moment longer. The locks are tried before the truncation is
 * accepted. ftruncate(2) clears at once.
 *
 * A program that writes a text in pieces (bash does, line by line) gets each
 * piece accepted or refused by itself: the first lies on the disk before the
 * second is known. When a later piece is refused, the file gets back the line
 * that it had before all of them, unless somebody else has set another one
 * meanwhile; that is an entry more. A struct oneline_edit remembers the line
 * while the edit goes on. A later open asks for the attributes, which writes
 * that follow each other do not; and the first write comes within a minute of
 * the truncation, or is no part of it.
 */
#ifndef SESSFS_ONELINE_H
#define SESSFS_ONELINE_H

#include <pthread.h>
#include <time.h>

#include "fs/tree/node.h"

#define ONELINE_LIMIT 1024

#define ONELINE_EDITS 16

/* How long a truncation waits for the write that follows it. */
#define ONELINE_WAIT_MS 100

struct oneline_edit {
	uint64_t ino; /* 0: a free slot */
	uint64_t age;
	bool truncated; /* and not yet written to */
	bool waits;	/* the truncation, and is not in the session yet */
	bool over;	/* it is remembered for its bytes only */
	int64_t due;	/* until when it waits: CLOCK_MONOTONIC in ms */
	struct timespec when;
	struct buf before; /* the line, empty if there was none */
	struct buf left;   /* what the edit has made of it so far, */
	struct buf bytes;  /* of these bytes: some formats trim or cut it */
};

struct oneline_edits {
	pthread_mutex_t lock;
	uint64_t clock; /* 0: there was none yet; atomic access */
	/* Truncations that wait, or are being brought to the session: atomic */
	unsigned waiting;
	pthread_mutex_t settling; /* held for that; taken before `lock` */
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

/* Does a truncation of the file wait? Then it shows as empty. */
bool oneline_is_emptied(struct oneline_edits *e, uint64_t ino);

/*
 * Bring truncations that wait to their sessions; nothing must be entered. One
 * that fails (its session has become another one) is dropped.
 */
void oneline_settle(struct fs *fs);

/* When the first of them is due, or INT64_MAX. */
int64_t oneline_due(struct oneline_edits *e);

/*
 * The session must not be entered. 0 or -errno. `opens`: the truncation is that
 * of open(2), and may wait.
 */
int oneline_truncate(struct fs *fs, uint64_t ino, uint64_t size, bool opens);
int oneline_write(struct fs *fs, uint64_t ino, uint64_t offset,
		  struct span data);

#endif
