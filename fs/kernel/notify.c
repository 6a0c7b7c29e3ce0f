#include "fs/kernel/notify.h"

#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "fs/kernel/attached.h"
#include "fs/tree/ino.h"

/* Drops the listing's pages, although the mtime has not changed. */
void notify_listing(struct fs *fs, uint64_t ino)
{
	if (fs->kernel)
		fuse_lowlevel_notify_inval_inode(fs->kernel, ino, 0, 0);
}

void notify_root(struct fs *fs, struct place *at)
{
	const struct node n = { .kind = KIND_ROOT, .place = at };
	notify_listing(fs, ino_of(&n));
}

int notify_attributes(struct fs *fs, uint64_t ino)
{
	if (!fs->kernel)
		return 0;
	return fuse_lowlevel_notify_inval_inode(fs->kernel, ino, -1, 0);
}

static struct notified *notified_of(const struct place *at)
{
	return &attached_to(at)->notified;
}

static void free_cached(struct cached *c)
{
	for (int k = CACHED_FIRST; k < KIND_COUNT; k++)
		bits_free(&c->entries[k - CACHED_FIRST]);
}

void notify_release(void *attached)
{
	struct attached *a = attached;
	free_cached(&a->notified.cached);
}

/* An epoch that has ended, and the files of it that may be cached. */
struct ended_epoch {
	uint32_t number; /* 0: none has ended */
	struct cached cached;
};

static void invalidate_pictures(struct fs *fs, const struct ended_epoch *ended,
				struct node n)
{
	for (n.nth = 1; n.nth <= ended->cached.most_pictures; n.nth++)
		notify_attributes(fs, ino_encode(ended->number, &n));
}

static void invalidate_kind(struct fs *fs, const struct ended_epoch *ended,
			    enum node_kind kind)
{
	const struct bits *entries =
		&ended->cached.entries[kind - CACHED_FIRST];
	struct node n = { .kind = kind };
	while ((n.entry = bits_next(entries, n.entry)) != UINT32_MAX) {
		if (kind == KIND_PICTURE)
			invalidate_pictures(fs, ended, n);
		else
			notify_attributes(fs, ino_encode(ended->number, &n));
		n.entry++;
	}
}

static void invalidate_epoch(struct fs *fs, const struct ended_epoch *ended)
{
	if (ended->number == 0)
		return;
	for (struct node n = { .kind = 0 }; n.kind < KIND_COUNT; n.kind++)
		if (ended->cached.views >> n.kind & 1)
			notify_attributes(fs, ino_encode(ended->number, &n));
	for (enum node_kind k = CACHED_FIRST; k < KIND_COUNT; k++)
		invalidate_kind(fs, ended, k);
}

/* An entry of which sources have changed: those in enum fresh_source. */
struct touched {
	uint32_t entry;
	unsigned sources;
};

/*
 * The changes found when a session was entered, of which the kernel has to be
 * notified: files with other attributes, and an epoch that has ended.
 */
struct changes {
	struct buf touched; /* of struct touched */
	struct buf inos;    /* of uint64_t: the files that may be cached */
	struct ended_epoch ended;
	struct notified_state state; /* the kernel has after that, */
	uint64_t version;	     /* and notified.version */
};

static void free_changes(struct changes *c)
{
	buf_free(&c->touched);
	buf_free(&c->inos);
	free_cached(&c->ended.cached);
}

/* The functions from here to find_changes() are called under place.lock. */

/* The kernel has nothing of entries that are new. */
static void touch(struct changes *c, const struct notified_state *old,
		  uint32_t entry, unsigned sources)
{
	const struct touched t = { entry, sources };
	if (entry != INDEX_NONE && entry < old->entries)
		buf_add(&c->touched,
			(struct span){ (const char *)&t, sizeof(t) });
}

static int compare_entries(const void *a, const void *b)
{
	const struct touched *x = a;
	const struct touched *y = b;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static void add_ino(struct changes *c, uint64_t ino)
{
	buf_add(&c->inos, (struct span){ (const char *)&ino, sizeof(ino) });
}

/* The cached files of an entry that change with one of these sources. */
static void add_files(struct changes *c, const struct cached *cached,
		      uint32_t entry, unsigned sources)
{
	struct node n = { .kind = CACHED_FIRST, .entry = entry };
	for (; n.kind < KIND_COUNT; n.kind++)
		if (node_kinds[n.kind].changes_with & sources &&
		    bits_has(&cached->entries[n.kind - CACHED_FIRST], entry))
			add_ino(c, ino_encode(c->state.number, &n));
}

/* Each file once, whatever has changed of it. */
static void add_touched(struct changes *c, const struct cached *cached)
{
	struct touched *t = (struct touched *)(void *)c->touched.data;
	size_t n = c->touched.len / sizeof(*t);
	if (n > 1)
		qsort(t, n, sizeof(*t), compare_entries);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && t[i].entry == t[i + 1].entry)
			t[i + 1].sources |= t[i].sources;
		else
			add_files(c, cached, t[i].entry, t[i].sources);
	}
}

