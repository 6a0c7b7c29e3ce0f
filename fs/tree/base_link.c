#include "fs/tree/base_link.h"

#include <errno.h>

#include "core/base/hash.h"
#include "core/base/pathname.h"
#include "core/places/bases.h"
#include "fs/tree/ino.h"

int base_link_find(const struct node *root, struct node *n)
{
	struct place *at = root->place;
	struct place *base;
	struct buf path BUF_SCOPED = { 0 };
	int err = bases_path(at, &path);
	*n = (struct node){ .kind = KIND_PARENT_SESSION, .place = at };
	if (!err && bases_place_at(at->places, path.data, &base) == 0) {
		n->entry = base->home;
		place_put(base);
	} else if (!err) {
		n->nth = (uint32_t)hash_line(buf_span(&path), 0) &
			 ((1u << INO_NTH_BITS) - 1);
	}
	return err;
}

int base_link_render(const struct session *s, const struct node *n,
		     struct buf *out)
{
	(void)s;
	if (n->entry == 0)
		return bases_path(n->place, out);
	struct place *to = places_peek(n->place->places, n->entry);
	if (!to)
		return -ENOENT;
	pathname_add_way(out, span_of(n->place->mount_path),
			 span_of(to->mount_path));
	place_put(to);
	return buf_error(out);
}
