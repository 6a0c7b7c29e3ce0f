/*
 * The dialects, each defined in the file of its name beside this one. Only
 * core/session/dialect.c and the relatives of Pi name one: all others get a
 * session's dialect from its `struct session`.
 */
#ifndef SESSFS_DIALECTS_DIALECTS_H
#define SESSFS_DIALECTS_DIALECTS_H

#include "core/session/dialect.h"

extern const struct dialect dialect_claude;
extern const struct dialect dialect_draft_index;
extern const struct dialect dialect_draft_uuid;
extern const struct dialect dialect_go_tree;
extern const struct dialect dialect_harness;
extern const struct dialect dialect_lines;
extern const struct dialect dialect_omp;
extern const struct dialect dialect_pi;

#endif
