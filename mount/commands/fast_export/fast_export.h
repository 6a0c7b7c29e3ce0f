/*
 * What a stream for git is made of: the history of a session, names of refs,
 * and the files that tools wrote.
 */
#ifndef SESSFS_FAST_EXPORT_H
#define SESSFS_FAST_EXPORT_H

#include "core/session/session.h"

/*
 * A session as a history: its entries without bookkeeping, each after its
 * parent, with the branch that each is on.
 *
 * Of the children of an entry, the first goes on with the entry's branch, and
 * each other one begins a branch, as roots do. So each tip of the session ends
 * one branch. While the session grows in one epoch, no entry changes its place,
 * its branch or its date.
 *
 * Costs 28 bytes of memory an entry.
 */

struct history_place {
	uint32_t number; /* on the way from its root, from 1; 0: bookkeeping */
	uint32_t branch; /* its first entry */
	uint32_t tip;	 /* of the branch that begins here: its last entry */
	/* In seconds since 1970, of the entry; never before its parent's. */
	int64_t date;
};

struct history {
	uint32_t *order; /* entries */
	uint32_t n;
	struct history_place *places; /* by entry */
};

/* 0 or -ENOMEM; end it then, too. */
int history_begin(struct history *h, const struct session *s);
void history_end(struct history *h);

/*
 * The nearest second that git keeps: none is before 1970, and git 2.47 takes
 * its own commit-graph file for damaged if two commits have one time of over 32
 * bits.
 */
int64_t history_seconds(int64_t ms);

/*
 * Names of git's refs, made of the names of files in by-id/, by-label/ and
 * branches/.
 *
 * A name is one component, which `git check-ref-format` allows. Bytes that git
 * refuses are percent-escaped, as are those at the start of a name with a
 * meaning of its own ("HEAD", a dash). Different names stay different: one that
 * would be too long for a file ends with a digest.
 */
void refs_add(struct buf *out, struct span file_name);

/*
 * The files as they were (core/files/files_at.h), for the folder files/ of a
 * commit.
 *
 *     files/src/wc.c         below the session's working directory
 *     files/@/etc/passwd     elsewhere, as in by-file/
 *
 * A file whose text is no longer known is removed until it is known again.
 */

/*
 * Append the commands for what changed with an entry, which may be none. 0 or
 * an error of core/files/files_at.h.
 */
int files_add(const struct session *s, uint32_t entry, struct buf *out);

/*
 * What is appended from stream_begin_data() on, which returns where that is, is
 * the command's data; stream_end_data() fills in its size.
 */
size_t stream_begin_data(struct buf *out);
void stream_end_data(struct buf *out, size_t from);

#endif
