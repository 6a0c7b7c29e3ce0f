#include "fs/tree/attr.h"

#include "core/base/hash.h"
#include "core/json/timestamp.h"
#include "core/places/forks.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "core/show/info.h"
#include "fs/tree/agents.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"

static int size_of(struct tree *t, const struct node *n, off_t *size)
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
	if (node_kinds[n->kind].parts) {
		err = render_size(n, &bytes);
		*size = (off_t)bytes;
		return err;
	}
	if (node_kinds[n->kind].from_index) {
		struct buf made = { 0 };
		err = node_kinds[n->kind].render(s, n, &made);
		*size = (off_t)made.len;
		buf_free(&made);
		return err;
	}
	struct rendering *r;
	err = render_file(t, n, &r);
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
 * The time of the line that set the label. The version in the nanoseconds keeps
 * it from repeating when several lines carry the same millisecond.
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

/*
 * An entry folder's nanoseconds change with each child that is appended after
 * the epoch began, because its listing is cached for as long as the time stays.
 */
static void add_children(struct timespec *t, const struct session *s,
			 const struct entry *e)
{
	if (e->last_child == INDEX_NONE || e->last_child < s->epoch_entries)
		return;
	t->tv_nsec += 1 + (e->last_child - s->epoch_entries) % 999999 -
		      t->tv_nsec % 1000000;
}

/* The kernel keeps pages as long as the time stays: add a version, if any. */
static void mix(struct timespec *t, uint64_t version)
{
	t->tv_nsec = (long)(((uint64_t)t->tv_nsec + version) % 1000000000);
}

/* And with each link to a subagent that comes or goes. */
static void add_agents(struct timespec *t, const struct node *n)
{
	const long ms = t->tv_nsec - t->tv_nsec % 1000000;
	uint64_t rest = (uint64_t)(t->tv_nsec - ms) + agents_version(n);
	t->tv_nsec = ms + (long)(rest % 1000000);
}

/*
 * A listing of a session's root changes with the folder of its subagents, while
 * the session does not.
 */
static void add_agents_folder(struct timespec *t, const struct place *at,
			      const char *name)
{
	t->tv_nsec += agents_has_folder(at, name);
	t->tv_nsec %= 1000000000;
}

/* The same with parent-session, whose file is elsewhere. */
static void add_base(struct timespec *t, struct place *at)
{
	struct buf path = { 0 };
	if (forks_are_known(at) && forks_base_path(at, &path) == 0)
		mix(t, 2);
	buf_free(&path);
}

/* A listing of a session's root lacks HEAD while that is hidden. */
static void add_hidden(struct timespec *time, const struct tree *t,
		       struct place *at)
{
	const struct node head = { .kind = KIND_HEAD, .place = at };
	if (tree_hides(t, &head))
		mix(time, 4);
}

/* The names in a session's root that come and go without the session. */
static void add_names(struct timespec *time, const struct tree *t,
		      struct place *at, const char *subagents)
{
	add_agents_folder(time, at, subagents);
	add_base(time, at);
	add_hidden(time, t, at);
}

static struct timespec time_of(const struct tree *t, const struct node *n)
{
	const struct session *s = n->place->session;
	const struct dialect_subagents *agents = s->dialect->subagents;
	struct timespec root = s->stamp;
	if (n->kind == KIND_ROOT)
		add_names(&root, t, n->place, agents ? agents->folder : NULL);
	if (n->kind == KIND_INFO)
		mix(&root, (uint64_t)info_process(s));
	if (n->kind == KIND_FORKS)
		mix(&root, forks_changes(n->place->places));
	if (n->kind == KIND_LINES && s->dialect->outside)
		mix(&root, s->dialect->outside->of_all(s));
	if (!node_kinds[n->kind].per_entry || n->kind == KIND_BRANCH)
		return root;
	if (node_is_entry_context(n) && !node_is_immutable(n))
		return s->stamp;
	const struct entry *e = session_entry(s, n->entry);
	struct timespec time = s->since;
	if (e->time != TIMESTAMP_NONE)
		time = from_ms(e->time);
	if (n->kind == KIND_LABEL)
		return label_time(s, n->entry, time);
	if (n->kind == KIND_CONTENT)
		mix(&time, content_outside(s, n->entry));
	if (node_is_entry_folder(n)) {
		add_children(&time, s, e);
		add_agents(&time, n);
	}
	return time;
}

