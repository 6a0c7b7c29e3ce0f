/* Pi's sessions, and those of its agent library. */
#ifndef SESSFS_PI_H
#define SESSFS_PI_H

#include "core/session/dialect.h"

extern const struct dialect dialect_harness;
extern const struct dialect dialect_pi;

/* Entries of both say the same, and lines of oh-my-pi are mostly Pi's. */
extern const struct line_rows pi_rows;
extern const struct dialect_showing pi_showing;

#endif
