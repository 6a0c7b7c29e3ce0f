#include "fs/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/tree/file_links.h"
#include "fs/tree/groups.h"
#include "fs/tree/ino.h"
#include "fs/tree/sessions.h"

int tree_init(struct tree *t, struct places *places, const char *mountpoint,
	      const char *spelled)
{
	*t = (struct tree){ .places = places,
			    .mountpoint =
				    mountpoint ? strdup(mountpoint) : NULL,
			    .spelled = spelled ? strdup(spelled) : NULL };
	cache_init(&t->cache);
	t->sessions = sessions_new();
	if (!t->sessions)
		return -ENOMEM;
	t->groups = groups_new();
	if (!t->groups)
		return -ENOMEM;
	return (mountpoint && !t->mountpoint) || (spelled && !t->spelled)
		       ? -ENOMEM
		       : 0;
}

void tree_free(struct tree *t)
{
	cache_free(&t->cache);
	groups_free(t->groups);
	sessions_free(t->sessions);
	free(t->mountpoint);
	free(t->spelled);
}

int tree_node(struct place *at, uint64_t ino, struct node *n)
{
	uint32_t number = ino_place(ino);
	if (!ino_decode(ino, n))
		return -ESTALE;
	n->place = at;
	if (at->is_folder) {
		if (ino == KIND_ROOT)
			n->kind = KIND_FOLDER;
		bool grouped =
			n->kind >= KIND_BY_PROJECT && n->kind <= KIND_GROUP;
		return n->kind >= KIND_FOLDER && n->kind <= KIND_IGNORE &&
				       (at->set || !grouped)
			       ? 0
			       : -ESTALE;
	}
	if (n->kind == KIND_FORKS)
		return at->parent && number == at->home ? 0 : -ESTALE;
	int err = place_assign_number(at);
	if (err || (n->kind >= KIND_FOLDER && n->kind <= KIND_SESSIONS))
		return err ? err : -ESTALE;
	if (ino_is_home(n->kind))
		return number == at->home ? 0 : -ESTALE;
	if (number != at->epoch_number ||
	    (node_has_entry(n) && n->entry >= at->session->now.index.n))
		return -ESTALE;
	if (n->kind == KIND_FILE_FOLDER || n->kind == KIND_FILE_LINK)
		err = file_links_check(n);
	return err == -ENOENT ? -ESTALE : err;
}

int tree_enter_place(struct tree *t, struct place *at)
{
	return t->hook.enter ? t->hook.enter(t->hook.data, at)
			     : place_enter(at);
}

int tree_enter(struct tree *t, uint64_t ino, struct node *n)
{
	struct place *at = places_get(t->places, ino_place(ino));
	if (!at)
		return -ESTALE;
	*n = (struct node){ .kind = ino_kind(ino), .place = at };
	int err = node_is_unentered(n) ? 0 : tree_enter_place(t, at);
	if (err) {
		place_put(at);
		return err;
	}
	err = tree_node(at, ino, n);
	if (err)
		tree_leave(n);
	return err;
}

void tree_leave(const struct node *n)
{
	if (!node_is_unentered(n))
		place_leave(n->place);
	place_put(n->place);
}

int tree_find_outside(struct tree *t, uint64_t ino, struct node *n)
{
	if (!ino_is_home(ino_kind(ino)))
		return -ENOENT;
	struct place *at = places_get(t->places, ino_place(ino));
	if (!at)
		return -ESTALE;
	*n = (struct node){ .kind = ino_kind(ino), .place = at };
	int err = node_is_unentered(n) ? tree_node(at, ino, n)
		  : node_is_outside(n) ? 0
				       : -ENOENT;
	if (err)
		place_put(at);
	return err;
}

bool tree_hides(const struct tree *t, const struct node *n)
{
	const struct overlay *o = &t->overlay;
	return o->is_hidden && o->is_hidden(o->data, n);
}
