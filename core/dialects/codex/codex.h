/* The rollouts of Codex CLI (FORMATS 13). */
#ifndef SESSFS_CODEX_H
#define SESSFS_CODEX_H

#include "core/session/dialect.h"

extern const struct dialect dialect_codex;

#endif
