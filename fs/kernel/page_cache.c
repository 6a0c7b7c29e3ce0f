#include "fs/kernel/page_cache.h"

#include <errno.h>
#include <pthread.h>

#include "fs/kernel/fs.h"
#include "fs/kernel/timeouts.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"

/* The calling thread is a worker. */
static void record_thread(struct pages *p)
{
	const uint64_t self = (uint64_t)pthread_self();
	for (unsigned i = 0; i < PAGES_THREADS; i++) {
		uint64_t seen =
			__atomic_load_n(&p->threads[i], __ATOMIC_RELAXED);
		if (seen == self ||
		    (seen == 0 && __atomic_compare_exchange_n(
					  &p->threads[i], &seen, self, false,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			return;
	}
}

void pages_record_read(struct pages *p, uint64_t ino)
{
	record_thread(p);
	if (__atomic_load_n(&p->probe, __ATOMIC_RELAXED) == ino)
		__atomic_store_n(&p->left, PAGES_PROBE - 1, __ATOMIC_RELAXED);
}

/* Does the folder follow a probe whose files were read? */
static bool is_wanted(struct pages *p, uint64_t content)
{
	unsigned left = __atomic_load_n(&p->left, __ATOMIC_RELAXED);
	if (left > 0) {
		__atomic_store_n(&p->left, left - 1, __ATOMIC_RELAXED);
		return true;
	}
	__atomic_store_n(&p->probe, content, __ATOMIC_RELAXED);
	return false;
}

/* The session is entered. */
static void fill_batch(struct fs *fs, const struct node *of,
		       struct pages_batch *batch)
{
	static const enum node_kind stored[PAGES_FILES] = { KIND_CONTENT,
							    KIND_META };
	struct node n = *of;
	for (size_t i = 0; i < PAGES_FILES; i++) {
		struct rendering *r;
		n.kind = stored[i];
		/* Pages of a file that can change could be stale. */
		if (timeout_of_attr(fs, &n) == 0 ||
		    render_file(&fs->tree, &n, &r) < 0)
			continue;
		batch->inos[batch->n] = ino_of(&n);
		batch->renderings[batch->n++] = r;
	}
}

void pages_prepare(struct fs *fs, const struct node *folder,
		   struct pages_batch *batch)
{
	struct node n = *folder;
	batch->n = 0;
	record_thread(&fs->pages);
	n.kind = KIND_CONTENT;
	if (fs->kernel && is_wanted(&fs->pages, ino_of(&n)))
		fill_batch(fs, &n, batch);
}

/* False if the kernel does not have the file. */
static bool store_file(struct fs *fs, uint64_t ino, const struct buf *bytes)
{
	struct fuse_bufvec v = FUSE_BUFVEC_INIT(bytes->len);
	v.buf[0].mem = bytes->data;
	if (bytes->len == 0 || bytes->len > PAGES_BYTES)
		return true;
	/* If that fails, the kernel sends a READ. */
	int err = fuse_lowlevel_notify_store(fs->kernel, ino, 0, &v, 0);
	if (!err)
		stats_count(&fs->tree.stats, STAT_PAGES_STORED);
	return err != -ENOENT;
}

bool pages_store(struct fs *fs, struct pages_batch *batch)
{
	struct pages *p = &fs->pages;
	if (batch->n == 0)
		return false;
	unsigned storing = __atomic_add_fetch(&p->storing, 1, __ATOMIC_RELAXED);
	unsigned threads = 0;
	for (unsigned i = 0; i < PAGES_THREADS; i++)
		threads +=
			__atomic_load_n(&p->threads[i], __ATOMIC_RELAXED) != 0;
	bool others = storing < threads;
	for (size_t i = 0; i < batch->n; i++) {
		if (others)
			others = store_file(fs, batch->inos[i],
					    &batch->renderings[i]->bytes);
		cache_put(batch->renderings[i]);
	}
	__atomic_sub_fetch(&p->storing, 1, __ATOMIC_RELAXED);
	batch->n = 0;
	return others;
}

/* False if there is no such entry, or the kernel does not have its files. */
static bool store_entry(struct fs *fs, uint64_t content)
{
	struct pages_batch batch = { 0 };
	struct node n;
	if (tree_enter(&fs->tree, content, &n) < 0)
		return false;
	fill_batch(fs, &n, &batch);
	tree_leave(&n);
	return pages_store(fs, &batch);
}

/* Does the READ continue a sequence, and was the last attempt long ago? */
static bool is_in_sequence(struct pages *p, uint64_t content)
{
	uint64_t next = ino_following(content, 1);
	bool follows = __atomic_exchange_n(&p->next, next, __ATOMIC_RELAXED) ==
		       content;
	unsigned pause = __atomic_load_n(&p->pause, __ATOMIC_RELAXED);
	if (pause > 0)
		__atomic_store_n(&p->pause, pause - 1, __ATOMIC_RELAXED);
	return follows && pause == 0;
}

void pages_read_ahead(struct fs *fs, uint64_t ino)
{
	struct pages *p = &fs->pages;
	uint32_t i = 1;
	if (!fs->kernel || ino_kind(ino) != KIND_CONTENT ||
	    !is_in_sequence(p, ino))
		return;
	while (i <= PAGES_AHEAD && store_entry(fs, ino_following(ino, i)))
		i++;
	if (i == 1)
		__atomic_store_n(&p->pause, PAGES_PROBE, __ATOMIC_RELAXED);
	__atomic_store_n(&p->next, ino_following(ino, i), __ATOMIC_RELAXED);
}
