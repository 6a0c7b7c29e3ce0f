#include "fs/tree/render.h"

#include <errno.h>
#include <stdlib.h>

#include "core/show/content.h"
#include "fs/tree/fresh.h"
#include "fs/tree/groups.h"
#include "fs/tree/ino.h"
#include "fs/tree/sessions.h"

static const char *const stat_names[STAT_COUNTS] = {
	[STAT_LOOKUP] = "requests-lookup",
	[STAT_GETATTR] = "requests-getattr",
	[STAT_SETATTR] = "requests-setattr",
	[STAT_READLINK] = "requests-readlink",
	[STAT_READDIR] = "requests-readdir",
	[STAT_READ] = "requests-read",
	[STAT_WRITE] = "requests-write",
	[STAT_OTHER] = "requests-other",
	[STAT_OF_ENTRIES] = "of-entries",
	[STAT_CACHE_HITS] = "cache-hits",
	[STAT_CACHE_MISSES] = "cache-misses",
	[STAT_PAGES_STORED] = "files-stored",
};

static void add_stats(const struct stats *stats, const struct session *s,
		      struct buf *out)
{
	uint64_t now[STAT_COUNTS];
	uint64_t requests = 0;
	for (int i = 0; i < STAT_COUNTS; i++) {
		now[i] = __atomic_load_n(&stats->counts[i], __ATOMIC_RELAXED);
		requests += i < STAT_REQUESTS ? now[i] : 0;
	}
	/* Fixed widths: a size that the kernel has fits later counts too. */
	buf_addf(out, "requests: %12llu\n", (unsigned long long)requests);
	for (int i = 0; i < STAT_COUNTS; i++)
		buf_addf(out, "%s: %12llu\n", stat_names[i],
			 (unsigned long long)now[i]);
	buf_addf(out, "indexed-bytes: %llu\n",
		 (unsigned long long)s->now.indexed);
}

/* Of several renderings the cache finds the newest. */
static int render_sessions(struct tree *t, const struct node *n,
			   struct rendering **r)
{
	struct buf bytes BUF_SCOPED = { 0 };
	uint64_t ino = ino_of(n);
	bool all = n->place == t->places->source;
	uint64_t epoch = all ? sessions_epoch(t) : 0;
	/* Is what the cache has of SOURCE's sessions.txt of this epoch? */
	bool is_listed = epoch > 0 &&
			 __atomic_load_n(&t->listed, __ATOMIC_ACQUIRE) == epoch;
	*r = is_listed ? cache_get(&t->cache, ino, 0) : NULL;
	stats_count(&t->stats, *r ? STAT_CACHE_HITS : STAT_CACHE_MISSES);
	if (*r)
		return 0;
	int err = sessions_add(t, n->place, &bytes);
	if (!err)
		*r = cache_get(&t->cache, ino, 0);
	if (*r && !span_eq(buf_span(&(*r)->bytes), buf_span(&bytes))) {
		cache_put(*r);
		*r = NULL;
	}
	if (!err && !*r) {
		*r = cache_add(&t->cache, ino, 0, &bytes);
		err = *r ? 0 : -ENOMEM;
	}
	if (!err && all)
		__atomic_store_n(&t->listed, epoch, __ATOMIC_RELEASE);
	return err;
}

int render_file(struct tree *t, const struct node *n, struct rendering **r)
{
	if (n->kind == KIND_SESSIONS)
		return render_sessions(t, n, r);
	const struct session *s = n->place->session;
	uint64_t ino = ino_of(n);
	uint64_t version = fresh_version(t, n);
	*r = cache_get(&t->cache, ino, version);
	stats_count(&t->stats, *r ? STAT_CACHE_HITS : STAT_CACHE_MISSES);
	if (*r)
		return 0;
	struct buf bytes BUF_SCOPED = { 0 };
	int err = node_render(n, &bytes);
	/* One line is checked by its digest; several could mix two files. */
	if ((node_kinds[n->kind].traits & NODE_SEVERAL_LINES ||
	     err == -ESTALE) &&
	    !session_is_whole(s))
		err = -EAGAIN;
	/* The process that it tells of may have come, or gone, meanwhile. */
	if (!err && node_kinds[n->kind].changes_with & FRESH_PROCESS &&
	    fresh_version(t, n) != version)
		err = -EAGAIN;
	if (n->kind == KIND_INFO && t->stats.on)
		add_stats(&t->stats, s, &bytes);
	if (!err) {
		*r = cache_add(&t->cache, ino, version, &bytes);
		err = *r ? 0 : -ENOMEM;
	}
	return err;
}

