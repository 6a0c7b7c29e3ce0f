/*
 * Memory for many small things that are freed together. What is in it does not
 * move. A zeroed struct is an empty one. Not thread-safe.
 */
#ifndef SESSFS_ARENA_H
#define SESSFS_ARENA_H

#include "core/json/json.h"

struct arena {
	char **blocks;
	size_t n;
	size_t cap;
	char *at; /* what is free of the last block */
	size_t left;
};

/* n bytes, or NULL. */
char *arena_new(struct arena *a, size_t n);

/* A copy; 0 or -ENOMEM. That of a value is on one line. */
int arena_keep(struct arena *a, struct span *s);
int arena_keep_json(struct arena *a, struct json *v);

void arena_free(struct arena *a);

#endif
