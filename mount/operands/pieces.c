#include "mount/operands/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/file/gate.h"
#include "core/file/regular.h"
#include "mount/cli/status.h"
#include "mount/operands/source.h"

#define TRIES 3

/* The most that Linux grants to every user. */
#define PIPE_BYTES (1 << 20)

/* A SOURCE that is open, as long as sessions of it are in use. */
struct pieces_source {
	const char *name;
	struct places places;
	struct walk walk;
	unsigned users; /* sessions, and the walk; atomic */
};

static void set_status(struct pieces *p, int status)
{
	if (status)
		__atomic_store_n(&p->status, status, __ATOMIC_RELAXED);
}

static void fail(struct pieces *p, const char *name, int err)
{
	set_status(p, status_unread(name, err));
}

/* The walk returns files that are no sessions, too. */
static void fail_place(struct pieces *p, struct place *at, int err)
{
	if (err != -ESTALE || place_is_session(at) != 0)
		fail(p, at->path, err);
}

static void on_unread(void *data, const struct place *at, int err)
{
	fail(data, at->path, err);
}

static void put_source(struct pieces_source *s)
{
	if (__atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	places_free(&s->places);
	free(s);
}

static void put_session(struct pieced *d)
{
	if (__atomic_sub_fetch(&d->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	place_put(d->at);
	put_source(d->source);
	buf_free(&d->name);
	buf_free(&d->prefix);
	bits_free(&d->chosen.entries);
	free(d);
}

static void close_source(struct pieces *p)
{
	if (!p->source)
		return;
	walk_end(&p->source->walk);
	put_source(p->source);
	p->source = NULL;
}

/* Open a SOURCE; one that can't be is reported and skipped. */
static void open_source(struct pieces *p, const char *name)
{
	struct pieces_source *s = calloc(1, sizeof(*s));
	if (!s) {
		fail(p, name, -ENOMEM);
		return;
	}
	s->name = name;
	s->users = 1;
	p->source = s;
	int status = source_open(p->o, name, NULL, &s->places);
	if (status) {
		set_status(p, status);
		return;
	}
	gate_hold_folders(s->places.opening.gate, &p->folders);
	s->walk = (struct walk){ .from = s->places.source,
				 .unread = on_unread,
				 .unread_data = p,
				 .defers = true };
	int err = walk_start(&s->walk);
	if (err)
		fail(p, name, err);
	status_compressed(name, &s->walk.compressed);
}

/*
 * The next session, pinned, of this SOURCE, which is p->source, or the next
 * ones.
 */
static struct place *walk_on(struct pieces *p)
{
	for (;;) {
		struct place *at =
			p->source ? walk_next(&p->source->walk) : NULL;
		if (at)
			return at;
		close_source(p);
		if (p->named == p->o->n_names)
			return NULL;
		open_source(p, p->o->names[p->named++]);
	}
}

static void hold_source(struct pieces_source *s)
{
	__atomic_add_fetch(&s->users, 1, __ATOMIC_RELAXED);
}

/* Was its file last written to before p->since? Then none of it is wanted. */
static bool is_too_old(const struct pieces *p, struct place *at)
{
	return p->since && place_checked(at).mtime[0] * 1000 + 999 < p->since;
}

/* The next session, pinned, that is wanted, and its SOURCE, held. */
static struct place *walk_to(struct pieces *p, struct pieces_source **source)
{
	struct place *at;
	while ((at = walk_on(p))) {
		int is = p->has_sessions ? 1 : place_is_session(at);
		p->has_sessions = p->has_sessions || is > 0;
		if (is != 0 && !is_too_old(p, at)) {
			*source = p->source;
			hold_source(p->source);
			return at;
		}
		place_put(at);
	}
	return NULL;
}

static void sort_all(struct pieces *p)
{
	struct pieces_source *source;
	struct place *at;
	p->is_sorted = true;
	while ((at = walk_to(p, &source))) {
		if (newest_add(&p->waiting, at, source) == 0)
			continue;
		fail(p, at->path, -ENOMEM);
		place_put(at);
		put_source(source);
	}
	newest_sort(&p->waiting);
}

/* The same, in order. */
static struct place *next_place(struct pieces *p, struct pieces_source **source)
{
	if (!p->newest_first)
		return walk_to(p, source);
	if (!p->is_sorted)
		sort_all(p);
	const struct newest_item *item = newest_take(&p->waiting);
	*source = item ? item->source : NULL;
	return item ? item->at : NULL;
}

static void drop_waiting(struct pieces *p)
{
	const struct newest_item *item;
	while ((item = newest_take(&p->waiting))) {
		place_put(item->at);
		put_source(item->source);
	}
	newest_free(&p->waiting);
}

/*
 * The name of a session begins with its SOURCE, as the user named it, if there
 * are several, or if it is its own. Below a folder it has its path in a mount
 * of that.
 */
static int set_names(const struct pieces *p, struct pieced *d)
{
	bool named = p->name || p->o->n_names > 1;
	struct span source = span_of(p->name ? p->name : d->source->name);
	while (source.n > 1 && source.p[source.n - 1] == '/')
		source.n--;
	bool alone = d->at->mount_path[0] == '\0';
	if (named || alone)
		buf_add(&d->name, source);
	if (!alone && d->name.len > 0 && source.p[source.n - 1] != '/')
		buf_addc(&d->name, '/');
	buf_adds(&d->name, d->at->mount_path);
	if (d->name.len > 0 && (named || !alone)) {
		buf_add(&d->prefix, buf_span(&d->name));
		buf_addc(&d->prefix, '/');
	}
	return buf_cstr(&d->name) ? buf_error(&d->prefix) : -ENOMEM;
}

/* A file that can't be read is: who visits it reports why. */
static bool is_wanted(const struct pieces *p, const struct place *at)
{
	struct stat st;
	if (!p->wants)
		return true;
	int fd = regular_open(at->places->opening.gate, at->path, &st);
	if (fd < 0)
		return true;
	bool wanted = p->wants(p, fd);
	close(fd);
	return wanted;
}

/* Index a large session to split it; a small one stays one piece. */
static int prepare(const struct pieces *p, struct pieced *d)
{
	off_t size = place_checked(d->at).size;
	d->size = (uint64_t)size;
	if (size <= (p->wants ? PIECES_SPLIT_WANTED : PIECES_SPLIT))
		return 0;
	if (!is_wanted(p, d->at)) {
		d->n = 0;
		return 0;
	}
	int err = place_enter(d->at);
	if (err)
		return err;
	d->n = d->at->session->now.index.n;
	d->epoch = d->at->session->epoch;
	place_leave(d->at);
	return 0;
}

/* Begin with a session. Takes over both, even on failure. */
static void begin_session(struct pieces *p, struct place *at,
			  struct pieces_source *source)
{
	struct pieced *d = calloc(1, sizeof(*d));
	if (!d) {
		fail(p, at->path, -ENOMEM);
		place_put(at);
		put_source(source);
		return;
	}
	*d = (struct pieced){ .source = source,
			      .at = at,
			      .number = ++p->begun,
			      .n = INDEX_NONE,
			      .once = !p->again,
			      .users = 1 };
	int err = set_names(p, d);
	if (!err)
		err = prepare(p, d);
	if (err) {
		fail_place(p, at, err);
		put_session(d);
		return;
	}
	p->current = d;
	p->done = 0;
}

/* Choose where the piece ends that begins with entry `from`. */
static int find_end(const struct pieces *p, struct piece *piece, uint64_t *size)
{
	const struct pieced *d = piece->of;
	*size = d->size;
	if (d->n == INDEX_NONE)
		return 0;
	int err = place_enter(d->at);
	if (err)
		return err;
	uint64_t most = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED);
	*size = 0;
	piece->to = piece->from;
	if (d->epoch != d->at->session->epoch)
		err = -ESTALE;
	while (!err && piece->to < d->n && *size < most)
		*size += session_entry(d->at->session, piece->to++)->length;
	place_leave(d->at);
	return err;
}

/* A piece, and its size in the file; false: there are no more. */
static bool next_piece(struct pieces *p, struct piece *piece, uint64_t *size)
{
	for (;;) {
		struct pieced *d = p->current;
		if (!d) {
			struct pieces_source *source;
			struct place *at = next_place(p, &source);
			if (!at)
				return false;
			begin_session(p, at, source);
			continue;
		}
		*piece = (struct piece){ d, p->done, INDEX_NONE };
		bool more = p->done < d->n;
		int err = more ? find_end(p, piece, size) : 0;
		p->done = piece->to;
		if (more && !err) {
			__atomic_add_fetch(&d->users, 1, __ATOMIC_RELAXED);
			return true;
		}
		if (err)
			fail_place(p, piece->of->at, err);
		put_session(d);
		p->current = NULL;
	}
}

static void free_batch(struct batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		put_session(b->list[i].of);
	free(b->list);
	free(b);
}

static bool next_batch(void *data, void **task)
{
	struct pieces *p = data;
	struct batch *b = calloc(1, sizeof(*b));
	struct piece piece;
	uint64_t bytes = 0;
	uint64_t size = 0;
	if (!b)
		fail(p, "standard output", -ENOMEM);
	uint64_t most = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED);
	while (b && bytes < most && next_piece(p, &piece, &size)) {
		if (array_reserve(&b->list, &b->cap, b->n, 1) < 0) {
			fail_place(p, piece.of->at, -ENOMEM);
			put_session(piece.of);
			break;
		}
		b->list[b->n++] = piece;
		bytes += size;
	}
	*task = b;
	if (b && b->n > 0)
		return true;
	free(b);
	return false;
}

static void do_batch(void *data, void *task, struct buf *out)
{
	struct pieces *p = data;
	p->work(p, task, out);
	free_batch(task);
}

static int emit(void *data, const struct buf *out)
{
	struct pieces *p = data;
	return p->emit(p, out);
}

int pieces_run(struct pieces *p)
{
	const struct sweep sweep = {
		.data = p, .next = next_batch, .work = do_batch, .emit = emit
	};
	/* A pipe that holds more wakes its reader less often. */
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	held_folders_init(&p->folders);
	int err = sweep_run(&sweep);
	if (p->current)
		put_session(p->current);
	p->current = NULL;
	drop_waiting(p);
	close_source(p);
	held_folders_free(&p->folders);
	return err;
}

struct visit {
	const struct piece *piece;
	const struct piece_visitor *visitor;
};

static int visit_entries(void *data, struct session *s)
{
	const struct visit *v = data;
	const struct piece *p = v->piece;
	bool whole = p->to == INDEX_NONE;
	uint32_t to = whole ? s->now.index.n : p->to;
	int err = whole || s->epoch == p->of->epoch ? 0 : -ESTALE;
	for (uint32_t i = p->from; i < to && !err; i++)
		err = v->visitor->entry(v->visitor->data, s, i);
	return err;
}

/* Of a session that is opened for this visit alone. */
static int visit_once(void *data, struct session *s)
{
	return s->log.exists ? visit_entries(data, s) : -ESTALE;
}

static int visit(struct visit *v)
{
	const struct pieced *of = v->piece->of;
	struct place *at = of->at;
	if (v->piece->to == INDEX_NONE && of->once && !place_is_loaded(at)) {
		struct session_opening how = at->places->opening;
		how.keeps_lines = true;
		return place_visit_once(at, &how, visit_once, v);
	}
	int err = place_enter(at);
	if (err)
		return err;
	err = visit_entries(v, at->session);
	place_leave(at);
	return err;
}

void piece_visit(struct pieces *p, const struct piece *piece,
		 const struct piece_visitor *visitor)
{
	struct visit v = { piece, visitor };
	if (piece->to == INDEX_NONE && !is_wanted(p, piece->of->at))
		return;
	int err = visit(&v);
	for (int tries = 1; err == -ESTALE && tries < TRIES &&
			    place_is_session(piece->of->at) != 0;
	     tries++) {
		visitor->drop(visitor->data);
		err = visit(&v);
	}
	if (err)
		fail_place(p, piece->of->at, err);
}
