#include "core/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/hash.h"

/* Less than this is read sooner than a thread is started. */
#define WORTH_A_THREAD ((uint64_t)4 << 20)

/* How many ends are noted: of a line, and of a batch of them. */
#define LINE_ENDS 8
#define BATCH_ENDS 1024

/* The lines of a chunk. What is behind the last is the feed's rest. */
struct batch {
	struct feed feed;
	struct scanned *lines;
	size_t n;
	size_t cap;
	int err; /* of reading; the lines before are good */
	struct scan_end ends[BATCH_ENDS];
};

struct ahead {
	const struct log *log;
	uint64_t size;
	struct batch *batches; /* two, or one without a thread */

	pthread_mutex_t lock;
	pthread_cond_t moved;
	unsigned filled; /* batches, so far */
	unsigned taken;
	bool stopped; /* nobody takes any more */
};

static void scan(struct scanned *line, struct scan_end *ends, size_t cap)
{
	line->digest = hash_line(line->text, line->offset);
	line->ends = (struct scan_ends){ ends, 0, cap };
	line->err = json_check_ends(line->text, &line->json, &line->ends);
}

void ahead_scan(struct span text, uint64_t offset, struct scanned *line)
{
	*line = (struct scanned){ .text = text, .offset = offset };
	scan(line, NULL, 0);
}

static struct scanned *add_line(struct batch *b)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 256;
		struct scanned *lines = realloc(b->lines, cap * sizeof(*lines));
		if (!lines)
			return NULL;
		b->lines = lines;
		b->cap = cap;
	}
	return &b->lines[b->n++];
}

/* What values point to does not move any more. */
static void scan_lines(struct batch *b)
{
	size_t used = 0;
	for (size_t i = 0; i < b->n; i++) {
		struct scanned *line = &b->lines[i];
		size_t room = BATCH_ENDS - used;
		scan(line, b->ends + used, room < LINE_ENDS ? room : LINE_ENDS);
		used += line->ends.n;
	}
}

/* Fill a batch with the next lines, whose beginning is the rest of `before`. */
static void fill(const struct ahead *a, struct batch *b,
		 const struct feed *before)
{
	b->n = 0;
	b->feed.offset = before->offset;
	if (before != &b->feed) {
		buf_clear(&b->feed.chunk);
		buf_add(&b->feed.chunk, before->rest);
		b->feed.rest = buf_span(&b->feed.chunk);
	}
	b->err = buf_error(&b->feed.chunk);
	if (!b->err)
		b->err = feed_read(a->log, &b->feed, a->size);
	struct span text;
	uint64_t offset;
	while (!b->err && feed_line(&b->feed, &text, &offset)) {
		struct scanned *line = add_line(b);
		if (line)
			*line = (struct scanned){ .text = text,
						  .offset = offset };
		else
			b->err = -ENOMEM;
	}
	scan_lines(b);
}

static bool is_last(const struct ahead *a, const struct batch *b)
{
	return b->err || b->feed.offset + b->feed.rest.n >= a->size;
}

static int take_lines(const struct batch *b, ahead_taker *take, void *data)
{
	int err = 0;
	for (size_t i = 0; i < b->n && !err; i++)
		err = take(data, &b->lines[i]);
	return err ? err : b->err;
}

/* Wait until another batch may be filled: false if it is not wanted. */
static bool wait_for_room(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	while (!a->stopped && a->filled - a->taken == 2)
		pthread_cond_wait(&a->moved, &a->lock);
	bool wanted = !a->stopped;
	pthread_mutex_unlock(&a->lock);
	return wanted;
}

static void wait_for_batch(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	while (a->filled == a->taken)
		pthread_cond_wait(&a->moved, &a->lock);
	pthread_mutex_unlock(&a->lock);
}

static void count(struct ahead *a, unsigned *batches)
{
	pthread_mutex_lock(&a->lock);
	++*batches;
	pthread_cond_signal(&a->moved);
	pthread_mutex_unlock(&a->lock);
}

static void *fill_batches(void *data)
{
	struct ahead *a = data;
	const struct batch *before = &a->batches[0];
	bool last = false;
	for (unsigned i = 0; !last && wait_for_room(a); i++) {
		struct batch *b = &a->batches[i % 2];
		fill(a, b, &before->feed);
		before = b;
		last = is_last(a, b);
		count(a, &a->filled);
	}
	return NULL;
}

/* Take the lines that the thread scans; *end is the batch where that ends. */
static int take_beside(struct ahead *a, ahead_taker *take, void *data,
		       struct batch **end)
{
	pthread_t thread;
	int err = -pthread_create(&thread, NULL, fill_batches, a);
	if (err)
		return err;
	bool last = false;
	while (!err && !last) {
		wait_for_batch(a);
		*end = &a->batches[a->taken % 2];
		last = is_last(a, *end);
		err = take_lines(*end, take, data);
		if (!err && !last)
			count(a, &a->taken);
	}
	pthread_mutex_lock(&a->lock);
	a->stopped = true;
	pthread_cond_signal(&a->moved);
	pthread_mutex_unlock(&a->lock);
	pthread_join(thread, NULL);
	return err;
}

static int take_alone(struct ahead *a, ahead_taker *take, void *data)
{
	struct batch *b = &a->batches[0];
	int err = 0;
	while (!err && !is_last(a, b)) {
		fill(a, b, &b->feed);
		err = take_lines(b, take, data);
	}
	return err;
}

int ahead_file(const struct log *log, struct feed *f, uint64_t size,
	       ahead_taker *take, void *data)
{
	struct ahead a = { .log = log,
			   .size = size,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .moved = PTHREAD_COND_INITIALIZER };
	bool beside = size > f->offset && size - f->offset >= WORTH_A_THREAD;
	size_t n = beside ? 2 : 1;
	a.batches = calloc(n, sizeof(*a.batches));
	if (!a.batches)
		return -ENOMEM;
	struct batch *end = &a.batches[0];
	end->feed = *f;
	int err = beside ? take_beside(&a, take, data, &end)
			 : take_alone(&a, take, data);
	*f = end->feed;
	end->feed.chunk = (struct buf){ 0 };
	for (size_t i = 0; i < n; i++) {
		buf_free(&a.batches[i].feed.chunk);
		free(a.batches[i].lines);
	}
	free(a.batches);
	pthread_cond_destroy(&a.moved);
	pthread_mutex_destroy(&a.lock);
	return err;
}
