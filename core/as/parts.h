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

/* Add a block, which is no result; `raw` is its JSON. */
int parts_add_block(struct conversation *c, const struct block *b,
		    struct json raw);

/* Add a text, which is WTF-8. */
int parts_add_text(struct conversation *c, struct span text);

/* Keep the text of a string as it is; nothing of other values. */
int parts_keep_id(struct conversation *c, struct json id, struct span *kept);

#endif
