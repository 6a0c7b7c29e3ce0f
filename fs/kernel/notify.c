#include "fs/kernel/notify.h"

#include <errno.h>

#include "fs/tree/ino.h"

/* The pages, although the mtime has not changed. */
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

/* What the kernel may know of an epoch that is over. */
struct known {
	uint32_t number; /* of the epoch */
	struct bits shown;
	struct bits pictured;
	uint32_t most_pictures;
};

static uint64_t ino_in(const struct known *known, uint32_t entry,
		       enum node_kind kind)
{
	const struct node n = { .kind = kind, .entry = entry };
	return ino_encode(known->number, &n);
}

static void take_back_pictures(struct fs *fs, const struct known *known,
			       uint32_t entry)
{
	struct node n = { .kind = KIND_PICTURE, .entry = entry };
	for (n.nth = 1; n.nth <= known->most_pictures; n.nth++)
		notify_attributes(fs, ino_encode(known->number, &n));
}

/* Without its folder's attributes no other name in it is found either. */
static void take_back_known(struct fs *fs, const struct known *known)
{
	static const enum node_kind kinds_known[] = {
		KIND_TREE_ENTRY,
		KIND_ID_ENTRY,
		KIND_CONTENT,
		KIND_LABEL,
		KIND_META,
		KIND_ENTRY_CONTEXT,
		KIND_ENTRY_CONTEXT_JSON,
	};
	uint32_t i = 0;
	notify_attributes(fs, ino_in(known, 0, KIND_BY_ID));
	notify_attributes(fs, ino_in(known, 0, KIND_TREE));
	while ((i = bits_next(&known->shown, i)) != UINT32_MAX) {
		for (size_t k = 0;
		     k < sizeof(kinds_known) / sizeof(kinds_known[0]); k++)
			notify_attributes(fs, ino_in(known, i, kinds_known[k]));
		if (bits_has(&known->pictured, i))
			take_back_pictures(fs, known, i);
		i++;
	}
}

static void free_known(struct known *known)
{
	bits_free(&known->shown);
	bits_free(&known->pictured);
}

/*
 * What is to be told, as it was found when the session was entered: files whose
 * attributes are to be taken back; all of an epoch that is over; and what will
 * have been told then.
 */
struct news {
	struct buf inos; /* of uint64_t */
	struct known over;
	uint64_t version; /* as told.version */
	struct told_state now;
};

/* The functions from here to take_news() are called under the place's lock. */

static void add_ino(struct news *news, uint32_t entry, enum node_kind kind)
{
	const struct node n = { .kind = kind, .entry = entry };
	uint64_t ino = ino_encode(news->now.number, &n);
	buf_add(&news->inos, (struct span){ (const char *)&ino, sizeof(ino) });
}

/* An entry's folder in both views. */
static void add_folder(struct news *news, uint32_t entry)
{
	add_ino(news, entry, KIND_TREE_ENTRY);
	add_ino(news, entry, KIND_ID_ENTRY);
}

/* The parents that were there before, of the entries that were not. */
static void add_parents(struct news *news, const struct place *at)
{
	const struct session *s = at->session;
	const struct told *told = &at->told;
	uint32_t last = INDEX_NONE;
	for (uint32_t i = told->state.entries; i < s->now.index.n; i++) {
		uint32_t parent = session_entry(s, i)->parent;
		if (parent == last || parent == INDEX_NONE ||
		    parent >= told->state.entries ||
		    !bits_has(&told->shown, parent))
			continue;
		add_folder(news, parent);
		last = parent;
	}
}

static void add_labels(struct news *news, const struct place *at)
{
	const struct labels *l = &at->session->now.labels;
	const struct told *told = &at->told;
	for (uint32_t i = told->state.labels; i < l->n_said; i++) {
		uint32_t entry = l->list[l->said[i]].entry;
		if (entry != INDEX_NONE && bits_has(&told->shown, entry))
			add_ino(news, entry, KIND_LABEL);
	}
}

/* An entry's folder is lively from now on. */
static void add_lively(struct news *news, const struct told *told,
		       uint32_t entry)
{
	if (entry == INDEX_NONE || !bits_has(&told->shown, entry))
		return;
	add_folder(news, entry);
	add_ino(news, entry, KIND_LABEL);
}

/* Nothing is shown any more. */
static struct known take_known(struct told *told)
{
	struct known known = { told->state.number, told->shown, told->pictured,
			       told->most_pictures };
	told->shown = (struct bits){ 0 };
	told->pictured = (struct bits){ 0 };
	told->most_pictures = 0;
	return known;
}

static void set_told(struct told *told, const struct news *news)
{
	told->state = news->now;
	__atomic_store_n(&told->version, news->version, __ATOMIC_RELEASE);
}

