/* A conversation's turns as they are sent, before settle.h orders them. */
#ifndef SESSFS_AS_COLLECT_H
#define SESSFS_AS_COLLECT_H

#include "core/as/conversation.h"

/*
 * Add the turns of a context. Of turns and calls the ids are still the agent's
 * own, and results stand where they came. 0 or -errno.
 */
int conversation_collect(struct conversation *c, const struct session *s,
			 uint32_t entry);

#endif
