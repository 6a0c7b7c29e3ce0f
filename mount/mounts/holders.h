/*
 * Which processes keep a mount from being unmounted: those with their working
 * directory, their root or an open file in it. Of other users' nobody but root
 * knows.
 */
#ifndef SESSFS_HOLDERS_H
#define SESSFS_HOLDERS_H

#include "core/base/buf.h"

/* Append them, as "bash (1234), vim (77)"; nothing if none is found. */
void holders_add(const char *mnt, struct buf *out);

#endif
