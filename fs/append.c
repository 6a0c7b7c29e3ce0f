#include "fs/append.h"

#include <errno.h>
#include <stdlib.h>

#include "core/text.h"
#include "core/timestamp.h"
#include "core/write.h"
#include "fs/fs.h"
#include "fs/ino.h"

/* So long the locks are held for several lines: agents wait for them. */
#define SLICE_MS 100

int appends_init(struct appends *a)
{
	*a = (struct appends){ 0 };
	return -pthread_mutex_init(&a->lock, NULL);
}

static void append_free(struct append *p)
{
	if (p)
		buf_free(&p->line);
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

uint32_t append_opening(struct appends *a)
{
	const uint32_t mask = (1u << INO_ENTRY_BITS) - 1;
	uint32_t n;
	do
		n = __atomic_add_fetch(&a->openings, 1, __ATOMIC_RELAXED) &
		    mask;
	while (n == 0);
	return n;
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
		a->bytes -= p->line.len;
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
 * What has come by an opening, which is the caller's until it puts it back.
 * -ENOBUFS if there is no room for so many bytes more.
 */
static int take_append(struct appends *a, uint64_t ino, size_t more,
		       struct append **out)
{
	int err = 0;
	pthread_mutex_lock(&a->lock);
	struct append *p = unlink_append(a, ino);
	if (a->n >= APPENDS_MOST || a->bytes + more > APPENDS_BYTES)
		err = -ENOBUFS;
	pthread_mutex_unlock(&a->lock);
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return -ENOMEM;
		p->ino = ino;
	}
	*out = p;
	return err;
}

static void put_append(struct appends *a, struct append *p)
{
	if (p->line.len == 0) {
		append_free(p);
		return;
	}
	pthread_mutex_lock(&a->lock);
	p->next = a->list;
	a->list = p;
	a->n++;
	a->bytes += p->line.len;
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
	struct write w;
	bool begun;
	int64_t since;
};

/* On the disk, and the locks given back. */
static int end(struct appending *g)
{
	if (!g->begun)
		return 0;
	int err = write_sync(&g->w);
	write_end(&g->w);
	g->begun = false;
	return err;
}

static int begin(struct appending *g)
{
	bool over = g->begun && (g->w.replaced ||
				 timestamp_monotonic() - g->since > SLICE_MS);
	int err = over ? end(g) : 0;
	if (err || g->begun)
		return err;
	err = write_begin(&g->w, g->at->session);
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
	return err ? err : write_entry(&g->w, line);
}

/* Add to the beginning of a line; if it is a line then, to the session. */
static int add_piece(struct appending *g, struct append *p, struct span piece,
		     bool ends)
{
	size_t before = p->line.len;
	struct append_scan scanned = p->scan;
	int err = 0;
	if (before + piece.n > APPEND_LINE)
		return -EFBIG;
	if (ends && before == 0)
		return add_line(g, piece);
	buf_add(&p->line, piece);
	if (p->line.failed) {
		p->line.failed = false;
		return -ENOMEM;
	}
	scan(&p->scan, piece);
	if (ends || p->scan.closed) {
		err = add_line(g, buf_span(&p->line));
		p->line.len = err ? before : 0;
		p->scan = err ? scanned : (struct append_scan){ 0 };
	}
	return err;
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
	int synced = end(g);
	return synced ? synced : *taken > 0 ? 0 : err;
}

int append_write(struct fs *fs, uint64_t ino, struct span data, size_t *taken)
{
	struct node n;
	struct append *p = NULL;
	int err = fs_enter(fs, ino, &n);
	if (err)
		return err;
	struct appending g = { .at = n.place };
	err = write_takes_entries(g.at->session);
	place_leave(g.at);
	if (!err)
		err = take_append(&fs->appends, ino, data.n, &p);
	if (!err)
		err = add_pieces(&g, p, data, taken);
	if (p)
		put_append(&fs->appends, p);
	place_put(g.at);
	/* Entering tells the kernel what is new. */
	if (fs_enter(fs, ino, &n) == 0)
		fs_leave(&n);
	return err;
}
