/* The rollouts of Codex CLI (sessfs-formats(5)). */
#ifndef SESSFS_CODEX_H
#define SESSFS_CODEX_H

#include "core/session/dialect.h"

extern const struct dialect dialect_codex;

#endif
