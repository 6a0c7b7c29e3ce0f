#include "fs/edit/edit.h"

#include <errno.h>

#include "fs/edit/line_file.h"
#include "fs/tree/ino.h"

void edit_init(struct edit *e, struct tree *t,
	       const struct edit_listener *listener)
{
	*e = (struct edit){ .tree = t,
			    .listener = *listener,
			    .staged.lock = PTHREAD_MUTEX_INITIALIZER,
			    .lines.lock = PTHREAD_MUTEX_INITIALIZER,
			    .streams.lock = PTHREAD_MUTEX_INITIALIZER };
	t->overlay = (struct overlay){ .data = &e->staged,
				       .is_hidden = staged_is_hidden,
				       .find_link = staged_find,
				       .next_link = staged_next,
				       .read_link = staged_target };
}

void edit_free(struct edit *e)
{
	if (e->tree)
		e->tree->overlay = (struct overlay){ 0 };
	append_streams_free(&e->streams);
	line_edits_free(&e->lines);
	staged_free(&e->staged);
}

int edit_enter(struct edit *e, uint64_t ino, struct node *n)
{
	/* A truncation of this very file is for the write after it. */
	if (!line_edits_is_pending(&e->lines, ino))
		edit_apply(e, ino);
	return tree_enter(e->tree, ino, n);
}

int edit_reach(struct edit *e, uint64_t ino, struct node *n)
{
	int err = tree_find_outside(e->tree, ino, n);
	return err == -ENOENT ? edit_enter(e, ino, n) : err;
}

void edit_release(const struct node *n)
{
	if (node_is_outside(n))
		place_put(n->place);
	else
		tree_leave(n);
}

void edit_apply(struct edit *e, uint64_t ino)
{
	if (!line_edits_any_pending(&e->lines))
		return;
	struct place *at = places_peek(e->tree->places, ino_place(ino));
	if (!at)
		return;
	line_file_apply(e, at->home, INT64_MAX, true);
	place_put(at);
}
