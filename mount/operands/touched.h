/*
 * The PATH of a file, or of a folder with files in it, whose touches are asked
 * for (core/show/touches.h). It is one of a session if it is that as seen from
 * the session's working directory, or from the user's; "." and what begins with
 * it only from the user's, if that is in the project.
 */
#ifndef SESSFS_TOUCHED_H
#define SESSFS_TOUCHED_H

#include "core/show/touches.h"

struct touched_path {
	const char *path; /* as it was typed; NULL: any */
	char *here;	  /* the user's working directory, or NULL */
};

struct touched_path touched_begin(const char *path);
void touched_end(struct touched_path *p);

/* Is it what a folder's file is called, or around that? 1, 0 or -errno. */
int touched_has(const struct touched_path *p, const struct session *s,
		uint32_t folder);

/* Did an entry do anything with one of it? 1, 0 or -errno. */
int touched_by(const struct touched_path *p, const struct session *s,
	       uint32_t entry);

#endif