/* by-id/ and tree/ change with the session. */
static void add_views(struct changes *c, const struct cached *cached)
{
	uint64_t views = __atomic_load_n(&cached->views, __ATOMIC_RELAXED);
	for (struct node n = { .kind = 0 }; n.kind < KIND_COUNT; n.kind++)
		if (views >> n.kind & 1)
			add_ino(c, ino_encode(c->state.number, &n));
}

/*
 * The attributes of the root are cached in a burst alone. Otherwise it must not
 * be invalidated: the kernel drops the replies that are on their way then, and
 * until it has got the first one it knows no permissions of a mounted root and
 * denies everything to an ordinary user.
 */
static void add_root(struct changes *c, struct place *at)
{
	const struct node n = { .kind = KIND_ROOT, .place = at };
	if (burst_is_cached(&attached_to(at)->burst, timestamp_monotonic()))
		add_ino(c, ino_of(&n));
}

/* The parents of new entries. */
static void touch_parents(struct changes *c, const struct session *s,
			  const struct notified_state *old)
{
	for (uint32_t i = old->entries; i < s->now.index.n; i++)
		touch(c, old, session_entry(s, i)->parent, FRESH_CHILDREN);
}

/* The entries that have started subagents. Counts those in c->state. */
static void touch_callers(struct changes *c, const struct session *s,
			  const struct notified_state *old)
{
	uint32_t i = old->subagents;
	uint32_t caller;
	if (!s->dialect->subagent_caller)
		return;
	while ((caller = s->dialect->subagent_caller(s, i++)) != INDEX_NONE)
		touch(c, old, caller, FRESH_AGENTS);
	c->state.subagents = i - 1;
}

static void touch_labels(struct changes *c, const struct session *s,
			 const struct notified_state *old)
{
	const struct labels *l = &s->now.labels;
	for (uint32_t i = old->labels; i < l->n_lines; i++)
		touch(c, old, l->list[l->lines[i]].entry, FRESH_LABEL);
}

/* The kernel has nothing cached any more. The caller frees the sets. */
static struct ended_epoch end_epoch(struct notified *notified)
{
	struct ended_epoch ended = { notified->state.number, notified->cached };
	notified->cached = (struct cached){ 0 };
	return ended;
}

static void set_notified(struct notified *notified, const struct changes *c)
{
	notified->state = c->state;
	__atomic_store_n(&notified->version, c->version, __ATOMIC_RELEASE);
}

static void end_bursts(struct place *at)
{
	int64_t now = timestamp_monotonic();
	burst_end(&attached_to(at)->burst, now);
	burst_end(&attached_to(at)->outside, now);
}

static void find_changes(struct place *at, struct changes *c)
{
	const struct session *s = at->session;
	struct notified *old = notified_of(at);
	c->version = s->version + 1;
	c->state = (struct notified_state){
		.number = at->epoch_number,
		.entries = s->now.index.n,
		.labels = s->now.labels.n_lines,
		.leaf = s->now.leaf,
		.head = session_head(s),
	};
	if (old->version != 0 && old->version != c->version)
		end_bursts(at);
	if (old->state.number != at->epoch_number) {
		c->ended = end_epoch(old);
		set_notified(old, c);
		return;
	}
	/* Its file has lost its mark, and nothing else. */
	if (old->version == c->version)
		return;
	touch_parents(c, s, &old->state);
	touch_callers(c, s, &old->state);
	touch_labels(c, s, &old->state);
	if (old->state.leaf != c->state.leaf)
		touch(c, &old->state, c->state.leaf, FRESH_EXPECTED);
	if (old->state.head != c->state.head)
		touch(c, &old->state, c->state.head, FRESH_EXPECTED);
	add_views(c, &old->cached);
	add_root(c, at);
	add_touched(c, &old->cached);
}

/* Was the kernel notified of this version, and has the file a mark? */
static bool is_notified(const struct place *at)
{
	const struct session *s = at->session;
	return __atomic_load_n(&notified_of(at)->version, __ATOMIC_ACQUIRE) ==
		       s->version + 1 &&
	       (!s->log.exists || marks_is_set(at));
}

