/*
 * What is wrong with a session: what was noted of its lines when they were read
 * (problems.h), and what shows only when all of them are there. `info` says it
 * by kind, `sessfs --check` by line.
 */
#ifndef SESSFS_CHECK_H
#define SESSFS_CHECK_H

#include "core/session/session.h"

struct check {
	const char *header;	  /* "no" or "late", or NULL: it is fine */
	const char *sidecar;	  /* what is wrong with that, or NULL */
	struct problems problems; /* of lines */
};

/* The session is entered. */
void check_session(const struct session *s, struct check *c);

/* "key: value" lines, but for the sidecar. */
void check_add_info(const struct check *c, struct buf *out);

/*
 * "FILE: what" and "FILE:LINE: what", in this order; nothing if nothing is
 * wrong. `file` is made to stay on one line.
 */
void check_add_lines(const struct check *c, struct span file, struct buf *out);

#endif
