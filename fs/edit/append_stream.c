#include "fs/edit/append_stream.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/writer.h"
#include "fs/kernel/fs.h"
#include "fs/tree/ino.h"

/* So long the locks are held for several lines: agents wait for them. */
#define SLICE_MS 100

int appends_init(struct appends *a)
{
	*a = (struct appends){ 0 };
	return -pthread_mutex_init(&a->lock, NULL);
}

static void append_free(struct append *p)
{
	if (p) {
		buf_free(&p->line);
		buf_free(&p->refused);
	}
	free(p);
}

void appends_free(struct appends *a)
{
	while (a->list) {
		struct append *p = a->list;
		a->list = p->next;
		append_free(p);
	}
	pthread_mutex_destroy(&a->lock);
}

void append_number(struct appends *a, struct node *n)
{
	/* From 1: 0 stands for all of them. */
	uint64_t i = __atomic_add_fetch(&a->openings, 1, __ATOMIC_RELAXED);
	n->entry = (uint32_t)(i & ((1u << INO_ENTRY_BITS) - 1));
	n->nth = (uint32_t)(i >> INO_ENTRY_BITS) & ((1u << INO_NTH_BITS) - 1);
}

/* Out of the list, under the lock; NULL if it is not there. */
static struct append *unlink_append(struct appends *a, uint64_t ino)
{
	struct append **at = &a->list;
	while (*at && (*at)->ino != ino)
		at = &(*at)->next;
	struct append *p = *at;
	if (p) {
		*at = p->next;
		a->n--;
		a->bytes -= p->line.len + p->refused.len;
	}
	return p;
}

void append_forget(struct appends *a, uint64_t ino)
{
	struct node n;
	if (!ino_decode(ino, &n) || n.kind != KIND_APPEND)
		return;
	pthread_mutex_lock(&a->lock);
	struct append *p = unlink_append(a, ino);
	pthread_mutex_unlock(&a->lock);
	append_free(p);
}

/*
 * What has come by an opening, which is the caller's until it puts it back;
 * NULL: no memory. There may be room for so many bytes more.
 */
static struct append *take_append(struct appends *a, uint64_t ino, size_t more)
{
	pthread_mutex_lock(&a->lock);
	struct append *p = unlink_append(a, ino);
	bool room = a->n < APPENDS_MOST && a->bytes + more <= APPENDS_BYTES;
	pthread_mutex_unlock(&a->lock);
	if (!p)
		p = calloc(1, sizeof(*p));
	if (p) {
		p->ino = ino;
		p->room = room;
	}
	return p;
}

static void put_append(struct appends *a, struct append *p)
{
	if (p->line.len == 0 && p->refused.len == 0 && !p->too_long) {
		append_free(p);
		return;
	}
	pthread_mutex_lock(&a->lock);
	p->next = a->list;
	a->list = p;
	a->n++;
	a->bytes += p->line.len + p->refused.len;
	pthread_mutex_unlock(&a->lock);
}

/* Follow an object through more of its bytes. */
static void scan(struct append_scan *s, struct span bytes)
{
	for (size_t i = 0; i < bytes.n; i++) {
		char c = bytes.p[i];
		if (s->string) {
			s->string = s->escaped || c != '"';
			s->escaped = !s->escaped && c == '\\';
		} else if (c == '"') {
			s->string = true;
		} else if (c == '{' || c == '[') {
			s->depth++;
		} else if ((c == '}' || c == ']') && s->depth > 0) {
			s->closed = --s->depth == 0;
		}
	}
}

/* Lines on their way into a session. */
struct appending {
	struct place *at; /* pinned */
	struct writer w;
	bool begun;
	int64_t since;
	int lost; /* lines that were taken may not be on the disk, or 0 */
};

/* On the disk, and the locks given back. */
static int end(struct appending *g)
{
	if (g->begun) {
		int err = writer_sync(&g->w);
		writer_end(&g->w);
		g->begun = false;
		if (!g->lost)
			g->lost = err;
	}
	return g->lost;
}

