/* Conversations of other agents as sessions of oh-my-pi: see pi/receive.h. */
#ifndef SESSFS_OMP_RECEIVE_H
#define SESSFS_OMP_RECEIVE_H

#include "core/session/dialect.h"

extern const struct dialect_receiving omp_receiving;

#endif
