/*
 * The table of all dialects. A new dialect is a row in registry.c. No other
 * module of core/ knows them all: a caller that opens sessions passes the table
 * in struct session_opening (core/session/session.h).
 */
#ifndef SESSFS_DIALECTS_REGISTRY_H
#define SESSFS_DIALECTS_REGISTRY_H

#include "core/session/dialect.h"

extern const struct dialect_registry dialect_registry;

/* Any JSONL file, line by line (lines.c). */
extern const struct dialect dialect_lines;

/*
 * Files of other programs that people take for sessions, by a line that only
 * these write (foreign.c): why they are refused. See dialect_registry.foreign.
 */
const char *foreign_reason(struct json line);

/* The dialect of that name, or NULL. */
const struct dialect *dialect_named(struct span name);

/* Append the names of all dialects, separated by ", ". */
void dialect_add_names(struct buf *out);

#endif
