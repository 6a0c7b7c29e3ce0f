#include "fs/fs.h"

#include <errno.h>
#include <stdlib.h>

#include "core/content.h"
#include "core/dialect.h"
#include "core/timestamp.h"
#include "fs/dir.h"
#include "fs/ino.h"

/* As good as for ever. */
#define ENDLESS (365 * 86400.0)

int fs_init(struct fs *fs, struct session *session, const char *mountpoint,
	    const char *spelled, int ready_fd)
{
	*fs = (struct fs){ .session = session, .ready_fd = ready_fd };
	fs->mountpoint = strdup(mountpoint);
	fs->spelled = strdup(spelled);
	int err = fs->mountpoint && fs->spelled ? cache_init(&fs->cache)
						: -ENOMEM;
	if (!err)
		err = head_links_init(&fs->links);
	if (!err)
		err = label_edits_init(&fs->edits);
	return err;
}

void fs_free(struct fs *fs)
{
	label_edits_free(&fs->edits);
	head_links_free(&fs->links);
	cache_free(&fs->cache);
	session_free(fs->session);
	free(fs->mountpoint);
	free(fs->spelled);
}

int fs_node(const struct fs *fs, fuse_ino_t ino, struct node *n)
{
	uint32_t epoch;
	if (!ino_decode(ino, &epoch, n))
		return -ESTALE;
	if (n->kind == KIND_ROOT || n->kind == KIND_STAGED)
		return 0;
	if (epoch != ino_epoch(fs->session->epoch) ||
	    (kinds[n->kind].per_entry && n->entry >= fs->session->now.index.n))
		return -ESTALE;
	return 0;
}

static bool is_context(const struct node *n)
{
	return n->kind == KIND_ENTRY_CONTEXT ||
	       n->kind == KIND_ENTRY_CONTEXT_JSON;
}

/*
 * Steady, but for `meta` of a version 1 session, to which migration adds, and
 * contexts where the dialect's rules let them grow.
 */
static bool is_steady(const struct fs *fs, const struct node *n)
{
	const struct session *s = fs->session;
	if (n->kind == KIND_META && s->now.linear)
		return false;
	if (is_context(n))
		return !s->dialect->context_grows;
	return kinds[n->kind].steady;
}

double fs_attr_timeout(const struct fs *fs, const struct node *n)
{
	return is_steady(fs, n) ? ENDLESS : 0;
}

double fs_entry_timeout(const struct node *n)
{
	/*
	 * Not for the files in it: who stands in the folder of a session that
	 * has been replaced asks for them, and is told so.
	 */
	bool folder = n->kind == KIND_TREE_ENTRY || n->kind == KIND_ID_ENTRY;
	return folder ? ENDLESS : 0;
}

int fs_render(struct fs *fs, const struct node *n, struct rendering **r)
{
	const struct session *s = fs->session;
	uint64_t ino = ino_encode(s->epoch, *n);
	uint64_t version = is_steady(fs, n) ? 0 : s->version;
	*r = cache_get(&fs->cache, ino, version);
	if (*r)
		return 0;
	struct buf bytes = { 0 };
	int err = kinds[n->kind].render(s, n, &bytes);
	if (!err) {
		*r = cache_add(&fs->cache, ino, version, &bytes);
		err = *r ? 0 : -ENOMEM;
	}
	buf_free(&bytes);
	return err;
}

static int size_of(struct fs *fs, const struct node *n, off_t *size)
{
	const struct session *s = fs->session;
	uint32_t known = SIZE_UNKNOWN;
	uint64_t bytes = 0;
	if (n->kind == KIND_PICTURE) {
		int err = content_picture_size(s, n->entry, n->nth, &bytes);
		*size = (off_t)bytes;
		return err;
	}
	if (n->kind == KIND_CONTENT)
		known = __atomic_load_n(
			&session_entry(s, n->entry)->content_size,
			__ATOMIC_RELAXED);
	if (n->kind == KIND_RAW)
		known = session_entry(s, n->entry)->length + 1;
	if (known != SIZE_UNKNOWN) {
		*size = known;
		return 0;
	}
	struct rendering *r;
	int err = fs_render(fs, n, &r);
	if (err)
		return err;
	*size = (off_t)r->bytes.len;
	cache_put(&fs->cache, r);
	return 0;
}

static struct timespec from_ms(int64_t ms)
{
	int64_t rest = ms % 1000;
	if (rest < 0)
		rest += 1000;
	return (struct timespec){ .tv_sec = (ms - rest) / 1000,
				  .tv_nsec = rest * 1000000 };
}

/*
 * A label's time is that of the line that said it, and never the same twice
 * while mounted, although lines may say the same millisecond.
 */
static struct timespec label_time(const struct session *s, uint32_t entry,
				  struct timespec entry_time)
{
	const struct label *l =
		labels_of(&s->now.labels, index_id(&s->now.index, entry));
	if (!l || l->time == TIMESTAMP_NONE)
		return l ? s->stamp : entry_time;
	struct timespec t = from_ms(l->time);
	t.tv_nsec += (long)(l->version % 1000000);
	return t;
}

static struct timespec time_of(const struct fs *fs, const struct node *n)
{
	const struct session *s = fs->session;
	if (!kinds[n->kind].per_entry || n->kind == KIND_BRANCH)
		return s->stamp;
	if (is_context(n) && !is_steady(fs, n))
		return s->stamp;
	int64_t ms = session_entry(s, n->entry)->time;
	struct timespec t = ms == TIMESTAMP_NONE ? s->since : from_ms(ms);
	return n->kind == KIND_LABEL ? label_time(s, n->entry, t) : t;
}

/* The source's read bits; write bits where something can be written. */
static mode_t mode_of(const struct session *s, const struct node *n)
{
	const struct kind_row *k = &kinds[n->kind];
	mode_t source = s->log.seen.st_mode;
	if (k->type == S_IFLNK)
		return S_IFLNK | 0777;
	mode_t mode = k->type | (source & 0444);
	if ((k->writable || head_is_folder(s, n)) && !session_writable(s))
		mode |= source & 0222;
	if (k->type == S_IFDIR)
		mode |= (source & 0444) >> 2;
	return mode;
}

int fs_attr(struct fs *fs, const struct node *n, struct stat *st)
{
	const struct session *s = fs->session;
	bool dir = kinds[n->kind].type == S_IFDIR;
	struct timespec t = time_of(fs, n);
	*st = (struct stat){ .st_ino = ino_encode(s->epoch, *n),
			     .st_mode = mode_of(s, n),
			     .st_uid = s->log.seen.st_uid,
			     .st_gid = s->log.seen.st_gid,
			     .st_mtim = t,
			     .st_ctim = t,
			     .st_atim = t,
			     .st_blksize = 4096 };
	/* 1 for a folder means "not counted"; files are in both views. */
	st->st_nlink = !dir && n->kind >= KIND_CONTENT ? 2 : 1;
	if (dir)
		return 0;
	if (n->kind == KIND_STAGED) {
		struct buf target = { 0 };
		int err = head_staged_target(fs, n, &target);
		st->st_size = (off_t)target.len;
		buf_free(&target);
		return err;
	}
	int err = size_of(fs, n, &st->st_size);
	st->st_blocks = (st->st_size + 511) / 512;
	return err;
}
