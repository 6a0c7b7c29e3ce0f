#include "fs/kernel/notify.h"

#include <errno.h>

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
	bits_free(&c->entries);
	bits_free(&c->pictured);
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

static uint64_t ino_in(const struct ended_epoch *ended, uint32_t entry,
		       enum node_kind kind)
{
	const struct node n = { .kind = kind, .entry = entry };
	return ino_encode(ended->number, &n);
}

static void invalidate_pictures(struct fs *fs, const struct ended_epoch *ended,
				uint32_t entry)
{
	struct node n = { .kind = KIND_PICTURE, .entry = entry };
	for (n.nth = 1; n.nth <= ended->cached.most_pictures; n.nth++)
		notify_attributes(fs, ino_encode(ended->number, &n));
}

/* Other files of an entry are not reached without their folder's attributes. */
static void invalidate_epoch(struct fs *fs, const struct ended_epoch *ended)
{
	static const enum node_kind list[] = {
		KIND_TREE_ENTRY,
		KIND_ID_ENTRY,
		KIND_CONTENT,
		KIND_LABEL,
		KIND_META,
		KIND_ENTRY_CONTEXT,
		KIND_ENTRY_CONTEXT_JSON,
	};
	const size_t n = sizeof(list) / sizeof(list[0]);
	uint32_t i = 0;
	if (ended->number == 0)
		return;
	notify_attributes(fs, ino_in(ended, 0, KIND_BY_ID));
	notify_attributes(fs, ino_in(ended, 0, KIND_TREE));
	while ((i = bits_next(&ended->cached.entries, i)) != UINT32_MAX) {
		for (size_t k = 0; k < n; k++)
			notify_attributes(fs, ino_in(ended, i, list[k]));
		if (bits_has(&ended->cached.pictured, i))
			invalidate_pictures(fs, ended, i);
		i++;
	}
}

/*
 * The changes found when a session was entered, of which the kernel has to be
 * notified: files with other attributes, and an epoch that has ended.
 */
struct changes {
	struct buf inos; /* of uint64_t */
	struct ended_epoch ended;
	struct notified_state state; /* the kernel has after that, */
	uint64_t version;	     /* and notified.version */
};

static void free_changes(struct changes *c)
{
	buf_free(&c->inos);
	free_cached(&c->ended.cached);
}

/* The functions from here to find_changes() are called under place.lock. */

static void add_ino(struct changes *c, uint32_t entry, enum node_kind kind)
{
	const struct node n = { .kind = kind, .entry = entry };
	uint64_t ino = ino_encode(c->state.number, &n);
	buf_add(&c->inos, (struct span){ (const char *)&ino, sizeof(ino) });
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
	uint64_t ino = ino_of(&n);
	if (burst_is_cached(&attached_to(at)->burst, timestamp_monotonic()))
		buf_add(&c->inos,
			(struct span){ (const char *)&ino, sizeof(ino) });
}

/* An entry's folder, in both views. */
static void add_folder(struct changes *c, uint32_t entry)
{
	add_ino(c, entry, KIND_TREE_ENTRY);
	add_ino(c, entry, KIND_ID_ENTRY);
}

/* The folders of older entries that have got children. */
static void add_parents(struct changes *c, const struct place *at)
{
	const struct session *s = at->session;
	const struct notified *old = notified_of(at);
	uint32_t last = INDEX_NONE;
	for (uint32_t i = old->state.entries; i < s->now.index.n; i++) {
		uint32_t parent = session_entry(s, i)->parent;
		if (parent == last || parent == INDEX_NONE ||
		    parent >= old->state.entries ||
		    !bits_has(&old->cached.entries, parent))
			continue;
		add_folder(c, parent);
		last = parent;
	}
}

/* The folders of older entries that have got links to subagents. */
static void add_callers(struct changes *c, const struct place *at)
{
	const struct session *s = at->session;
	const struct notified *old = notified_of(at);
	uint32_t i = old->state.subagents;
	uint32_t caller;
	if (!s->dialect->subagent_caller)
		return;
	while ((caller = s->dialect->subagent_caller(s, i++)) != INDEX_NONE)
		if (bits_has(&old->cached.entries, caller))
			add_folder(c, caller);
	c->state.subagents = i - 1;
}

static void add_labels(struct changes *c, const struct place *at)
{
	const struct labels *l = &at->session->now.labels;
	const struct notified *old = notified_of(at);
	for (uint32_t i = old->state.labels; i < l->n_lines; i++) {
		uint32_t entry = l->list[l->lines[i]].entry;
		if (entry != INDEX_NONE &&
		    bits_has(&old->cached.entries, entry))
			add_ino(c, entry, KIND_LABEL);
	}
}

/* The files of an entry's folder that may not be cached from now on. */
static void add_volatile(struct changes *c, const struct notified *old,
			 uint32_t entry)
{
	if (entry == INDEX_NONE || !bits_has(&old->cached.entries, entry))
		return;
	add_folder(c, entry);
	add_ino(c, entry, KIND_LABEL);
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
	add_ino(c, 0, KIND_BY_ID);
	add_ino(c, 0, KIND_TREE);
	add_root(c, at);
	add_parents(c, at);
	add_callers(c, at);
	add_labels(c, at);
	if (old->state.leaf != c->state.leaf)
		add_volatile(c, old, c->state.leaf);
	if (old->state.head != c->state.head)
		add_volatile(c, old, c->state.head);
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
 * No session is entered. Several threads may send the same changes, which is
 * harmless; each replies only after it has sent all of them.
 */
static void send_changes(struct fs *fs, struct place *at,
			 const struct changes *c)
{
	struct notified *notified = notified_of(at);
	const uint64_t *inos = (const uint64_t *)(void *)c->inos.data;
	invalidate_epoch(fs, &c->ended);
	bool early = false;
	for (size_t i = 0; i < c->inos.len / sizeof(*inos); i++) {
		if (notify_attributes(fs, inos[i]) == -ENOENT) {
			resend_add(&fs->resend, inos[i]);
			early = true;
		}
	}
	if (early)
		watch_resend(&fs->watch);
	pthread_mutex_lock(&at->lock);
	if (notified->state.number == c->state.number &&
	    notified->version < c->version)
		set_notified(notified, c);
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
			err = buf_error(&c.inos);
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

static int add_pictured(struct cached *c, const struct node *n)
{
	uint32_t most = __atomic_load_n(&c->most_pictures, __ATOMIC_RELAXED);
	while (n->nth > most && !__atomic_compare_exchange_n(
					&c->most_pictures, &most, n->nth, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return bits_add(&c->pictured, n->entry);
}

int notify_caching(const struct node *n)
{
	struct cached *c = &notified_of(n->place)->cached;
	int err = 0;
	if (n->kind == KIND_PICTURE)
		err = add_pictured(c, n);
	return err ? err : bits_add(&c->entries, n->entry);
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