/*
 * Send the changes. A file that the kernel does not have yet, or not any more,
 * becomes 0: fs/kernel/resend.h sends it again.
 */
static void send_inos(struct fs *fs, uint64_t *inos, size_t n)
{
	bool early = false;
	for (size_t i = 0; i < n; i++) {
		if (notify_attributes(fs, inos[i]) != -ENOENT)
			continue;
		resend_add(&fs->resend, inos[i]);
		inos[i] = 0;
		early = true;
	}
	if (early)
		watch_resend(&fs->watch);
}

/*
 * Under place.lock: the kernel has no attributes of these files any more. It
 * has got no reply since, as notified.version is still an older one.
 */
static void forget_sent(struct cached *c, const uint64_t *inos, size_t n_inos)
{
	for (size_t i = 0; i < n_inos; i++) {
		struct node n;
		if (!ino_decode(inos[i], &n))
			continue;
		if (n.kind >= CACHED_FIRST)
			bits_remove(&c->entries[n.kind - CACHED_FIRST],
				    n.entry);
		else
			__atomic_fetch_and(&c->views, ~(UINT64_C(1) << n.kind),
					   __ATOMIC_RELAXED);
	}
}

/*
 * No session is entered. Several threads may send the same changes, which is
 * harmless; each replies only after it has sent all of them.
 */
static void send_changes(struct fs *fs, struct place *at, struct changes *c)
{
	struct notified *notified = notified_of(at);
	uint64_t *inos = (uint64_t *)(void *)c->inos.data;
	size_t n = c->inos.len / sizeof(*inos);
	invalidate_epoch(fs, &c->ended);
	send_inos(fs, inos, n);
	pthread_mutex_lock(&at->lock);
	if (notified->state.number == c->state.number &&
	    notified->version < c->version) {
		forget_sent(&notified->cached, inos, n);
		set_notified(notified, c);
	}
	pthread_mutex_unlock(&at->lock);
}

int notify_enter(void *data, struct place *at)
{
	struct fs *fs = data;
	for (;;) {
		struct changes c = { 0 };
		int err = place_enter(at);
		if (err || !fs->kernel || is_notified(at))
			return err;
		err = place_assign_number(at);
		if (!err) {
			pthread_mutex_lock(&at->lock);
			find_changes(at, &c);
			watch_follow(&fs->watch, at);
			pthread_mutex_unlock(&at->lock);
			err = c.touched.failed ? -ENOMEM : buf_error(&c.inos);
		}
		place_leave(at);
		if (!err)
			send_changes(fs, at, &c);
		free_changes(&c);
		if (err)
			return err;
	}
}

/* Was the kernel notified of the session as the file is now? */
static bool is_up_to_date(const struct place *at)
{
	bool is = false;
	if (session_enter_if_fresh(at->session)) {
		is = is_notified(at);
		session_leave(at->session);
	}
	return is;
}

void notify_refresh(struct fs *fs, struct place *at)
{
	if (place_is_loaded(at) && !is_up_to_date(at) &&
	    notify_enter(fs, at) == 0)
		place_leave(at);
}

static void count_pictures(struct cached *c, uint32_t nth)
{
	uint32_t most = __atomic_load_n(&c->most_pictures, __ATOMIC_RELAXED);
	while (nth > most && !__atomic_compare_exchange_n(
				     &c->most_pictures, &most, nth, false,
				     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

int notify_caching(const struct node *n)
{
	const struct node_kind_row *k = &node_kinds[n->kind];
	struct cached *c = &notified_of(n->place)->cached;
	if (k->changes_with & FRESH_VIEW)
		__atomic_fetch_or(&c->views, UINT64_C(1) << n->kind,
				  __ATOMIC_RELAXED);
	if (n->kind < CACHED_FIRST || k->type == S_IFLNK)
		return 0;
	if (n->kind == KIND_PICTURE)
		count_pictures(c, n->nth);
	return bits_add(&c->entries[n->kind - CACHED_FIRST], n->entry);
}

void notify_unloaded(void *data, struct place *at)
{
	struct fs *fs = data;
	struct ended_epoch ended = { 0 };
	pthread_mutex_lock(&at->lock);
	/* Another thread may have read it again by now. */
	if (!place_is_loaded(at)) {
		ended = end_epoch(notified_of(at));
		watch_forget(&fs->watch, at);
	}
	pthread_mutex_unlock(&at->lock);
	invalidate_epoch(fs, &ended);
	free_cached(&ended.cached);
}

bool notify_is_prompt(const struct place *at)
{
	return !at->session->sidecar.path && marks_is_watched(at);
}
