#include "fs/kernel/pages.h"

#include <pthread.h>

#include "fs/kernel/fs.h"
#include "fs/kernel/timeouts.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"

/* A thread that serves: this one. */
static void note_thread(struct store *s)
{
	const uint64_t self = (uint64_t)pthread_self();
	for (unsigned i = 0; i < STORE_THREADS; i++) {
		uint64_t seen =
			__atomic_load_n(&s->threads[i], __ATOMIC_RELAXED);
		if (seen == self ||
		    (seen == 0 && __atomic_compare_exchange_n(
					  &s->threads[i], &seen, self, false,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			return;
	}
}

static unsigned count_threads(const struct store *s)
{
	unsigned n = 0;
	for (unsigned i = 0; i < STORE_THREADS; i++)
		n += __atomic_load_n(&s->threads[i], __ATOMIC_RELAXED) != 0;
	return n;
}

void store_note_read(struct store *s, uint64_t ino)
{
	note_thread(s);
	if (__atomic_load_n(&s->probe, __ATOMIC_RELAXED) == ino)
		__atomic_store_n(&s->left, STORE_PROBE - 1, __ATOMIC_RELAXED);
}

/* Is it one of those that follow a probe whose files were read? */
static bool is_wanted(struct store *s, uint64_t content)
{
	unsigned left = __atomic_load_n(&s->left, __ATOMIC_RELAXED);
	if (left > 0) {
		__atomic_store_n(&s->left, left - 1, __ATOMIC_RELAXED);
		return true;
	}
	__atomic_store_n(&s->probe, content, __ATOMIC_RELAXED);
	return false;
}

void store_prepare(struct fs *fs, const struct node *folder,
		   struct stored_files *files)
{
	static const enum node_kind kept[STORE_FILES] = { KIND_CONTENT,
							  KIND_META };
	struct node n = *folder;
	files->n = 0;
	note_thread(&fs->store);
	n.kind = KIND_CONTENT;
	if (!fs->kernel || !is_wanted(&fs->store, ino_of(&n)))
		return;
	for (size_t i = 0; i < STORE_FILES; i++) {
		struct rendering *r;
		n.kind = kept[i];
		/* What does not change: the pages are good as they are. */
		if (timeout_of_attr(fs, &n) == 0 ||
		    render_file(&fs->tree, &n, &r) < 0)
			continue;
		files->inos[files->n] = ino_of(&n);
		files->renderings[files->n++] = r;
	}
}

static void store(struct fs *fs, uint64_t ino, const struct buf *bytes)
{
	struct fuse_bufvec v = FUSE_BUFVEC_INIT(bytes->len);
	v.buf[0].mem = bytes->data;
	if (bytes->len == 0 || bytes->len > STORE_BYTES)
		return;
	/* If the kernel can't take it, it will ask. */
	if (fuse_lowlevel_notify_store(fs->kernel, ino, 0, &v, 0) == 0)
		stats_count(&fs->tree.stats, STAT_PAGES_STORED);
}

void store_files(struct fs *fs, struct stored_files *files)
{
	struct store *s = &fs->store;
	if (files->n == 0)
		return;
	unsigned storing = __atomic_add_fetch(&s->storing, 1, __ATOMIC_RELAXED);
	bool others = storing < count_threads(s);
	for (size_t i = 0; i < files->n; i++) {
		if (others)
			store(fs, files->inos[i], &files->renderings[i]->bytes);
		cache_put(files->renderings[i]);
	}
	__atomic_sub_fetch(&s->storing, 1, __ATOMIC_RELAXED);
	files->n = 0;
}
