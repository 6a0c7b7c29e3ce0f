/* How sessions of oh-my-pi are rescued (rescue_rules in dialect.h). */
#ifndef SESSFS_OMP_RESCUE_H
#define SESSFS_OMP_RESCUE_H

#include "core/session/dialect.h"

extern const struct rescue_rules omp_rescue;

#endif
