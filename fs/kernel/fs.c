#include "fs/kernel/fs.h"

#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "fs/kernel/notify.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"

/* As good as for ever. */
#define ENDLESS (365 * 86400.0)

int fs_init(struct fs *fs, const char *mountpoint, const char *spelled,
	    double poll)
{
	fs->mountpoint = strdup(mountpoint);
	fs->spelled = strdup(spelled);
	int err = fs->mountpoint && fs->spelled ? 0 : -ENOMEM;
	if (!err)
		err = cache_init(&fs->cache);
	if (!err)
		err = head_links_init(&fs->links);
	if (!err)
		err = oneline_edits_init(&fs->edits);
	if (!err)
		err = appends_init(&fs->appends);
	if (!err)
		err = resend_init(&fs->resend);
	if (!err)
		err = watch_init(&fs->watch, fs, poll);
	if (!err) {
		fs->places.closed = notify_closed;
		fs->places.closed_data = fs;
	}
	return err;
}

void fs_stop(struct fs *fs)
{
	oneline_settle(fs);
	watch_free(&fs->watch);
	fs->places.closed = NULL;
	fs->kernel = NULL;
}

void fs_free(struct fs *fs)
{
	fs_stop(fs);
	if (fs->mountpoint && fs->spelled) {
		appends_free(&fs->appends);
		oneline_edits_free(&fs->edits);
		head_links_free(&fs->links);
		cache_free(&fs->cache);
		resend_free(&fs->resend);
	}
	places_free(&fs->places);
	free(fs->mountpoint);
	free(fs->spelled);
}

int fs_node(struct place *at, fuse_ino_t ino, struct node *n)
{
	uint32_t number = ino_place(ino);
	if (!ino_decode(ino, n))
		return -ESTALE;
	n->place = at;
	if (at->is_folder) {
		if (ino == KIND_ROOT)
			n->kind = KIND_FOLDER;
		return n->kind == KIND_FOLDER ? 0 : -ESTALE;
	}
	int err = place_settle(at);
	if (err || n->kind == KIND_FOLDER)
		return err ? err : -ESTALE;
	if (ino_is_home(n->kind))
		return number == at->home ? 0 : -ESTALE;
	if (number != at->number || (node_kinds[n->kind].per_entry &&
				     n->entry >= at->session->now.index.n))
		return -ESTALE;
	return 0;
}

int fs_enter(struct fs *fs, fuse_ino_t ino, struct node *n)
{
	/* Who has emptied a file looks at it before the write. */
	if (!oneline_is_emptied(&fs->edits, ino))
		oneline_settle(fs);
	return fs_enter_unsettled(fs, ino, n);
}

int fs_enter_unsettled(struct fs *fs, fuse_ino_t ino, struct node *n)
{
	struct place *at = place_get(&fs->places, ino_place(ino));
	if (!at)
		return -ESTALE;
	int err = at->is_folder ? 0 : notify_enter(fs, at);
	if (err) {
		place_put(at);
		return err;
	}
	err = fs_node(at, ino, n);
	n->place = at;
	if (err)
		fs_leave(n);
	return err;
}

int fs_find_outside(struct fs *fs, fuse_ino_t ino, struct node *n)
{
	if (!ino_decode(ino, n) || !ino_is_home(n->kind))
		return -ENOENT;
	n->place = place_get(&fs->places, ino_place(ino));
	if (!n->place)
		return -ESTALE;
	if (n->kind == KIND_ROOT || n->kind == KIND_FOLDER)
		n->kind = n->place->is_folder ? KIND_FOLDER : KIND_ROOT;
	if (fs_is_outside(n))
		return 0;
	place_put(n->place);
	return -ENOENT;
}