/* The session file's read bits; write bits where something can be written. */
static mode_t mode_of(const struct node *n)
{
	const struct session *s = n->place->session;
	const struct node_kind_row *k = &node_kinds[n->kind];
	mode_t source = log_mode(&s->log);
	if (k->type == S_IFLNK)
		return S_IFLNK | 0777;
	mode_t mode = k->type;
	bool written = k->writable
			       ? !k->writable(s)
			       : node_is_head_folder(n) && !session_writable(s);
	if (!k->write_only)
		mode |= source & 0444;
	if (written || k->copies_write_bits)
		mode |= source & 0222;
	if (k->type == S_IFDIR)
		mode |= (source & 0444) >> 2;
	return mode;
}

/*
 * Of a file in a folder of sessions. The time is the folder's to the second;
 * the rest of it is made of the bytes, because the kernel keeps pages as long
 * as it stays.
 */
static int file_attr(struct tree *t, const struct node *n,
		     const struct stat *folder, struct stat *st)
{
	struct rendering *r;
	int err = render_file(t, n, &r);
	if (err)
		return err;
	struct timespec time = {
		.tv_sec = folder->st_mtim.tv_sec,
		.tv_nsec =
			(long)(hash_line(buf_span(&r->bytes), 0) % 1000000000),
	};
	*st = (struct stat){ .st_ino = ino_of(n),
			     .st_mode = S_IFREG | (folder->st_mode & 0444),
			     .st_nlink = 1,
			     .st_uid = folder->st_uid,
			     .st_gid = folder->st_gid,
			     .st_size = (off_t)r->bytes.len,
			     .st_mtim = time,
			     .st_ctim = time,
			     .st_atim = time,
			     .st_blksize = 4096 };
	st->st_blocks = (st->st_size + 511) / 512;
	cache_put(r);
	return 0;
}

/*
 * From the folder or session file on disk, which is not read. Which files of a
 * folder are listed depends on their lines, too. A look at it changes nothing:
 * tar compares the times from before and after it.
 */
static int outside_attr(struct tree *t, const struct node *n, struct stat *st)
{
	struct stat file;
	int err = place_stat(n->place, &file);
	if (err)
		return err;
	if (node_kinds[n->kind].type == S_IFREG)
		return file_attr(t, n, &file, st);
	mode_t mode = file.st_mode & 0444;
	if (n->kind == KIND_FOLDER) {
		mode |= file.st_mode & 0111;
		mix(&file.st_mtim,
		    __atomic_load_n(&n->place->changes, __ATOMIC_RELAXED));
	} else {
		add_names(&file.st_mtim, t, n->place,
			  place_subagents(n->place));
		mode |= (file.st_mode & 0444) >> 2;
		if (!n->place->places->opening.read_only)
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

static int overlaid_size(struct tree *t, const struct node *n, off_t *size)
{
	struct buf target = { 0 };
	int err = render_link(t, n, &target);
	*size = (off_t)target.len;
	buf_free(&target);
	return err;
}

int attr_fill(struct tree *t, const struct node *n, struct stat *st)
{
	if (node_is_outside(n))
		return outside_attr(t, n, st);
	const struct session *s = n->place->session;
	bool dir = node_kinds[n->kind].type == S_IFDIR;
	struct timespec time = time_of(t, n);
	time.tv_nsec += (long)render_lookups(t, n);
	time.tv_nsec %= 1000000000;
	*st = (struct stat){ .st_ino = ino_shown(n),
			     .st_mode = mode_of(n),
			     .st_uid = s->log.st.st_uid,
			     .st_gid = s->log.st.st_gid,
			     .st_mtim = time,
			     .st_ctim = time,
			     .st_atim = time,
			     .st_blksize = 4096 };
	/* 1 for a folder means "not counted"; files are in both views. */
	st->st_nlink = !dir && n->kind >= KIND_CONTENT ? 2 : 1;
	if (dir)
		return 0;
	if (n->kind == KIND_STAGED)
		return overlaid_size(t, n, &st->st_size);
	int err = size_of(t, n, &st->st_size);
	st->st_blocks = (st->st_size + 511) / 512;
	return err;
}
