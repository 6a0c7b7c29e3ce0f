/*
 * `info`: "key: value" lines about a session and the faults of its file.
 */
#ifndef SESSFS_INFO_H
#define SESSFS_INFO_H

#include "core/session/session.h"

int info_add(const struct session *s, struct buf *out);

#endif
