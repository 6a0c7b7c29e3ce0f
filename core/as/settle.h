/* The rules that hold of every conversation: conversation.h, 1 to 3. */
#ifndef SESSFS_AS_SETTLE_H
#define SESSFS_AS_SETTLE_H

#include "core/as/conversation.h"

/* Order the turns that were collected. 0 or -ENOMEM. Takes linear time. */
int conversation_settle(struct conversation *c);

#endif
