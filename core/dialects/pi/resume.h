/*
 * Where Pi and oh-my-pi find a copy of a session: FOLDER/TIME_ID.jsonl, by the
 * header's time and id (dialect_resuming.find_copy). They open it by its path.
 */
#ifndef SESSFS_PI_RESUME_H
#define SESSFS_PI_RESUME_H

#include "core/session/dialect/resuming.h"

int pi_find_copy(const struct session *s, struct resuming_copy *c);

#endif