void fs_leave(const struct node *n)
{
	if (!n->place->is_folder)
		place_leave(n->place);
	place_put(n->place);
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
static bool is_steady(const struct node *n)
{
	const struct session *s = n->place->session;
	if (n->kind == KIND_META && s->now.linear)
		return false;
	if (is_context(n))
		return !s->dialect->context_grows;
	return node_kinds[n->kind].steady;
}

bool fs_is_entry_folder(const struct node *n)
{
	return n->kind == KIND_TREE_ENTRY || n->kind == KIND_ID_ENTRY;
}

/* Can it change although the epoch lasts, and is it to be expected? */
static bool is_lively(const struct node *n)
{
	return (fs_is_entry_folder(n) || n->kind == KIND_LABEL) &&
	       notify_is_lively(n);
}

/* It changes, but then it is taken back: fs/kernel/notify.h. */
static bool is_kept(struct fs *fs, const struct node *n)
{
	if (!notify_is_sure(n->place))
		return false;
	return n->kind == KIND_BY_ID || n->kind == KIND_TREE ||
	       (n->kind == KIND_LABEL &&
		!oneline_is_edited(&fs->edits, ino_of(n)));
}

double fs_attr_timeout(struct fs *fs, const struct node *n)
{
	if (fs_is_outside(n) || is_lively(n))
		return 0;
	return is_steady(n) || is_kept(fs, n) ? ENDLESS : 0;
}

double fs_entry_timeout(const struct node *n)
{
	const struct node_kind_row *k = &node_kinds[n->kind];
	return k->listed && (k->steady || n->kind == KIND_LABEL) ? ENDLESS : 0;
}

/* As which of its kind the file is shown: 0, but for `info` with counters. */
static uint64_t stats_looks(const struct fs *fs, const struct node *n)
{
	if (n->kind != KIND_INFO || !fs->stats.on)
		return 0;
	return __atomic_load_n(&fs->stats.looks, __ATOMIC_RELAXED);
}

static void add_stats(struct fs *fs, const struct session *s, struct buf *out)
{
	stats_add(&fs->stats, out);
	buf_addf(out, "indexed-bytes: %llu\n",
		 (unsigned long long)s->now.indexed);
}

int fs_render(struct fs *fs, const struct node *n, struct rendering **r)
{
	const struct session *s = n->place->session;
	uint64_t ino = ino_of(n);
	uint64_t version = is_steady(n) ? 0 : s->version;
	version += stats_looks(fs, n) << 32;
	*r = cache_get(&fs->cache, ino, version);
	stats_count(&fs->stats, *r ? STAT_CACHE_HITS : STAT_CACHE_MISSES);
	if (*r)
		return 0;
	struct buf bytes = { 0 };
	int err = node_kinds[n->kind].render(s, n, &bytes);
	/* A line is known by its digest; pieces may be of two files. */
	if ((node_kinds[n->kind].pieced || err == -ESTALE) &&
	    !session_is_whole(s))
		err = -EAGAIN;
	if (n->kind == KIND_INFO && fs->stats.on)
		add_stats(fs, s, &bytes);
	if (!err) {
		*r = cache_add(&fs->cache, ino, version, &bytes);
		err = *r ? 0 : -ENOMEM;
	}
	buf_free(&bytes);
	return err;
}

static int size_of(struct fs *fs, const struct node *n, off_t *size)
{
	const struct session *s = n->place->session;
	uint64_t bytes = 0;
	int err;
	if (n->kind == KIND_PICTURE) {
		err = content_picture_size(s, n->entry, n->nth, &bytes);
		*size = (off_t)bytes;
		return err;
	}
	if (n->kind == KIND_CONTENT &&
	    content_knows_size(s, n->entry, &bytes)) {
		*size = (off_t)bytes;
		return 0;
	}
	if (n->kind == KIND_RAW) {
		*size = (off_t)session_entry(s, n->entry)->length + 1;
		return 0;
	}
	if (node_kinds[n->kind].indexed) {
		struct buf made = { 0 };
		err = node_kinds[n->kind].render(s, n, &made);
		*size = (off_t)made.len;
		buf_free(&made);
		return err;
	}
	struct rendering *r;
	err = fs_render(fs, n, &r);
	if (err)
		return err;
	*size = (off_t)r->bytes.len;
	cache_put(r);
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

static struct timespec time_of(const struct node *n)
{
	const struct session *s = n->place->session;
	if (!node_kinds[n->kind].per_entry || n->kind == KIND_BRANCH)
		return s->stamp;
	if (is_context(n) && !is_steady(n))
		return s->stamp;
	const struct entry *e = session_entry(s, n->entry);
	struct timespec t = s->since;
	if (e->time != TIMESTAMP_NONE)
		t = from_ms(e->time);
	if (n->kind == KIND_LABEL)
		return label_time(s, n->entry, t);
	/*
	 * The entry's own time, and another with each child that has come since
	 * the kernel was first told of it.
	 */
	const struct told *told = &n->place->told;
	if (fs_is_entry_folder(n) && e->last_child != INDEX_NONE &&
	    __atomic_load_n(&told->version, __ATOMIC_RELAXED) != 0 &&
	    e->last_child >= told->state.first)
		t.tv_nsec += 1 + (e->last_child - told->state.first) % 999999 -
			     t.tv_nsec % 1000000;
	return t;
}

/* The source's read bits; write bits where something can be written. */
static mode_t mode_of(const struct node *n)
{
	const struct session *s = n->place->session;
	const struct node_kind_row *k = &node_kinds[n->kind];
	mode_t source = log_mode(&s->log);
	if (k->type == S_IFLNK)
		return S_IFLNK | 0777;
	mode_t mode = k->type;
	bool written =
		(k->writable || head_is_folder(n)) && !session_writable(s);
	if (!k->write_only)
		mode |= source & 0444;
	if (written || k->as_source)
		mode |= source & 0222;
	if (k->type == S_IFDIR)
		mode |= (source & 0444) >> 2;
	return mode;
}

bool fs_is_outside(const struct node *n)
{
	return n->kind == KIND_FOLDER ||
	       (n->kind == KIND_ROOT && n->place->folder);
}

/*
 * A folder's own mode and times; of a session's root what its file says, which
 * need not be read for that. No listing of a folder is like the one before to
 * the kernel: what is in the files says which of them are shown.
 */
static int outside_attr(const struct node *n, struct stat *st)
{
	struct stat file;
	int err = place_stat(n->place, &file);
	if (err)
		return err;
	mode_t mode = file.st_mode & 0444;
	if (n->kind == KIND_FOLDER) {
		mode |= file.st_mode & 0111;
		file.st_mtim.tv_nsec -= file.st_mtim.tv_nsec % 1000;
		file.st_mtim.tv_nsec +=
			__atomic_load_n(&n->place->scans, __ATOMIC_RELAXED) %
			1000;
	} else {
		mode |= (file.st_mode & 0444) >> 2;
		if (!n->place->all->how.read_only)
			mode |= file.st_mode & 0222;
	}
	*st = (struct stat){ .st_ino = ino_of(n),
			     .st_mode = S_IFDIR | mode,
			     .st_nlink = 1,
			     .st_uid = file.st_uid,
			     .st_gid = file.st_gid,
			     .st_mtim = file.st_mtim,
			     .st_ctim = file.st_mtim,
			     .st_atim = file.st_mtim,
			     .st_blksize = 4096 };
	return 0;
}

int fs_attr(struct fs *fs, const struct node *n, struct stat *st)
{
	if (fs_is_outside(n))
		return outside_attr(n, st);
	const struct session *s = n->place->session;
	bool dir = node_kinds[n->kind].type == S_IFDIR;
	struct timespec t = time_of(n);
	t.tv_nsec = (t.tv_nsec + (long)stats_looks(fs, n)) % 1000000000;
	*st = (struct stat){ .st_ino = ino_shown(n),
			     .st_mode = mode_of(n),
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
