/* How sessions of oh-my-pi are rescued (struct dialect_rescue). */
#ifndef SESSFS_OMP_RESCUE_H
#define SESSFS_OMP_RESCUE_H

#include "core/session/dialect.h"

extern const struct dialect_rescue omp_rescue;

#endif
