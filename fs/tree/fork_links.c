#include "fs/tree/fork_links.h"

#include <errno.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/places/forks.h"
#include "fs/tree/ino.h"

int fork_links_find_parent(const struct node *root, struct node *n)
{
	struct place *at = root->place;
	struct place *base;
	struct buf path = { 0 };
	if (!forks_are_known(at))
		return -ENOENT;
	int err = forks_base_path(at, &path);
	*n = (struct node){ .kind = KIND_PARENT_SESSION, .place = at };
	if (!err && forks_place_at(at->places, path.data, &base) == 0) {
		n->entry = base->home;
		place_put(base);
	} else if (!err) {
		n->nth = (uint32_t)hash_line(buf_span(&path), 0) &
			 ((1u << INO_NTH_BITS) - 1);
	}
	buf_free(&path);
	return err;
}

static struct node link_to(const struct node *dir, const struct place *to)
{
	return (struct node){ .kind = KIND_FORK_LINK,
			      .entry = to->home,
			      .place = dir->place };
}

int fork_links_find(const struct node *dir, struct span name, struct node *n)
{
	struct place *to;
	int err = forks_find(dir->place, name, &to);
	if (err)
		return err;
	*n = link_to(dir, to);
	place_put(to);
	return 0;
}

int fork_links_next(const struct node *dir, uint32_t *at, struct buf *name,
		    struct node *n)
{
	struct place *to;
	int got = forks_next(dir->place, at, &to);
	if (got <= 0)
		return got;
	*n = link_to(dir, to);
	buf_adds(name, to->name);
	place_put(to);
	return 1;
}

/* Append the way from a folder in a session's root, or from that itself. */
static void add_way(struct buf *out, const char *from, const char *to)
{
	size_t same = 0; /* bytes of the folders that both are in */
	for (size_t i = 0; from[i] && from[i] == to[i]; i++)
		if (from[i] == '/')
			same = i + 1;
	buf_adds(out, "../");
	for (size_t i = same; from[i]; i++)
		if (from[i] == '/')
			buf_adds(out, "../");
	buf_adds(out, to + same);
}

int fork_links_render(const struct session *s, const struct node *n,
		      struct buf *out)
{
	(void)s;
	if (n->entry == 0)
		return forks_base_path(n->place, out);
	struct place *to = places_peek(n->place->places, n->entry);
	if (!to)
		return -ENOENT;
	if (n->kind == KIND_FORK_LINK)
		buf_adds(out, "../");
	add_way(out, n->place->mount_path, to->mount_path);
	place_put(to);
	return buf_error(out);
}
