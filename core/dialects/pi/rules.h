/*
 * What Pi and its relatives need of an entry to load it, show it and send it
 * (FORMATS.md, sections 3.4 and 3.11; Pi 0.87.1 and 1.5.2, oh-my-pi 18.2.0).
 * Not what their types say: only that without which their code throws, or loses
 * what comes before. Of types and roles that are not listed nothing is needed:
 * the agents keep such entries, and send nothing of them.
 */
#ifndef SESSFS_PI_RULES_H
#define SESSFS_PI_RULES_H

#include "core/json/json.h"

/* Whose rules; a row of the tables may be of several. */
enum pi_owner {
	PI_OWNER_PI = 1,
	PI_OWNER_OMP = 2,
	PI_OWNER_HARNESS = 4,
	PI_OWNER_DRAFT = 8,
};

/*
 * What is wrong with an entry, or with a message by itself, in words for
 * people; NULL if nothing is. What an entry says of others is not looked at.
 */
const char *pi_entry_fault(struct json entry, enum pi_owner owner);
const char *pi_message_fault(struct json message, enum pi_owner owner);

#endif
