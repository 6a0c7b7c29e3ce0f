/*
 * All dialects. This is the only place that knows every one of them; whoever
 * opens a session hands the registry in (core/session/session.h, struct
 * session_opening). A new dialect is a row in registry.c.
 */
#ifndef SESSFS_DIALECTS_REGISTRY_H
#define SESSFS_DIALECTS_REGISTRY_H

#include "core/session/dialect.h"

extern const struct dialect_registry dialect_registry;

/* The dialect of that name, or NULL. */
const struct dialect *dialect_named(struct span name);

/* Append the names of all dialects, separated by ", ". */
void dialect_add_names(struct buf *out);

#endif
