#include "mount/operands/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/dialects/registry.h"
#include "core/file/gate.h"
#include "core/file/regular.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

#define TRIES 3

/* The most that Linux grants to every user. */
#define PIPE_BYTES (1 << 20)

static void set_status(struct pieces *p, int status)
{
	if (status)
		__atomic_store_n(&p->status, status, __ATOMIC_RELAXED);
}

static void fail(struct pieces *p, const char *name, int err)
{
	set_status(p, status_unread(name, err));
}

/* One that was deleted is missed by nobody. */
static void fail_session(struct pieces *p, const struct pieced *d, int err)
{
	if (err != -ESTALE)
		fail(p, selection_called(&p->selection, d->row), err);
}

static void put_session(struct pieced *d)
{
	if (__atomic_sub_fetch(&d->users, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	session_free(d->session);
	pthread_mutex_destroy(&d->lock);
	buf_free(&d->prefix);
	bits_free(&d->chosen.entries);
	free(d);
}

/* -- a session */

static int absence(int err)
{
	return err == -ENOENT || err == -EPROTO ? -ESTALE : err;
}

/* For one visit only, if a file is given. */
static int open_session(const struct pieced *d, const struct piece_file *f,
			struct session **s)
{
	struct session_opening how = { .dialects = &dialect_registry,
				       .forced = d->of->by->forced,
				       .read_only = true,
				       .once = f != NULL,
				       .keeps_lines = f != NULL,
				       .gate = d->of->gate };
	const char *reason;
	if (f && f->keeps) {
		how.bytes = buf_span(&f->bytes);
		how.version = f->version;
	}
	return session_open(s, d->row->path, &how, &reason);
}

static int enter(struct session *s)
{
	int err = session_enter(s);
	if (!err && !s->log.exists) {
		session_leave(s);
		err = -ENOENT;
	}
	return err;
}

static bool is_open(const struct pieced *d)
{
	return __atomic_load_n(&d->session, __ATOMIC_ACQUIRE) != NULL;
}

/*
 * Enter the session, which is kept until its pieces are done. -ESTALE if the
 * file was deleted, or is no session any more.
 */
static int enter_pieced(struct pieced *d)
{
	int err = 0;
	if (!is_open(d)) {
		struct session *s = NULL;
		pthread_mutex_lock(&d->lock);
		if (!d->session)
			err = open_session(d, NULL, &s);
		if (!err && s)
			__atomic_store_n(&d->session, s, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&d->lock);
	}
	if (!err)
		err = enter(d->session);
	return absence(err);
}

int pieced_add_file(const struct pieced *d, struct buf *out)
{
	const struct session_row *row = d->row;
	const struct catalogue_source *source =
		&d->of->selection.catalogue.sources[row->source];
	size_t n = strlen(source->path);
	buf_adds(out, source->shown);
	if (!row->is_source)
		buf_addf(out, "%s%s", *source->shown ? "/" : "",
			 row->path + n + (row->path[n] == '/'));
	return buf_error(out);
}

static bool read_rest(int fd, struct piece_file *f)
{
	size_t n = (size_t)f->version.size - f->bytes.len;
	char *to = buf_reserve(&f->bytes, n);
	bool is_read = to && whole_read(fd, to, n) == (ssize_t)n;
	f->bytes.len += is_read ? n : 0;
	return is_read;
}

/*
 * A file that can't be read is: who visits it reports why. All of a small one
 * is read then, to be used by the session.
 */
static bool is_wanted(const struct pieces *p, const struct pieced *d,
		      struct piece_file *f)
{
	struct stat st;
	buf_reset(&f->bytes);
	*f = (struct piece_file){ .bytes = f->bytes };
	if (!p->wants)
		return true;
	int fd = regular_open(p->gate, d->row->path, &st);
	if (fd < 0)
		return true;
	f->version = version_of_stat(&st);
	f->keeps = st.st_size <= PIECES_SPLIT;
	bool wanted = p->wants(p, fd, f);
	if (wanted && f->keeps)
		f->keeps = read_rest(fd, f);
	close(fd);
	return wanted;
}

/* Index a large session to split it; a small one stays one piece. */
static int prepare(const struct pieces *p, struct pieced *d)
{
	off_t size = (off_t)d->row->version.size;
	if (size <= (p->wants ? PIECES_SPLIT_WANTED : PIECES_SPLIT))
		return 0;
	struct piece_file f = { 0 };
	bool wanted = is_wanted(p, d, &f);
	buf_free(&f.bytes);
	if (!wanted) {
		d->n = 0;
		return 0;
	}
	int err = enter_pieced(d);
	if (err)
		return err;
	d->n = d->session->now.index.n;
	d->epoch = d->session->epoch;
	session_leave(d->session);
	return 0;
}

static struct pieced *make_session(struct pieces *p,
				   const struct session_row *row)
{
	struct pieced *d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	*d = (struct pieced){ .of = p,
			      .row = row,
			      .number = ++p->begun,
			      .name = span_of(row->shown),
			      .n = INDEX_NONE,
			      .users = 1 };
	pthread_mutex_init(&d->lock, NULL);
	const bool *of_set = p->selection.of_set;
	bool alone = row->is_source && of_set && !of_set[row->source];
	if (*row->shown && (p->is_named || !alone))
		buf_addf(&d->prefix, "%s/", row->shown);
	if (!buf_error(&d->prefix))
		return d;
	put_session(d);
	return NULL;
}

static void begin_session(struct pieces *p, const struct session_row *row)
{
	struct pieced *d = make_session(p, row);
	int err = d ? prepare(p, d) : -ENOMEM;
	p->done = 0;
	if (!err) {
		p->current = d;
	} else if (d) {
		fail_session(p, d, err);
		put_session(d);
	} else {
		fail(p, row->path, err);
	}
}

/* -- pieces and batches */

/* Choose where the piece ends that begins with entry `from`. */
static int find_end(const struct pieces *p, struct piece *piece, uint64_t *size)
{
	struct pieced *d = piece->of;
	*size = (uint64_t)d->row->version.size;
	if (d->n == INDEX_NONE)
		return 0;
	int err = enter_pieced(d);
	if (err)
		return err;
	uint64_t most = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED);
	*size = 0;
	piece->to = piece->from;
	if (d->epoch != d->session->epoch)
		err = -ESTALE;
	while (!err && piece->to < d->n && *size < most)
		*size += session_entry(d->session, piece->to++)->length;
	session_leave(d->session);
	return err;
}

/* A piece, and its size in the file; false: there are no more. */
static bool next_piece(struct pieces *p, struct piece *piece, uint64_t *size)
{
	for (;;) {
		const struct session_rows *rows = &p->selection.rows;
		struct pieced *d = p->current;
		if (!d) {
			if (p->next == rows->n)
				return false;
			begin_session(p, rows->list[p->next++]);
			continue;
		}
		*piece = (struct piece){ .of = d,
					 .from = p->done,
					 .to = INDEX_NONE };
		bool more = p->done < d->n;
		int err = more ? find_end(p, piece, size) : 0;
		p->done = piece->to;
		if (more && !err) {
			__atomic_add_fetch(&d->users, 1, __ATOMIC_RELAXED);
			return true;
		}
		if (err)
			fail_session(p, d, err);
		put_session(d);
		p->current = NULL;
	}
}

static void free_batch(void *task)
{
	struct batch *b = task;
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
		if (array_add(&b->list, &b->cap, &b->n, piece) < 0) {
			fail_session(p, piece.of, -ENOMEM);
			put_session(piece.of);
			break;
		}
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
}

static int emit(void *data, void *task, const struct buf *out)
{
	struct pieces *p = data;
	return p->emit(p, task, out);
}

static int begin(struct pieces *p)
{
	set_status(p,
		   selection_make(&p->selection, p->by, p->paths, p->n_paths));
	set_status(p, p->selection.status);
	p->has_sessions =
		p->selection.catalogue.lines.n > 0 || p->selection.rows.n > 0;
	p->has_selected = p->selection.rows.n > 0;
	p->has_folders = p->selection.folders.n > 0;
	p->is_named = p->n_paths != 1 || p->by->name;
	held_folders_init(&p->folders);
	p->gate = gate_new();
	if (!p->gate)
		return -ENOMEM;
	gate_hold_folders(p->gate, &p->folders);
	return 0;
}

int pieces_run(struct pieces *p)
{
	const struct sweep sweep = { .data = p,
				     .next = next_batch,
				     .work = do_batch,
				     .emit = emit,
				     .end = free_batch };
	/* A pipe that holds more wakes its reader less often. */
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	int err = begin(p);
	if (!err)
		err = sweep_run(&sweep);
	if (p->current)
		put_session(p->current);
	p->current = NULL;
	gate_free(p->gate);
	held_folders_free(&p->folders);
	selection_free(&p->selection);
	return err;
}

/* -- a visit */

/* The offset from which on entries are wanted. */
static uint64_t wanted_from(const struct session *s, const struct piece_file *f)
{
	bool same = s->log.before.size == 0 &&
		    version_eq(f->version, version_of_stat(&s->log.st));
	return same ? f->from : 0;
}

static int visit_entries(const struct piece *p, const struct piece_visitor *v,
			 const struct session *s)
{
	bool whole = p->to == INDEX_NONE;
	uint32_t to = whole ? s->now.index.n : p->to;
	uint64_t wanted = whole ? wanted_from(s, v->file) : 0;
	int err = whole || s->epoch == p->of->epoch ? 0 : -ESTALE;
	for (uint32_t i = p->from; i < to && !err; i++) {
		const struct entry *e = session_entry(s, i);
		if (e->offset + e->length > wanted)
			err = v->entry(v->data, s, i);
	}
	return err;
}

/* A session that is opened for this visit alone. */
static int visit_once(const struct piece *p, const struct piece_visitor *v)
{
	struct session *s = NULL;
	int err = open_session(p->of, v->file, &s);
	if (!err)
		err = enter(s);
	bool entered = !err;
	err = absence(err);
	if (!err)
		err = visit_entries(p, v, s);
	if (entered)
		session_leave(s);
	session_free(s);
	return err;
}

static int visit(const struct piece *p, const struct piece_visitor *v)
{
	struct pieced *of = p->of;
	if (p->to == INDEX_NONE && !is_open(of))
		return visit_once(p, v);
	int err = enter_pieced(of);
	if (err)
		return err;
	err = visit_entries(p, v, of->session);
	session_leave(of->session);
	return err;
}

void piece_visit(struct pieces *p, const struct piece *piece,
		 const struct piece_visitor *visitor)
{
	if (piece->to == INDEX_NONE && !is_wanted(p, piece->of, visitor->file))
		return;
	struct version now;
	int err = visit(piece, visitor);
	for (int tries = 1;
	     err == -ESTALE && tries < TRIES &&
	     version_take(p->gate, piece->of->row->path, &now) == 0;
	     tries++) {
		visitor->drop(visitor->data);
		err = visit(piece, visitor);
	}
	if (err)
		fail_session(p, piece->of, err);
}
