/*
 * Files of other programs that people take for sessions, by a line that only
 * these write. sessfs refuses them and says what they are.
 */
#ifndef SESSFS_FOREIGN_H
#define SESSFS_FOREIGN_H

#include "core/json/json.h"

/* See dialect_registry.foreign. */
const char *foreign_reason(struct json line);

#endif
