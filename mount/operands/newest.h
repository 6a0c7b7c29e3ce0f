/*
 * Sessions in the order in which their files were last written to, the newest
 * first; those of one time in the order in which they were added.
 *
 * Used by one thread at a time.
 */
#ifndef SESSFS_NEWEST_H
#define SESSFS_NEWEST_H

#include "core/places/places.h"

struct newest_item {
	struct place *at; /* pinned */
	void *source;	  /* of the caller */
	struct timespec written;
	size_t number;
};

/* Zeroed: empty. */
struct newest {
	struct newest_item *list;
	size_t n;
	size_t cap;
	size_t next; /* to be taken */
};

/* Take over the pin of a session: 0 or -ENOMEM. */
int newest_add(struct newest *w, struct place *at, void *source);

/* After the last one, before any is taken. */
void newest_sort(struct newest *w);

/* The next one, or NULL. The caller unpins it. */
const struct newest_item *newest_take(struct newest *w);

/* Those that were not taken are the caller's to unpin before. */
void newest_free(struct newest *w);

#endif
