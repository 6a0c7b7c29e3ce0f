#include "fs/notify.h"

#include "fs/ino.h"

void notify_folder(struct fs *fs, const struct node *folder)
{
	/* What the kernel does not know is no error. */
	if (fs->kernel)
		fuse_lowlevel_notify_inval_inode(fs->kernel, ino_of(folder), 0,
						 0);
}

void notify_root(struct fs *fs, const struct place *at)
{
	const struct node n = { .kind = KIND_ROOT,
				.place = (struct place *)at };
	notify_folder(fs, &n);
}

/* An entry's folder in both views. */
static void notify_entry(struct fs *fs, struct place *at, uint32_t entry)
{
	struct node n = { KIND_TREE_ENTRY, entry, 0, at };
	if (entry == INDEX_NONE)
		return;
	notify_folder(fs, &n);
	n.kind = KIND_ID_ENTRY;
	notify_folder(fs, &n);
}

static void note_grown(struct told *told, uint32_t entry)
{
	told->grown[told->n_grown++ % PLACE_GROWN] = entry;
}

/* The parents that were there before, of the entries that were not. */
static void notify_parents(struct fs *fs, struct place *at)
{
	const struct session *s = at->session;
	uint32_t last = INDEX_NONE;
	for (uint32_t i = at->told.entries; i < s->now.index.n; i++) {
		uint32_t parent = session_entry(s, i)->parent;
		if (parent == last || parent == INDEX_NONE ||
		    parent >= at->told.entries)
			continue;
		note_grown(&at->told, parent);
		notify_entry(fs, at, parent);
		last = parent;
	}
}

/* Under the place's lock. */
static void tell(struct fs *fs, struct place *at)
{
	const struct session *s = at->session;
	struct told *told = &at->told;
	uint32_t leaf = s->now.leaf;
	uint32_t head = session_head(s);
	if (!told->any || told->epoch != s->epoch) {
		*told = (struct told){ .any = true, .epoch = s->epoch };
		for (unsigned i = 0; i < PLACE_GROWN; i++)
			note_grown(told, INDEX_NONE);
	} else {
		if (told->entries != s->now.index.n)
			notify_parents(fs, at);
		/* They are lively from now on. */
		if (told->leaf != leaf)
			notify_entry(fs, at, leaf);
		if (told->head != head)
			notify_entry(fs, at, head);
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