static void take_news(struct place *at, struct news *news)
{
	const struct session *s = at->session;
	struct told *told = &at->told;
	bool new_epoch = told->state.number != at->epoch_number;
	news->version = s->version + 1;
	news->now = (struct told_state){
		.number = at->epoch_number,
		.first = new_epoch ? s->now.index.n : told->state.first,
		.entries = s->now.index.n,
		.labels = s->now.labels.n_said,
		.leaf = s->now.leaf,
		.head = session_head(s),
	};
	if (new_epoch) {
		news->over = take_known(told);
		set_told(told, news);
		return;
	}
	add_ino(news, 0, KIND_BY_ID);
	add_ino(news, 0, KIND_TREE);
	add_parents(news, at);
	add_labels(news, at);
	if (told->state.leaf != news->now.leaf)
		add_lively(news, told, news->now.leaf);
	if (told->state.head != news->now.head)
		add_lively(news, told, news->now.head);
}

/* Has all been told of the session as it is, and is its file watched? */
static bool is_told(const struct place *at)
{
	const struct session *s = at->session;
	return __atomic_load_n(&at->told.version, __ATOMIC_ACQUIRE) ==
		       s->version + 1 &&
	       (!s->log.exists || marks_is_set(at));
}

/*
 * With nothing entered. Others may be telling the same: twice does no harm, and
 * nobody replies before somebody has told it all.
 */
static void tell(struct fs *fs, struct place *at, struct news *news)
{
	struct told *told = &at->told;
	const uint64_t *inos = (const uint64_t *)(void *)news->inos.data;
	take_back_known(fs, &news->over);
	bool early = false;
	for (size_t i = 0; i < news->inos.len / sizeof(*inos); i++) {
		if (notify_attributes(fs, inos[i]) == -ENOENT) {
			resend_add(&fs->resend, inos[i]);
			early = true;
		}
	}
	if (early)
		watch_wake(&fs->watch);
	pthread_mutex_lock(&at->lock);
	if (told->state.number == news->now.number &&
	    told->version < news->version)
		set_told(told, news);
	pthread_mutex_unlock(&at->lock);
}

static void free_news(struct news *news)
{
	buf_free(&news->inos);
	free_known(&news->over);
}

int notify_enter(void *data, struct place *at)
{
	struct fs *fs = data;
	for (;;) {
		struct news news = { 0 };
		int err = place_enter(at);
		if (err || !fs->kernel || is_told(at))
			return err;
		err = place_assign_number(at);
		if (!err) {
			pthread_mutex_lock(&at->lock);
			take_news(at, &news);
			watch_follow(&fs->watch, at);
			pthread_mutex_unlock(&at->lock);
			err = buf_error(&news.inos);
		}
		place_leave(at);
		if (!err)
			tell(fs, at, &news);
		free_news(&news);
		if (err)
			return err;
	}
}

/* Has the kernel been told of the session as its file is now? */
static bool is_up_to_date(const struct place *at)
{
	bool told = false;
	if (session_enter_if_fresh(at->session)) {
		told = is_told(at);
		session_leave(at->session);
	}
	return told;
}

void notify_refresh(struct fs *fs, struct place *at)
{
	if (place_is_loaded(at) && !is_up_to_date(at) &&
	    notify_enter(fs, at) == 0)
		place_leave(at);
}

static int note_pictures(struct told *told, const struct node *n)
{
	uint32_t most = __atomic_load_n(&told->most_pictures, __ATOMIC_RELAXED);
	while (n->nth > most &&
	       !__atomic_compare_exchange_n(&told->most_pictures, &most, n->nth,
					    false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
	return bits_add(&told->pictured, n->entry);
}

int notify_shown(const struct node *n)
{
	struct told *told = &n->place->told;
	int err = 0;
	if (n->kind == KIND_PICTURE)
		err = note_pictures(told, n);
	return err ? err : bits_add(&told->shown, n->entry);
}

void notify_unloaded(void *data, struct place *at)
{
	struct fs *fs = data;
	struct known known = { 0 };
	pthread_mutex_lock(&at->lock);
	/* Somebody may have opened it again by now. */
	if (!place_is_loaded(at)) {
		known = take_known(&at->told);
		watch_forget(&fs->watch, at);
	}
	pthread_mutex_unlock(&at->lock);
	take_back_known(fs, &known);
	free_known(&known);
}

bool notify_is_volatile(const struct node *n)
{
	const struct session *s = n->place->session;
	return n->entry == s->now.leaf || n->entry == session_head(s);
}

bool notify_is_prompt(const struct place *at)
{
	return !at->session->sidecar.path && marks_is_watched(at);
}
