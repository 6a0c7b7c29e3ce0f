/*
 * The faults of a session: those of single lines, which were recorded when the
 * lines were read (problems.h), and those of the whole, such as a missing
 * header. `info` counts them by kind, `sessfs check` lists them by line.
 *
 * The session must be entered.
 */
#ifndef SESSFS_CHECK_H
#define SESSFS_CHECK_H

#include "core/session/session.h"

/* Append "key: value" lines, without the sidecar's and the base's. */
void check_add_info(const struct session *s, struct buf *out);

/*
 * Append lines "FILE: FAULT", then lines "FILE:LINE: FAULT"; nothing if there
 * are no faults. Line breaks in `file` are escaped.
 */
void check_add_lines(const struct session *s, struct span file,
		     struct buf *out);

#endif
