/*
 * The members that Pi and its relatives need to load, show and send an entry
 * (Pi 1.6.0, oh-my-pi 18.3.4). These are not their type
 * declarations, but the members without which their code throws or loses
 * earlier entries. Types and roles without a rule need no members: agents keep
 * such entries and do not send them.
 */
#ifndef SESSFS_PI_REQUIRED_MEMBERS_H
#define SESSFS_PI_REQUIRED_MEMBERS_H

#include "core/json/json.h"

/* The agent whose rules they are; a rule may be of several. */
enum pi_owner {
	PI_OWNER_PI = 1,
	PI_OWNER_OMP = 2,
	PI_OWNER_DRAFT = 4,
};

/*
 * The first rule that an entry, or a single message, breaks, in words for
 * people; NULL if it breaks none. References to other entries are not checked.
 */
const char *pi_entry_fault(struct json entry, enum pi_owner owner);
const char *pi_message_fault(struct json message, enum pi_owner owner);

#endif
