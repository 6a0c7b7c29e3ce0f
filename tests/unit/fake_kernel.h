/*
 * The kernel, for tests of fs/kernel without a mount: it records invalidations,
 * and answers them as the test wants. It stands for libfuse, which these tests
 * are not linked with.
 */
#ifndef SESSFS_FAKE_KERNEL_H
#define SESSFS_FAKE_KERNEL_H

#include "fs/kernel/fs.h"
#include "fs/tree/ino.h"
#include "tests/unit/test.h"

struct fuse_session {
	struct buf calls; /* the files, as fake_kernel_add() names them */
	struct buf inos;  /* the same as numbers, without listings */
	unsigned n;
	uint32_t place;		       /* the number in the last call */
	int answer;		       /* to all calls */
	void (*during)(struct fs *fs); /* called during the next call */
	struct fs *fs;
};

/* "tree/2", "by-id/2", "2/label"; "by-id/" is its listing. */
static inline void fake_kernel_add(struct buf *out, uint64_t ino, bool listing)
{
	struct node n;
	uint32_t number;
	buf_adds(out, out->len > 0 ? " " : "");
	if (!ino_decode(ino, &number, &n))
		buf_adds(out, "nothing");
	else if (n.kind == KIND_ROOT)
		buf_adds(out, "root");
	else if (n.kind == KIND_TREE_ENTRY)
		buf_addf(out, "tree/%u", n.entry);
	else if (n.kind == KIND_ID_ENTRY)
		buf_addf(out, "by-id/%u", n.entry);
	else if (n.kind == KIND_PICTURE)
		buf_addf(out, "%u/%u.ext", n.entry, n.nth);
	else if (n.kind == KIND_ENTRY_AS_FILE)
		buf_addf(out, "%u/as/%u", n.entry, n.nth);
	else if (node_kind_has_entry(n.kind))
		buf_addf(out, "%u/%s", n.entry, node_kinds[n.kind].name);
	else
		buf_adds(out, node_kinds[n.kind].name);
	buf_adds(out, listing ? "/" : "");
}

/* No lock that a request could need is held during an invalidation. */
static inline void fake_kernel_check_lock(pthread_mutex_t *lock)
{
	if (CHECK_INT(pthread_mutex_trylock(lock), 0))
		pthread_mutex_unlock(lock);
}

int fuse_lowlevel_notify_inval_inode(struct fuse_session *kernel,
				     fuse_ino_t ino, off_t off, off_t len)
{
	void (*during)(struct fs * fs) = kernel->during;
	CHECK_INT(len, 0);
	fake_kernel_add(&kernel->calls, ino, off == 0);
	if (off != 0)
		buf_add(&kernel->inos,
			(struct span){ (const char *)&ino, sizeof(ino) });
	kernel->n++;
	kernel->place = ino_place(ino);
	kernel->during = NULL;
	fake_kernel_check_lock(&kernel->fs->tree.places->source->lock);
	fake_kernel_check_lock(&kernel->fs->watch.lock);
	if (during)
		during(kernel->fs);
	return kernel->answer;
}

#endif
