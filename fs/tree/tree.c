#include "fs/tree/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs/tree/groups.h"
#include "fs/tree/ino.h"
#include "fs/tree/sessions.h"
#include "fs/tree/views.h"

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

/* Is there a file for what a number was decoded to? */
static int check_node(struct node *n, uint32_t number)
{
	struct place *at = n->place;
	if (at->is_folder) {
		if (number == 0 && n->kind == KIND_ROOT)
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
	if (files_has(n) || files_is_file(n))
		err = files_check(n);
	return err == -ENOENT ? -ESTALE : err;
}

int tree_node(struct place *at, uint64_t ino, struct node *n)
{
	uint32_t number;
	if (!ino_decode(ino, &number, n))
		return -ESTALE;
	n->place = at;
	return check_node(n, number);
}

int tree_enter_place(struct tree *t, struct place *at)
{
	return t->hook.enter ? t->hook.enter(t->hook.data, at)
			     : place_enter(at);
}

int tree_enter(struct tree *t, uint64_t ino, struct node *n)
{
	uint32_t number;
	if (!ino_decode(ino, &number, n))
		return -ESTALE;
	n->place = places_get(t->places, number);
	if (!n->place)
		return -ESTALE;
	int err = node_is_unentered(n) ? 0 : tree_enter_place(t, n->place);
	if (err) {
		place_put(n->place);
		return err;
	}
	err = check_node(n, number);
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
	uint32_t number;
	if (!ino_decode(ino, &number, n) || !ino_is_home(n->kind))
		return -ENOENT;
	n->place = places_get(t->places, number);
	if (!n->place)
		return -ESTALE;
	int err = node_is_unentered(n) ? check_node(n, number)
		  : node_is_outside(n) ? 0
				       : -ENOENT;
	if (err)
		place_put(n->place);
	return err;
}

bool tree_hides(const struct tree *t, const struct node *n)
{
	const struct overlay *o = &t->overlay;
	return o->is_hidden && o->is_hidden(o->data, n);
}
