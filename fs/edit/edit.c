#include "fs/edit/edit.h"

#include <errno.h>

#include "core/json/timestamp.h"
#include "fs/edit/line_file.h"
#include "fs/tree/ino.h"

static bool is_hidden(void *data, const struct node *n)
{
	struct edit *e = data;
	return staged_is_hidden(&e->staged, n);
}

static bool find_link(void *data, const struct node *dir, struct span name,
		      struct node *n)
{
	struct edit *e = data;
	return staged_find(&e->staged, dir, name, n);
}

static bool next_link(void *data, const struct node *dir, uint32_t after,
		      struct node *n, struct buf *name)
{
	struct edit *e = data;
	return staged_next(&e->staged, dir, after, n, name);
}

static int read_link(void *data, const struct node *n, struct buf *out)
{
	struct edit *e = data;
	return staged_target(&e->staged, n, out);
}

static void number_opening(void *data, struct node *n)
{
	struct edit *e = data;
	append_stream_number(&e->streams, n);
}

static void before_summaries(void *data)
{
	line_file_try(data, INT64_MAX);
}

int edit_init(struct edit *e, struct tree *t,
	      const struct edit_listener *listener)
{
	*e = (struct edit){ .tree = t, .listener = *listener };
	int err = staged_init(&e->staged);
	if (!err)
		err = line_edits_init(&e->lines);
	if (!err)
		err = append_streams_init(&e->streams);
	if (err)
		return err;
	e->overlay = (struct overlay){ .data = e,
				       .is_hidden = is_hidden,
				       .find_link = find_link,
				       .next_link = next_link,
				       .read_link = read_link,
				       .number_opening = number_opening,
				       .before_summaries = before_summaries };
	t->overlay = &e->overlay;
	return 0;
}

void edit_free(struct edit *e)
{
	if (e->tree)
		e->tree->overlay = NULL;
	append_streams_free(&e->streams);
	line_edits_free(&e->lines);
	staged_free(&e->staged);
}

int edit_enter(struct edit *e, uint64_t ino, struct node *n)
{
	/* A truncation of this very file is for the write after it. */
	if (!line_edits_is_pending(&e->lines, ino))
		edit_settle(e, ino);
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

void edit_settle(struct edit *e, uint64_t ino)
{
	if (!line_edits_any_pending(&e->lines))
		return;
	struct place *at = places_peek(e->tree->places, ino_place(ino));
	if (!at)
		return;
	line_file_settle(e, at->home);
	place_put(at);
}

void edit_settle_all(struct edit *e)
{
	line_file_settle_all(e);
}

void edit_try_due(struct edit *e)
{
	line_file_try(e, timestamp_monotonic());
}

int64_t edit_due(struct edit *e)
{
	return line_edits_due(&e->lines);
}
