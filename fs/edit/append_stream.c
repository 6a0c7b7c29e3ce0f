#include "fs/edit/append_stream.h"

#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "core/session/writer.h"
#include "fs/edit/edit.h"
#include "fs/tree/ino.h"

/* How long several lines may share the locks, for which agents may wait. */
#define SLICE_MS 100

static void free_stream(struct append_stream *s)
{
	if (s)
		line_splitter_free(&s->splitter);
	free(s);
}

void append_streams_free(struct append_streams *a)
{
	while (a->list) {
		struct append_stream *s = a->list;
		a->list = s->next;
		free_stream(s);
	}
	pthread_mutex_destroy(&a->lock);
}

void append_stream_number(struct append_streams *a, struct node *n)
{
	/* From 1: 0 stands for all openings. */
	uint64_t i = __atomic_add_fetch(&a->openings, 1, __ATOMIC_RELAXED);
	n->entry = (uint32_t)(i & ((1u << INO_ENTRY_BITS) - 1));
	n->nth = (uint32_t)(i >> INO_ENTRY_BITS) & ((1u << INO_NTH_BITS) - 1);
}

/* Under the lock: take a stream out of the list; NULL if it is not there. */
static struct append_stream *unlink_stream(struct append_streams *a,
					   uint64_t ino)
{
	struct append_stream **at = &a->list;
	while (*at && (*at)->ino != ino)
		at = &(*at)->next;
	struct append_stream *s = *at;
	if (s)
		*at = s->next;
	return s;
}

/* Under the lock. */
static void uncount(struct append_streams *a, const struct append_stream *s)
{
	a->n--;
	a->bytes -= s->counted;
}

void append_stream_forget(struct append_streams *a, uint64_t ino)
{
	if (ino_kind(ino) != KIND_APPEND)
		return;
	pthread_mutex_lock(&a->lock);
	struct append_stream *s = unlink_stream(a, ino);
	if (s)
		uncount(a, s);
	pthread_mutex_unlock(&a->lock);
	free_stream(s);
}

/*
 * The stream of an opening, for the caller alone until release(); NULL without
 * memory. *may_keep: there is room to keep so many bytes more.
 */
static struct append_stream *acquire(struct append_streams *a, uint64_t ino,
				     size_t more, bool *may_keep)
{
	pthread_mutex_lock(&a->lock);
	struct append_stream *s = unlink_stream(a, ino);
	bool has_room = s || a->n < APPEND_STREAMS_MAX;
	*may_keep = has_room && a->bytes + more <= APPEND_STREAMS_BYTES;
	if (!s) {
		s = calloc(1, sizeof(*s));
		a->n += s != NULL;
	}
	if (s) {
		s->ino = ino;
		s->counted += *may_keep ? more : 0;
		a->bytes += *may_keep ? more : 0;
	}
	pthread_mutex_unlock(&a->lock);
	return s;
}

static void release(struct append_streams *a, struct append_stream *s)
{
	bool ends = line_splitter_is_idle(&s->splitter);
	pthread_mutex_lock(&a->lock);
	uncount(a, s);
	if (!ends) {
		s->counted = line_splitter_size(&s->splitter);
		a->n++;
		a->bytes += s->counted;
		s->next = a->list;
		a->list = s;
	}
	pthread_mutex_unlock(&a->lock);
	if (ends)
		free_stream(s);
}

/* Lines on their way into a session. */
struct appending {
	struct place *at; /* pinned */
	struct writer w;
	bool begun; /* the writer has begun, and holds its locks */
	int64_t since;
	int lost; /* 0, or the errno for lines that may not be durable */
};

/* Sync the lines and release the locks. */
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
	err = writer_begin(&g->w, g->at->session);
	if (err)
		return err;
	g->w.sync_later = true;
	g->begun = true;
	g->since = timestamp_monotonic();
	return 0;
}

static int add_line(void *data, struct span line)
{
	struct appending *g = data;
	int err = begin(g);
	return err ? err : writer_add_entry(&g->w, line);
}

/* An error after consumed lines is not returned: the write is short. */
static int feed(struct append_streams *a, struct appending *g, uint64_t ino,
		struct span data, size_t *consumed)
{
	bool may_keep;
	struct append_stream *s = acquire(a, ino, data.n, &may_keep);
	if (!s)
		return -ENOMEM;
	const struct line_sink sink = { add_line, g };
	int err = line_splitter_feed(&s->splitter, data, may_keep, &sink,
				     consumed);
	int lost = end(g);
	/* `info` shows the reason, as for what the session refuses. */
	if (err == -EFBIG && place_enter(g->at) == 0) {
		session_reenter_refused(
			g->at->session,
			(struct refusal){ .reason =
						  "line longer than 256 MiB" });
		place_leave(g->at);
	}
	release(a, s);
	return lost ? lost : *consumed > 0 ? 0 : err;
}

int append_stream_write(struct edit *e, uint64_t ino, struct span data,
			size_t *consumed)
{
	struct node n;
	int err = edit_enter(e, ino, &n);
	if (err)
		return err;
	struct appending g = { .at = n.place };
	err = writer_can_add_entries(g.at->session);
	err = writer_reenter_refused(g.at->session, err);
	place_leave(g.at);
	if (!err)
		err = feed(&e->streams, &g, ino, data, consumed);
	place_put(g.at);
	/* Entering invalidates the kernel's caches. */
	if (edit_enter(e, ino, &n) == 0)
		tree_leave(&n);
	return err;
}
