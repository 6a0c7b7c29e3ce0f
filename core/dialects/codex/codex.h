/*
 * The rollouts of Codex CLI (sessfs-formats(5)), and the facets that stand
 * beside their functions.
 */
#ifndef SESSFS_CODEX_H
#define SESSFS_CODEX_H

#include "core/session/dialect.h"

extern const struct dialect dialect_codex;

extern const struct dialect_adding codex_adding;
extern const struct dialect_agent codex_agent;
extern const struct dialect_bases codex_bases;
extern const struct dialect_home codex_home;
extern const struct dialect_reading codex_reading;
extern const struct dialect_receiving codex_receiving;
extern const struct dialect_resuming codex_resuming;
extern const struct dialect_showing codex_showing;
extern const struct dialect_telling codex_telling;
extern const struct dialect_touching codex_touching;

/* What its tools make of files. */
extern const struct dialect_filing codex_filing;

#endif
