/*
 * Where Pi keeps sessions: PI_CODING_AGENT_SESSION_DIR, else `sessionDir` in
 * the settings of the working directory or of the user, else a folder for each
 * working directory in ~/.pi/agent/sessions (PI_CODING_AGENT_DIR).
 */
#ifndef SESSFS_PI_HOME_H
#define SESSFS_PI_HOME_H

#include "core/session/dialect/home.h"

extern const struct dialect_home pi_home;

#endif