/* Is an error due to another file with the same path? Then -EAGAIN. */
static int check_file(const struct session *s, int err)
{
	return (!err || err == -ESTALE) && !session_is_whole(s) ? -EAGAIN : err;
}

int render_size(const struct node *n, uint64_t *size)
{
	const struct session *s = n->place->session;
	uint32_t end;
	return check_file(
		s, node_kinds[n->kind].parts->find(s, UINT64_MAX, &end, size));
}

/* A file in parts, of which a READ asks for [from, to). */
struct reading {
	struct tree *tree;
	const struct node *n;
	uint64_t from;
	uint64_t to;
	struct buf part; /* a small one */
	struct buf out;
};

/* Append what is read of a part that begins at `start`. */
static void add_overlap(struct reading *r, struct span part, uint64_t start)
{
	uint64_t skipped = r->from > start ? r->from - start : 0;
	uint64_t most = r->to - start;
	if (most < part.n)
		part.n = most;
	if (skipped < part.n)
		buf_add(&r->out, span_from(part, skipped));
}

/* A large part is cached: several READs are needed for it. */
static int add_large(struct reading *r, uint32_t entry, uint64_t start)
{
	const struct session *s = r->n->place->session;
	const struct node part = { .kind = r->n->kind,
				   .entry = entry,
				   .place = r->n->place };
	uint64_t ino = ino_of(&part);
	uint64_t version = content_outside(s, entry);
	struct rendering *held = cache_get(&r->tree->cache, ino, version);
	int err = 0;
	if (!held) {
		struct buf bytes = { 0 };
		err = node_kinds[part.kind].parts->render(s, entry, &bytes);
		if (!err)
			held = cache_add(&r->tree->cache, ino, version, &bytes);
		buf_free(&bytes);
	}
	if (!held)
		return err ? err : -ENOMEM;
	add_overlap(r, buf_span(&held->bytes), start);
	cache_put(held);
	return 0;
}

static int add_part(struct reading *r, uint32_t entry, uint64_t *start)
{
	const struct session *s = r->n->place->session;
	const struct node_parts *parts = node_kinds[r->n->kind].parts;
	uint64_t size;
	int err = parts->size(s, entry, &size);
	if (!err && size > CACHE_SMALL) {
		err = add_large(r, entry, *start);
	} else if (!err) {
		buf_reset(&r->part);
		err = parts->render(s, entry, &r->part);
		add_overlap(r, buf_span(&r->part), *start);
	}
	*start += size;
	return err;
}

static int read_parts(struct tree *t, const struct node *n,
		      const struct render_request *want, struct rendering **r)
{
	const struct session *s = n->place->session;
	struct reading reading = { .tree = t,
				   .n = n,
				   .from = want->offset,
				   .to = want->offset + want->size };
	uint32_t entry;
	uint64_t at;
	int err = node_kinds[n->kind].parts->find(s, reading.from, &entry, &at);
	while (!err && entry < s->now.index.n && at < reading.to)
		err = add_part(&reading, entry++, &at);
	err = check_file(s, err);
	if (!err)
		err = buf_error(&reading.out);
	/* A rendering of its own, which is in no cache. */
	if (!err)
		*r = malloc(sizeof(**r));
	if (!err && !*r)
		err = -ENOMEM;
	if (!err) {
		**r = (struct rendering){ .bytes = reading.out, .users = 1 };
		reading.out = (struct buf){ 0 };
	}
	buf_free(&reading.part);
	buf_free(&reading.out);
	return err;
}

int render_read(struct tree *t, const struct node *n,
		const struct render_request *want, struct rendering **r,
		uint64_t *at)
{
	*r = NULL;
	*at = 0;
	if (node_kinds[n->kind].parts) {
		*at = want->offset;
		return read_parts(t, n, want, r);
	}
	if (n->kind == KIND_SESSIONS && !want->direct)
		*r = cache_get(&t->cache, ino_of(n), 0);
	return *r ? 0 : render_file(t, n, r);
}

int render_link(struct tree *t, const struct node *n, struct buf *out)
{
	if (node_kinds[n->kind].type != S_IFLNK)
		return -EINVAL;
	if (n->kind == KIND_SESSION_LINK)
		return groups_render(t, n, out);
	if (n->kind != KIND_STAGED)
		return node_render(n, out);
	const struct overlay *o = &t->overlay;
	return o->read_link ? o->read_link(o->data, n, out) : -ENOENT;
}
