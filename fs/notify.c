#include "fs/notify.h"

#include <errno.h>
#include <stdlib.h>

#include "fs/ino.h"

#define WORD_BITS 64

static void invalidate(struct fs *fs, uint64_t ino)
{
	/* What the kernel does not know is no error. */
	if (fs->kernel)
		fuse_lowlevel_notify_inval_inode(fs->kernel, ino, 0, 0);
}

void notify_folder(struct fs *fs, const struct node *folder)
{
	invalidate(fs, ino_of(folder));
}

void notify_root(struct fs *fs, struct place *at)
{
	const struct node n = { .kind = KIND_ROOT, .place = at };
	notify_folder(fs, &n);
}

/* The functions from here to tell() are called under the place's lock. */

/* An entry's folder in both views. */
static void notify_entry(struct fs *fs, const struct told *told, uint32_t entry)
{
	struct node n = { .kind = KIND_TREE_ENTRY, .entry = entry };
	if (entry == INDEX_NONE)
		return;
	invalidate(fs, ino_encode(told->number, &n));
	n.kind = KIND_ID_ENTRY;
	invalidate(fs, ino_encode(told->number, &n));
}

static bool is_listed(const struct told *told, uint32_t entry)
{
	size_t word = entry / WORD_BITS;
	return word < told->words &&
	       (told->listed[word] >> entry % WORD_BITS & 1);
}

static void notify_all_listed(struct fs *fs, const struct told *told)
{
	for (size_t word = 0; word < told->words; word++) {
		uint64_t bits = told->listed[word];
		for (; bits; bits &= bits - 1)
			notify_entry(fs, told,
				     (uint32_t)(word * WORD_BITS) +
					     (uint32_t)__builtin_ctzll(bits));
	}
}

/* One that is not among the last any more is taken back once again. */
static void note_grown(struct fs *fs, struct told *told, uint32_t entry)
{
	uint32_t *slot = &told->grown[told->n_grown++ % PLACE_GROWN];
	notify_entry(fs, told, *slot);
	*slot = entry;
}

/* The parents that were there before, of the entries that were not. */
static void notify_parents(struct fs *fs, struct place *at)
{
	const struct session *s = at->session;
	struct told *told = &at->told;
	uint32_t last = INDEX_NONE;
	for (uint32_t i = told->entries; i < s->now.index.n; i++) {
		uint32_t parent = session_entry(s, i)->parent;
		if (parent == last || parent == INDEX_NONE ||
		    parent >= told->entries || !is_listed(told, parent))
			continue;
		note_grown(fs, told, parent);
		notify_entry(fs, told, parent);
		last = parent;
	}
}

static void begin_epoch(struct fs *fs, struct place *at)
{
	struct told *told = &at->told;
	notify_all_listed(fs, told);
	free(told->listed);
	*told = (struct told){ .number = at->number };
	for (unsigned i = 0; i < PLACE_GROWN; i++)
		told->grown[i] = INDEX_NONE;
}

static void tell(struct fs *fs, struct place *at)
{
	const struct session *s = at->session;
	struct told *told = &at->told;
	uint32_t leaf = s->now.leaf;
	uint32_t head = session_head(s);
	if (told->number != at->number) {
		begin_epoch(fs, at);
	} else {
		if (told->entries != s->now.index.n)
			notify_parents(fs, at);
		/* They are lively from now on. */
		if (told->leaf != leaf)
			notify_entry(fs, told, leaf);
		if (told->head != head)
			notify_entry(fs, told, head);
	}
	told->entries = s->now.index.n;
	told->leaf = leaf;
	told->head = head;
}

bool notify_news(struct fs *fs, struct place *at)
{
	if (!fs->kernel || place_settle(at) < 0)
		return false;
	pthread_mutex_lock(&at->lock);
	tell(fs, at);
	bool watched = watch_follow(&fs->watch, at);
	pthread_mutex_unlock(&at->lock);
	return watched;
}

int notify_listed(const struct node *folder)
{
	struct place *at = folder->place;
	struct told *told = &at->told;
	size_t word = folder->entry / WORD_BITS;
	int err = 0;
	pthread_mutex_lock(&at->lock);
	if (word >= told->words) {
		size_t words = at->session->now.index.n / WORD_BITS + 1;
		uint64_t *listed =
			realloc(told->listed, words * sizeof(*listed));
		err = listed ? 0 : -ENOMEM;
		if (listed) {
			memset(listed + told->words, 0,
			       (words - told->words) * sizeof(*listed));
			told->listed = listed;
			told->words = words;
		}
	}
	if (!err)
		told->listed[word] |= UINT64_C(1) << folder->entry % WORD_BITS;
	pthread_mutex_unlock(&at->lock);
	return err;
}

void notify_closed(void *data, struct place *at)
{
	struct fs *fs = data;
	pthread_mutex_lock(&at->lock);
	/* Somebody may have opened it again by now. */
	if (!place_is_open(at)) {
		notify_all_listed(fs, &at->told);
		watch_forget(&fs->watch, at);
	}
	pthread_mutex_unlock(&at->lock);
}

bool notify_is_lively(const struct node *folder)
{
	struct place *at = folder->place;
	const struct session *s = at->session;
	bool lively = folder->entry == s->now.leaf ||
		      folder->entry == session_head(s);
	pthread_mutex_lock(&at->lock);
	for (unsigned i = 0; i < PLACE_GROWN && !lively; i++)
		lively = at->told.grown[i] == folder->entry;
	pthread_mutex_unlock(&at->lock);
	return lively;
}
