/*
 * The session that one of the Pi family was forked from: `parentSession` in its
 * header, the path of the file, or for oh-my-pi an id. A file that was moved is
 * found beside its fork.
 */
#ifndef SESSFS_PI_PARENT_H
#define SESSFS_PI_PARENT_H

#include "core/session/dialect/bases.h"

extern const struct dialect_bases pi_bases;

#endif
