/*
 * Where a path is in a mount. Each folder there says what it is, by an extended
 * attribute (fs/tree/xattr.h). Paths may be longer than PATH_MAX below tree/.
 * Errors are negative errno values.
 */
#ifndef SESSFS_MOUNTED_H
#define SESSFS_MOUNTED_H

#include <stdbool.h>

#include "core/session/session.h"

enum mounted_kind {
	MOUNTED_NOT,	 /* not in a mount, or a folder that says nothing */
	MOUNTED_SESSION, /* the root of one */
	MOUNTED_FOLDER,	 /* of sessions */
	MOUNTED_SET,	 /* of several sources, with by-project/ and by-day/ */
	MOUNTED_ENTRY,	 /* an entry's folder in by-id/ */
	MOUNTED_SUBTREE, /* the same in tree/ */
};

struct mounted_folder {
	enum mounted_kind kind;
	/* Of a session and a folder: the path on the disk; of an entry: its
	 * name in by-id/. */
	char *at;
	struct session_opening how; /* as the mount was told; no more is set */
};

static inline bool mounted_has_path(const struct mounted_folder *f)
{
	return f->kind == MOUNTED_SESSION || f->kind == MOUNTED_FOLDER;
}

/* What does a folder say that it is? 0 or -ENOMEM; mounted_folder_free() it. */
int mounted_ask(struct mounted_folder *f, const char *path);
void mounted_folder_free(struct mounted_folder *f);

struct mounted {
	char *root;   /* of the session, absolute, without symlinks */
	char *source; /* its file */
	struct session_opening how;
	char *entry;  /* the folder of an entry that it is or is in, as named in
			 by-id/; or NULL */
	bool in_tree; /* the entry's folder is the one in tree/ */
};

/*
 * Find the session that a path is in; a file stands for its folder. -ESRCH if
 * it is in none, or the error of reaching it. The caller calls mounted_free().
 */
int mounted_find(struct mounted *m, const char *path);
void mounted_free(struct mounted *m);

/* The kind alone; MOUNTED_NOT also without memory. */
enum mounted_kind mounted_kind_of(const char *path);

/* Is it the root of a session, or that of several sources? */
bool mounted_is_open(const char *path);

/* Do two paths lead to the same file? */
bool mounted_same_file(const char *a, const char *b);

#endif
