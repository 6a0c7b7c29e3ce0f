#include "fs/tree/session_folder.h"

#include <errno.h>

#include "fs/tree/node_kinds.h"

struct node session_folder_node(struct place *at)
{
	return (struct node){ .kind = at->is_folder ? KIND_FOLDER : KIND_ROOT,
			      .place = at };
}

int session_folder_find(const struct node *dir, struct span name,
			struct node *n)
{
	struct place *found;
	int err = place_find(dir->place, name, &found);
	if (!err)
		*n = session_folder_node(found);
	if (err != -ENOENT)
		return err;
	enum node_kind kind = node_kind_named(dir->place->set ? KIND_BY_PROJECT
							      : KIND_SESSIONS,
					      KIND_IGNORE, name);
	*n = (struct node){ .kind = kind, .place = dir->place };
	/* The ignore files are those of a whole mount. */
	bool lacks = dir->place->parent &&
		     (kind == KIND_GITIGNORE || kind == KIND_IGNORE);
	return kind == KIND_NONE || lacks ? -ENOENT : 0;
}

/* Above all serial numbers: by-project/ and by-day/ in the root of a set. */
#define VIEWS_START ((uint64_t)1 << 62)

static int next_view(const struct node *dir, uint64_t *position,
		     struct buf *name, struct node *n)
{
	if (*position < VIEWS_START)
		*position = VIEWS_START;
	enum node_kind kind =
		KIND_BY_PROJECT + (unsigned)(*position - VIEWS_START);
	if (!dir->place->set || kind > KIND_BY_DAY)
		return 0;
	*n = (struct node){ .kind = kind, .place = dir->place };
	buf_adds(name, node_kinds[kind].name);
	(*position)++;
	return 1;
}

int session_folder_next(const struct node *dir, uint64_t *position,
			struct buf *name, struct node *n)
{
	struct place *at = place_next_child(dir->place, *position);
	if (!at)
		return next_view(dir, position, name, n);
	*n = session_folder_node(at);
	buf_adds(name, at->name);
	*position = at->serial + 1;
	return 1;
}
