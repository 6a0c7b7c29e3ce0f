/* oh-my-pi's sessions, and the facets that stand beside their functions. */
#ifndef SESSFS_OMP_H
#define SESSFS_OMP_H

#include "core/session/dialect.h"

extern const struct dialect dialect_omp;

extern const struct dialect_adding omp_adding;
extern const struct dialect_agent omp_agent;
extern const struct dialect_home omp_home;
extern const struct dialect_reading omp_reading;
extern const struct dialect_receiving omp_receiving;
extern const struct dialect_showing omp_showing;
extern const struct dialect_telling omp_telling;
extern const struct dialect_writing omp_writing;

/* What its tools make of files. */
extern const struct dialect_filing omp_filing;

#endif
