/*
 * The paths that a search has looked at in vain: it has to be repeated once one
 * of them has changed. A zeroed struct has none.
 */
#ifndef SESSFS_SEARCHED_H
#define SESSFS_SEARCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct gate;

struct searched_path {
	char *path;
	bool there;
	bool settled; /* a later change has another ctime */
	struct stat st;
};

struct searched {
	struct gate *gate;
	struct searched_path *list;
	size_t n;
	size_t cap;
};

/*
 * Add a file or a folder, before it is looked at through the same gate. It need
 * not exist. 0 or -ENOMEM.
 */
int searched_add(struct searched *w, struct gate *g, const char *path);

/* Has any of them changed, or may it have? One nofollow_stat() for each. */
bool searched_have_changed(const struct searched *w);

void searched_free(struct searched *w);

#endif
