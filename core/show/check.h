/*
 * The faults of a session: those of single lines, which were recorded when the
 * lines were read (problems.h), and those of the whole, such as a missing
 * header. `info` counts them by kind, `sessfs check` lists them by line.
 */
#ifndef SESSFS_CHECK_H
#define SESSFS_CHECK_H

#include "core/session/session.h"

struct check {
	struct unopened unopened; /* why the agent would not open it */
	const char *base;	  /* why its lineage ends early here, or NULL */
	struct span base_name;	  /* which base this is about */
	const char *sidecar;	  /* its fault, or NULL */
	struct problems problems; /* of lines */
};

/* Find the faults. The session must be entered. */
void check_session(const struct session *s, struct check *c);

/* Append "key: value" lines, without the sidecar's and the base's. */
void check_add_info(const struct check *c, struct buf *out);

/*
 * Append lines "FILE: FAULT", then lines "FILE:LINE: FAULT"; nothing if there
 * are no faults. Line breaks in `file` are escaped.
 */
void check_add_lines(const struct check *c, struct span file, struct buf *out);

#endif
