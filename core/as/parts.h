/*
 * The blocks of a context as parts of a conversation: conversation.h, 4 to 9.
 * Each is added to the turn that was added last. All return 0 or -ENOMEM.
 */
#ifndef SESSFS_AS_PARTS_H
#define SESSFS_AS_PARTS_H

#include "core/as/conversation.h"
#include "core/session/block.h"

/* Add an empty turn, and a part to the last turn. */
int conversation_add_turn(struct conversation *c, struct turn t);
int conversation_add_part(struct conversation *c, struct part p);

/* Add a block, which is no result. */
int parts_add_block(struct conversation *c, const struct block *b);

/* Add a text, which is WTF-8. */
int parts_add_text(struct conversation *c, struct span text);

/* Keep a copy of these bytes, and of the text of a string, or nothing. */
int conversation_keep(struct conversation *c, struct span *s);
int parts_keep_id(struct conversation *c, struct json id, struct span *kept);

/*
 * settle.c: order the turns that were collected, by the rules that hold of
 * every conversation (conversation.h, 1 to 3). Takes linear time.
 */
int conversation_settle(struct conversation *c);

#endif
