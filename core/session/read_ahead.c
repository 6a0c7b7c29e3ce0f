#include "core/session/read_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/hash.h"

/* Reading less than this takes less time than starting a thread. */
#define WORTH_A_THREAD ((uint64_t)4 << 20)

/* How many ends of values are kept: of a line, and of all lines of a batch. */
#define LINE_ENDS 8
#define BATCH_ENDS 4096

/* How many batches are read ahead if there is a helper thread. */
#define BATCHES 4

/* The lines of a chunk. The feed's rest follows the last of them. */
struct ahead_batch {
	struct feed feed;
	struct scanned *lines;
	size_t n;
	size_t cap;
	int err; /* of reading; the lines before it are valid */
	bool last;
	bool scanned; /* under the lock */
	struct scan_end ends[BATCH_ENDS];
};

struct ahead {
	const struct log *log;
	uint64_t size;
	struct ahead_batch *batches;
	size_t n; /* of batches, used in turn */

	pthread_mutex_t lock;
	/* Protected by `lock`; `changed` is signalled when one changes. */
	pthread_cond_t changed;
	size_t claimed; /* batches, and read */
	size_t visited;
	bool ended; /* no batch is left to claim */
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

static struct scanned *add_line(struct ahead_batch *b)
{
	if (array_reserve(&b->lines, &b->cap, b->n, 1) < 0)
		return NULL;
	return &b->lines[b->n++];
}

/* Read the next chunk into a batch. It begins with the rest of `before`. */
static void read_batch(const struct ahead *a, struct ahead_batch *b,
		       const struct feed *before)
{
	b->feed.offset = before->offset;
	if (before != &b->feed) {
		buf_reset(&b->feed.chunk);
		buf_add(&b->feed.chunk, before->rest);
		b->feed.rest = buf_span(&b->feed.chunk);
	}
	b->err = buf_error(&b->feed.chunk);
	if (!b->err)
		b->err = feed_read(a->log, &b->feed, a->size);
	struct span text;
	uint64_t offset;
	b->n = 0;
	while (!b->err && feed_next_line(&b->feed, &text, &offset)) {
		struct scanned *line = add_line(b);
		if (line)
			*line = (struct scanned){ .text = text,
						  .offset = offset };
		else
			b->err = -ENOMEM;
	}
	b->last = b->err || b->feed.offset + b->feed.rest.n >= a->size;
	b->scanned = false;
}

/* Read the next batch, which the caller scans; NULL if there is no room for
 * one. Needs the lock. */
static struct ahead_batch *claim(struct ahead *a)
{
	if (a->ended || a->claimed - a->visited == a->n)
		return NULL;
	struct ahead_batch *b = &a->batches[a->claimed % a->n];
	size_t before = a->claimed > 0 ? a->claimed - 1 : 0;
	read_batch(a, b, &a->batches[before % a->n].feed);
	a->claimed++;
	a->ended = b->last;
	return b;
}

/* Needs the lock, and releases it while it scans. */
static void scan_batch(struct ahead *a, struct ahead_batch *b)
{
	size_t used = 0;
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < b->n; i++) {
		struct scanned *line = &b->lines[i];
		size_t room = BATCH_ENDS - used;
		scan(line, b->ends + used, room < LINE_ENDS ? room : LINE_ENDS);
		used += line->ends.n;
	}
	pthread_mutex_lock(&a->lock);
	b->scanned = true;
	pthread_cond_broadcast(&a->changed);
}

/* Scan the next batch, or wait for another thread. Needs the lock. */
static void scan_or_wait(struct ahead *a)
{
	struct ahead_batch *b = claim(a);
	if (b)
		scan_batch(a, b);
	else
		pthread_cond_wait(&a->changed, &a->lock);
}

/* The helper thread: scan batches until none is left. */
static void *help(void *data)
{
	struct ahead *a = data;
	pthread_mutex_lock(&a->lock);
	while (!a->ended)
		scan_or_wait(a);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* The next batch to visit. Until it is scanned, this thread scans others. */
static struct ahead_batch *next_batch(struct ahead *a)
{
	struct ahead_batch *next = &a->batches[a->visited % a->n];
	pthread_mutex_lock(&a->lock);
	while (a->visited == a->claimed || !next->scanned)
		scan_or_wait(a);
	pthread_mutex_unlock(&a->lock);
	return next;
}

static int visit_lines(const struct ahead_batch *b, ahead_line_fn *visit,
		       void *data)
{
	int err = 0;
	for (size_t i = 0; i < b->n && !err; i++)
		err = visit(data, &b->lines[i]);
	return err ? err : b->err;
}

/* Visit all lines in their order. *end is the last batch visited. */
static int visit_batches(struct ahead *a, ahead_line_fn *visit, void *data,
			 struct ahead_batch **end)
{
	int err = 0;
	bool last = false;
	while (!err && !last) {
		*end = next_batch(a);
		err = visit_lines(*end, visit, data);
		last = err || (*end)->last;
		pthread_mutex_lock(&a->lock);
		a->visited++;
		a->ended = a->ended || last;
		pthread_cond_broadcast(&a->changed);
		pthread_mutex_unlock(&a->lock);
	}
	return err;
}

const struct scanned *ahead_batch_line(const struct ahead_batch *b, size_t n)
{
	return n < b->n ? &b->lines[n] : NULL;
}

void ahead_batch_free(struct ahead_batch *b)
{
	if (!b)
		return;
	buf_free(&b->feed.chunk);
	free(b->lines);
	free(b);
}

/* Free the batches, but for one that the caller keeps. */
static void free_batches(struct ahead *a, struct ahead_batch **keep,
			 struct feed *f)
{
	if (keep) {
		*keep = a->batches;
		(*keep)->feed.chunk = f->chunk;
		f->chunk = (struct buf){ 0 };
		return;
	}
	for (size_t i = 0; i < a->n; i++) {
		buf_free(&a->batches[i].feed.chunk);
		free(a->batches[i].lines);
	}
	free(a->batches);
}

int ahead_file(const struct log *log, struct feed *f, uint64_t size,
	       ahead_line_fn *visit, void *data, struct ahead_batch **keep)
{
	if (f->offset + f->rest.n >= size)
		return 0;
	bool much = size - f->offset >= WORTH_A_THREAD;
	struct ahead a = { .log = log,
			   .size = size,
			   .n = much ? BATCHES : 1,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER };
	a.batches = calloc(a.n, sizeof(*a.batches));
	if (!a.batches)
		return -ENOMEM;
	struct ahead_batch *end = &a.batches[0];
	end->feed = *f;
	pthread_t thread;
	bool helped = much && pthread_create(&thread, NULL, help, &a) == 0;
	int err = visit_batches(&a, visit, data, &end);
	if (helped)
		pthread_join(thread, NULL);
	*f = end->feed;
	end->feed.chunk = (struct buf){ 0 };
	bool kept = keep && !err && a.claimed == 1 && a.n == 1;
	free_batches(&a, kept ? keep : NULL, f);
	pthread_cond_destroy(&a.changed);
	pthread_mutex_destroy(&a.lock);
	return err;
}
