#include "fs/tree/render.h"

#include <errno.h>

#include "fs/tree/ino.h"
#include "fs/tree/sessions.h"

uint64_t render_lookups(const struct tree *t, const struct node *n)
{
	if (n->kind != KIND_INFO || !t->stats.on)
		return 0;
	return __atomic_load_n(&t->stats.info_lookups, __ATOMIC_RELAXED);
}

static void add_stats(const struct tree *t, const struct session *s,
		      struct buf *out)
{
	stats_add(&t->stats, out);
	buf_addf(out, "indexed-bytes: %llu\n",
		 (unsigned long long)s->now.indexed);
}

/* Of several renderings the cache finds the newest. */
static int render_sessions(struct tree *t, const struct node *n,
			   struct rendering **r)
{
	struct buf bytes = { 0 };
	uint64_t ino = ino_of(n);
	int err = sessions_add(t, n->place, &bytes);
	*r = NULL;
	if (!err)
		*r = cache_get(&t->cache, ino, 0);
	stats_count(&t->stats, STAT_CACHE_MISSES);
	if (*r && !span_eq(buf_span(&(*r)->bytes), buf_span(&bytes))) {
		cache_put(*r);
		*r = NULL;
	}
	if (!err && !*r) {
		*r = cache_add(&t->cache, ino, 0, &bytes);
		err = *r ? 0 : -ENOMEM;
	}
	buf_free(&bytes);
	return err;
}

int render_looked_up(struct tree *t, const struct node *n, struct rendering **r)
{
	*r = NULL;
	if (n->kind == KIND_SESSIONS)
		*r = cache_get(&t->cache, ino_of(n), 0);
	return *r ? 0 : render_file(t, n, r);
}

int render_file(struct tree *t, const struct node *n, struct rendering **r)
{
	if (n->kind == KIND_SESSIONS)
		return render_sessions(t, n, r);
	const struct session *s = n->place->session;
	uint64_t ino = ino_of(n);
	uint64_t version = node_is_immutable(n) ? 0 : s->version;
	version += render_lookups(t, n) << 32;
	*r = cache_get(&t->cache, ino, version);
	stats_count(&t->stats, *r ? STAT_CACHE_HITS : STAT_CACHE_MISSES);
	if (*r)
		return 0;
	struct buf bytes = { 0 };
	int err = node_kinds[n->kind].render(s, n, &bytes);
	/* One line is checked by its digest; several could mix two files. */
	if ((node_kinds[n->kind].several_lines || err == -ESTALE) &&
	    !session_is_whole(s))
		err = -EAGAIN;
	if (n->kind == KIND_INFO && t->stats.on)
		add_stats(t, s, &bytes);
	if (!err) {
		*r = cache_add(&t->cache, ino, version, &bytes);
		err = *r ? 0 : -ENOMEM;
	}
	buf_free(&bytes);
	return err;
}

int render_link(struct tree *t, const struct node *n, struct buf *out)
{
	if (node_kinds[n->kind].type != S_IFLNK)
		return -EINVAL;
	if (n->kind != KIND_STAGED)
		return node_kinds[n->kind].render(n->place->session, n, out);
	return t->overlay ? t->overlay->read_link(t->overlay->data, n, out)
			  : -ENOENT;
}
