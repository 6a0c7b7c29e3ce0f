#include "fs/kernel/notify.h"

#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "fs/tree/ino.h"

/* Drops the listing's pages, although the mtime has not changed. */
void notify_listing(struct fs *fs, uint64_t ino)
{
	if (fs->kernel)
		fuse_lowlevel_notify_inval_inode(fs->kernel, ino, 0, 0);
}

void notify_root(void *data, struct place *at)
{
	const struct node n = { .kind = KIND_ROOT, .place = at };
	notify_listing(data, ino_of(&n));
}

int notify_attributes(struct fs *fs, uint64_t ino)
{
	if (!fs->kernel)
		return 0;
	return fuse_lowlevel_notify_inval_inode(fs->kernel, ino, -1, 0);
}

static void free_cached(struct cached *c)
{
	for (int k = 0; c && k < KIND_COUNT; k++)
		bits_free(&c->kinds[k]);
	free(c);
}

void notify_release(void *attached)
{
	struct attached *a = attached;
	free_cached(a->notified.cached);
}

/* The epoch has ended: invalidate all that may be cached of it. */
static void invalidate_epoch(struct fs *fs, const struct cached *c)
{
	struct node n = { .kind = KIND_NONE };
	for (; c && n.kind < KIND_COUNT; n.kind++) {
		const uint32_t last =
			n.kind == KIND_PICTURE ? c->most_pictures : 0;
		n.entry = 0;
		while ((n.entry = bits_next(&c->kinds[n.kind], n.entry)) !=
		       UINT32_MAX) {
			for (n.nth = last > 0; n.nth <= last; n.nth++)
				notify_attributes(fs,
						  ino_encode(c->number, &n));
			n.entry++;
		}
	}
}

/*
 * The changes found when a session was entered, of which the kernel has to be
 * notified: files with other attributes, and an epoch that has ended.
 */
struct changes {
	struct buf inos;      /* of uint64_t */
	struct cached *ended; /* or NULL */
	uint32_t number;      /* of the epoch; the kernel has after that: */
	struct notified_state state;
	uint64_t version; /* notified.version */
};

/* The functions from here to find_changes() are called under place.lock. */

static void add_ino(struct changes *c, uint64_t ino)
{
	buf_add(&c->inos, (struct span){ (const char *)&ino, sizeof(ino) });
}

/*
 * These sources of an entry have changed, or of the session: entry 0. Add the
 * files that the kernel may have.
 */
static void add_files(struct changes *c, const struct cached *cached,
		      uint32_t entry, unsigned sources)
{
	struct node n = { .kind = KIND_NONE, .entry = entry };
	for (; entry != INDEX_NONE && n.kind < KIND_COUNT; n.kind++)
		if (node_kinds[n.kind].changes_with & sources &&
		    bits_has(&cached->kinds[n.kind], entry))
			add_ino(c, ino_encode(cached->number, &n));
}

static void set_notified(struct notified *notified, const struct changes *c)
{
	notified->state = c->state;
	__atomic_store_n(&notified->version, c->version, __ATOMIC_RELEASE);
}

/* A file that changes for several reasons is added several times. */
static void add_changed(struct changes *c, const struct session *s,
			const struct notified *old)
{
	const struct labels *l = &s->now.labels;
	add_files(c, old->cached, 0, FRESH_VIEW);
	for (uint32_t i = old->state.entries; i < c->state.entries; i++)
		add_files(c, old->cached, session_entry(s, i)->parent,
			  FRESH_CHILDREN);
	for (uint32_t i = old->state.labels; i < c->state.labels; i++)
		add_files(c, old->cached, l->list[l->lines[i]].entry,
			  FRESH_LABEL);
	for (uint32_t i = old->state.subagents; i < c->state.subagents; i++)
		add_files(c, old->cached, started_caller(&s->now.started, i),
			  FRESH_AGENTS);
	/* What may not be cached from now on. */
	if (old->state.leaf != c->state.leaf)
		add_files(c, old->cached, c->state.leaf, FRESH_EXPECTED);
	if (old->state.head != c->state.head)
		add_files(c, old->cached, c->state.head, FRESH_EXPECTED);
}

