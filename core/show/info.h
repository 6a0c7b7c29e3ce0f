/*
 * `info`: "key: value" lines about a session and the faults of its file.
 */
#ifndef SESSFS_INFO_H
#define SESSFS_INFO_H

#include "core/session/session.h"

int info_add(const struct session *s, struct buf *out);

/* What can be written: "yes", "HEAD and labels", "labels" or "no". */
const char *info_writable(const struct session *s);

/* Append why the last refused write was refused; there is one. */
void info_add_refusal(const struct session *s, struct buf *out);

/*
 * The process of the agent that has the session open, which `info` tells; or 0.
 * It may change while the session does not.
 */
pid_t info_process(const struct session *s);

#endif
