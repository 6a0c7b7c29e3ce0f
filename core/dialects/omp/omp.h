/* oh-my-pi's sessions. */
#ifndef SESSFS_OMP_H
#define SESSFS_OMP_H

#include "core/session/dialect.h"

extern const struct dialect dialect_omp;

#endif
