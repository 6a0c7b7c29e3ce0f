/*
 * Where oh-my-pi keeps sessions: in ~/.omp/agent/sessions (PI_CONFIG_DIR,
 * PI_CODING_AGENT_DIR), in its profiles, and below XDG_DATA_HOME. A working
 * directory has a folder there, for which versions have had several names.
 */
#ifndef SESSFS_OMP_SESSIONS_H
#define SESSFS_OMP_SESSIONS_H

#include "core/session/dialect/home.h"

extern const struct dialect_home omp_home;

#endif
