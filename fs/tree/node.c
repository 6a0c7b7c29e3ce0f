#include "fs/tree/node.h"

#include <errno.h>

bool node_is_outside(const struct node *n)
{
	return node_is_unentered(n) ||
	       (n->kind == KIND_ROOT && n->place->parent);
}

bool node_is_unentered(const struct node *n)
{
	return n->place->is_folder || n->kind == KIND_FORKS;
}

struct node node_head(struct place *at)
{
	struct node n = { .kind = KIND_HEAD, .place = at };
	uint32_t head = session_head(at->session);
	if (head == INDEX_NONE)
		n.nth = NODE_HEAD_TREE;
	else
		n.entry = head;
	return n;
}

bool node_has_entry(const struct node *n)
{
	return node_kind_has_entry(n->kind) ||
	       (n->kind == KIND_HEAD && n->nth != NODE_HEAD_TREE);
}

bool node_is_entry_folder(const struct node *n)
{
	return n->kind == KIND_TREE_ENTRY || n->kind == KIND_ID_ENTRY;
}

int node_writable(const struct node *n)
{
	if (node_is_unentered(n))
		return n->place->places->opening.read_only ? -EROFS : -EPERM;
	return session_writable(n->place->session);
}

bool node_is_head_folder(const struct node *n)
{
	uint32_t head = session_head(n->place->session);
	if (head == INDEX_NONE)
		return n->kind == KIND_TREE;
	return n->kind == KIND_ID_ENTRY && n->entry == head;
}

int node_check_file(const struct session *s, int err)
{
	return err == -ESTALE && !session_is_whole(s) ? -EAGAIN : err;
}