/* 0 or -ENOMEM. */
static int find_changes(struct place *at, struct changes *c)
{
	const struct session *s = at->session;
	struct notified *old = &attached_to(at)->notified;
	c->number = at->epoch_number;
	c->version = s->version + 1;
	c->state = (struct notified_state){
		.entries = s->now.index.n,
		.labels = s->now.labels.n_lines,
		.leaf = s->now.leaf,
		.head = session_head(s),
		.subagents = (uint32_t)s->now.started.n,
	};
	if (old->version != 0 && old->version != c->version) {
		burst_end(&attached_to(at)->burst, timestamp_monotonic());
		burst_end(&attached_to(at)->outside, timestamp_monotonic());
	}
	if (!old->cached || old->cached->number != c->number) {
		/* Another epoch has begun, of which the kernel has nothing. */
		struct cached *none = calloc(1, sizeof(*none));
		if (!none)
			return -ENOMEM;
		none->number = c->number;
		c->ended = old->cached;
		old->cached = none;
		set_notified(old, c);
		return 0;
	}
	/* If not, its file has lost its mark, and nothing else. */
	if (old->version != c->version) {
		const struct node root = { .kind = KIND_ROOT, .place = at };
		add_changed(c, s, old);
		/*
		 * The attributes of the root are cached in a burst alone.
		 * Otherwise it must not be invalidated: the kernel drops the
		 * replies that are on their way then, and until it has got the
		 * first one it knows no permissions of a mounted root and
		 * denies everything to an ordinary user.
		 */
		if (burst_is_cached(&attached_to(at)->burst,
				    timestamp_monotonic()))
			add_ino(c, ino_of(&root));
	}
	return buf_error(&c->inos);
}

/* Was the kernel notified of this version, and has the file a mark? */
static bool is_notified(const struct place *at)
{
	const struct session *s = at->session;
	return __atomic_load_n(&attached_to(at)->notified.version,
			       __ATOMIC_ACQUIRE) == s->version + 1 &&
	       (!s->log.exists || watch_mark(at) != 0);
}

static int compare_inos(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;
	return (*x > *y) - (*x < *y);
}

/*
 * Send each file once. Becomes 0 in the list: a file that is there again, and
 * one that the kernel does not have yet, or not any more (fs/kernel/resend.h).
 */
static void send_inos(struct fs *fs, uint64_t *inos, size_t n)
{
	uint64_t last = 0;
	bool early = false;
	if (n > 1)
		qsort(inos, n, sizeof(*inos), compare_inos);
	for (size_t i = 0; i < n; i++) {
		bool again = inos[i] == last;
		last = inos[i];
		bool missing = !again && notify_attributes(fs, last) == -ENOENT;
		if (missing)
			resend_add(&fs->resend, last);
		if (again || missing)
			inos[i] = 0;
		early |= missing;
	}
	if (early)
		watch_wake(&fs->watch.events);
}

/*
 * No session is entered. Several threads may send the same changes, which is
 * harmless; each replies only after it has sent all of them.
 */
static void send_changes(struct fs *fs, struct place *at, struct changes *c)
{
	struct notified *old = &attached_to(at)->notified;
	uint64_t *inos = (uint64_t *)(void *)c->inos.data;
	size_t n = c->inos.len / sizeof(*inos);
	invalidate_epoch(fs, c->ended);
	send_inos(fs, inos, n);
	pthread_mutex_lock(&at->lock);
	if (old->cached && old->cached->number == c->number &&
	    old->version < c->version) {
		/*
		 * The kernel has no attributes of these any more. It has got no
		 * reply since, as old->version is still an older one.
		 */
		for (size_t i = 0; i < n; i++) {
			struct node sent;
			uint32_t number;
			if (ino_decode(inos[i], &number, &sent))
				bits_remove(&old->cached->kinds[sent.kind],
					    sent.entry);
		}
		set_notified(old, c);
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
			err = find_changes(at, &c);
			watch_follow(&fs->watch, at);
			pthread_mutex_unlock(&at->lock);
		}
		place_leave(at);
		if (!err)
			send_changes(fs, at, &c);
		buf_free(&c.inos);
		free_cached(c.ended);
		if (err)
			return err;
	}
}

void notify_refresh(struct fs *fs, struct place *at)
{
	bool is_up_to_date = false;
	if (!place_is_loaded(at))
		return;
	if (session_enter_if_fresh(at->session)) {
		is_up_to_date = is_notified(at);
		session_leave(at->session);
	}
	if (!is_up_to_date && notify_enter(fs, at) == 0)
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
	if (node_kinds[n->kind].type == S_IFLNK || ino_is_home(n->kind))
		return 0;
	struct cached *c = attached_to(n->place)->notified.cached;
	if (!c)
		return -ENOMEM;
	if (n->kind == KIND_PICTURE)
		count_pictures(c, n->nth);
	return bits_add(&c->kinds[n->kind], n->entry);
}

void notify_unloaded(void *data, struct place *at)
{
	struct fs *fs = data;
	struct notified *old = &attached_to(at)->notified;
	struct cached *ended = NULL;
	pthread_mutex_lock(&at->lock);
	/* Another thread may have read it again by now. */
	if (!place_is_loaded(at)) {
		ended = old->cached;
		old->cached = NULL;
		watch_forget(&fs->watch, at);
	}
	pthread_mutex_unlock(&at->lock);
	invalidate_epoch(fs, ended);
	free_cached(ended);
}

bool notify_is_prompt(const struct place *at)
{
	return !at->session->beside[BESIDE_OWN].path && watch_mark(at) > 0;
}
