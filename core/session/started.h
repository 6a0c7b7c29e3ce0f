/*
 * The subagents that the entries of a session have started: the names of their
 * files, without ".jsonl", in the order of the lines that told so. Lines that
 * are appended only add to them.
 */
#ifndef SESSFS_STARTED_H
#define SESSFS_STARTED_H

#include "core/base/buf.h"

/* Inode numbers have 14 bits for the subagents of an entry. */
#define STARTED_LIMIT 16000

struct started_one {
	uint32_t caller; /* the entry with the call */
	uint32_t name;	 /* where in names */
};

/* Of a session. A zeroed one is empty. */
struct started {
	struct started_one *list; /* by caller */
	uint32_t *callers;	  /* in the order of the lines */
	size_t n;
	size_t cap;
	size_t callers_cap;
	struct buf names;
};

void started_free(struct started *a);

/*
 * Add one, unless it is the last that the caller has started, or there are too
 * many. 0 or -ENOMEM.
 */
int started_add(struct started *a, uint32_t caller, struct span name);

/* Append the name of the n-th one of an entry, from 0, or return false. */
bool started_add_name(const struct started *a, uint32_t entry, uint32_t n,
		      struct buf *out);

/* The entry that started the n-th one of the session, or INDEX_NONE. */
uint32_t started_caller(const struct started *a, uint32_t n);

#endif