static int begin(struct appending *g)
{
	bool over = g->begun && (g->w.replaced ||
				 timestamp_monotonic() - g->since > SLICE_MS);
	int err = over ? end(g) : 0;
	if (err || g->begun)
		return err;
	err = place_begin_write(g->at, &g->w);
	if (err)
		return err;
	g->w.later = true;
	g->begun = true;
	g->since = timestamp_monotonic();
	return 0;
}

/* One line, with its newline or without. */
static int add_line(struct appending *g, struct span line)
{
	if (text_trim(line).n == 0)
		return 0;
	int err = begin(g);
	return err ? err : writer_add_entry(&g->w, line);
}

/*
 * Is what comes the end of the line that was refused last? It may come several
 * times: buffers are flushed again when they are closed.
 */
static bool comes_again(struct append *p, struct span piece)
{
	bool again =
		p->refused.len > 0 && span_eq(piece, buf_span(&p->refused));
	if (!again)
		buf_free(&p->refused);
	return again;
}

/* The line will not be taken, however often its tail comes. */
static void drop(struct append *p, struct span tail, int why)
{
	if (p->line.len == 0)
		return;
	buf_free(&p->line);
	p->scan = (struct append_scan){ 0 };
	p->why = why;
	buf_add(&p->refused, tail);
	if (p->refused.failed)
		buf_free(&p->refused);
}

/* A piece behind the beginning of a line; then it may be a line. */
static int add_to_line(struct appending *g, struct append *p, struct span piece,
		       bool ends)
{
	size_t before = p->line.len;
	struct append_scan scanned = p->scan;
	buf_add(&p->line, piece);
	if (p->line.failed) {
		p->line.failed = false;
		return -ENOMEM;
	}
	scan(&p->scan, piece);
	bool is_line = ends || p->scan.closed;
	int err = is_line   ? add_line(g, buf_span(&p->line))
		  : p->room ? 0
			    : -ENOBUFS;
	if (err) {
		p->line.len = before;
		p->scan = scanned;
	} else if (is_line) {
		buf_free(&p->line);
		p->scan = (struct append_scan){ 0 };
	}
	return err;
}

static int add_piece(struct appending *g, struct append *p, struct span piece,
		     bool ends)
{
	int err;
	if (p->too_long || p->line.len + piece.n > APPEND_LINE) {
		buf_free(&p->line);
		p->scan = (struct append_scan){ 0 };
		p->too_long = !ends;
		return -EFBIG;
	}
	if (comes_again(p, piece))
		return p->why;
	if (ends && p->line.len == 0)
		err = add_line(g, piece);
	else
		err = add_to_line(g, p, piece, ends);
	if (err == -EINVAL || err == -ELOOP)
		drop(p, piece, err);
	return err;
}

/* Say so where the reasons of other refusals are. */
static void refuse_long(struct place *at)
{
	if (place_enter(at) < 0)
		return;
	session_refuse(
		at->session,
		(struct refusal){ .reason = "a line is of 256 MiB at most" });
	place_leave(at);
}

static int add_pieces(struct appending *g, struct append *p, struct span data,
		      size_t *taken)
{
	int err = 0;
	*taken = 0;
	while (*taken < data.n && !err) {
		struct span piece = { data.p + *taken, data.n - *taken };
		const char *lf = memchr(piece.p, '\n', piece.n);
		if (lf)
			piece.n = (size_t)(lf - piece.p) + 1;
		err = add_piece(g, p, piece, lf != NULL);
		*taken += err ? 0 : piece.n;
	}
	int lost = end(g);
	if (err == -EFBIG)
		refuse_long(g->at);
	return lost ? lost : *taken > 0 ? 0 : err;
}

int append_write(struct fs *fs, uint64_t ino, struct span data, size_t *taken)
{
	struct node n;
	int err = fs_enter(fs, ino, &n);
	if (err)
		return err;
	struct appending g = { .at = n.place };
	err = writer_can_add_entries(g.at->session);
	place_leave(g.at);
	if (!err) {
		struct append *p = take_append(&fs->appends, ino, data.n);
		err = p ? add_pieces(&g, p, data, taken) : -ENOMEM;
		if (p)
			put_append(&fs->appends, p);
	}
	place_put(g.at);
	/* Entering tells the kernel what is new. */
	if (fs_enter(fs, ino, &n) == 0)
		tree_leave(&n);
	return err;
}
