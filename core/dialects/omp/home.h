/*
 * The folders of oh-my-pi (pi-utils, dirs.ts; 18.3.4), as its environment sets
 * them: OMP_PROFILE, PI_PROFILE, PI_CONFIG_DIR, PI_CODING_AGENT_DIR,
 * XDG_DATA_HOME and HOME. Only this process's environment is read; the agent
 * also reads .env files.
 *
 * The functions append a path; `out` fails when memory runs out.
 */
#ifndef SESSFS_OMP_HOME_H
#define SESSFS_OMP_HOME_H

#include "core/base/buf.h"

/* The folder that all profiles share: ~/.omp. */
void omp_add_config_root(struct buf *out);

/* The folder of the profile's data: ~/.omp/agent. */
void omp_add_data_folder(struct buf *out);

#endif
