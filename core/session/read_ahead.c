#include "core/session/read_ahead.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"

/* Reading less than this takes less time than starting a thread. */
#define WORTH_A_THREAD ((uint64_t)4 << 20)

/* How many ends of values are kept: of a line, and of all lines of a batch. */
#define LINE_ENDS 32
#define BATCH_ENDS 4096

/* How many threads there are then, and how many batches are read ahead. */
#define THREADS 2
#define BATCHES 4

/* The lines of a chunk. The feed's rest follows the last of them. */
struct ahead_batch {
	struct feed feed;
	struct scanned *lines;
	size_t n;
	size_t cap;
	int err; /* of reading; the lines before it are valid */
	bool last;
	struct scan_end ends[BATCH_ENDS];
};

struct ahead {
	const struct log *log;
	uint64_t size;
	ahead_line_fn *visit;
	void *data;
	bool digests;
	struct ahead_batch *batches;
	size_t n; /* of batches, used in turn */
	size_t read;
	struct ahead_batch *visited; /* the last one, or the first */
};

static void scan(struct scanned *line, bool digest, struct scan_end *ends,
		 size_t cap)
{
	line->digest = digest ? hash_line(line->text, line->offset) : 0;
	line->ends = (struct scan_ends){ ends, 0, cap };
	line->err = json_check_ends(line->text, &line->json, &line->ends);
}

void ahead_scan(struct span text, uint64_t offset, struct scanned *line)
{
	*line = (struct scanned){ .text = text, .offset = offset };
	scan(line, true, NULL, 0);
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
		struct scanned line = { .text = text, .offset = offset };
		b->err = array_add(&b->lines, &b->cap, &b->n, line);
	}
	b->last = b->err || b->feed.offset + b->feed.rest.n >= a->size;
}

static bool next_batch(void *data, void **task)
{
	struct ahead *a = data;
	struct ahead_batch *b = &a->batches[a->read % a->n];
	const struct ahead_batch *before = b;
	if (a->read > 0)
		before = &a->batches[(a->read - 1) % a->n];
	if (before->last)
		return false;
	read_batch(a, b, &before->feed);
	a->read++;
	*task = b;
	return true;
}

static void scan_batch(void *data, void *task, struct buf *out)
{
	const struct ahead *a = data;
	struct ahead_batch *b = task;
	size_t used = 0;
	(void)out;
	for (size_t i = 0; i < b->n; i++) {
		struct scanned *line = &b->lines[i];
		size_t room = BATCH_ENDS - used;
		scan(line, a->digests, b->ends + used,
		     room < LINE_ENDS ? room : LINE_ENDS);
		used += line->ends.n;
	}
}

static int visit_batch(void *data, void *task, const struct buf *out)
{
	struct ahead *a = data;
	const struct ahead_batch *b = task;
	int err = 0;
	(void)out;
	a->visited = task;
	for (size_t i = 0; i < b->n && !err; i++)
		err = a->visit(a->data, &b->lines[i]);
	return err ? err : b->err;
}

const struct scanned *ahead_batch_line(const struct ahead_batch *b, size_t n)
{
	return n < b->n ? &b->lines[n] : NULL;
}

struct span ahead_batch_bytes(const struct ahead_batch *b)
{
	struct span all = { 0 };
	if (!b || b->n == 0)
		return all;
	const struct span *rest = &b->feed.rest;
	all.p = b->lines[0].text.p;
	all.n = (size_t)(rest->p + rest->n - all.p);
	return all;
}

static void free_batches(struct ahead_batch *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_free(&list[i].feed.chunk);
		free(list[i].lines);
	}
	free(list);
}

void ahead_batch_free(struct ahead_batch *b)
{
	free_batches(b, b != NULL);
}

int ahead_file(const struct log *log, struct feed *f, uint64_t size,
	       ahead_line_fn *visit, void *data, struct ahead_batch **keep,
	       bool digests)
{
	if (f->rest.n == 0 && f->offset >= size)
		return 0;
	bool much = size - f->offset >= WORTH_A_THREAD;
	bool keeps = keep && !much &&
		     (f->offset + f->rest.n >= size ||
		      f->step >= size - f->offset - f->rest.n);
	struct ahead a = { .log = log,
			   .size = size,
			   .visit = visit,
			   .data = data,
			   .digests = digests || !keeps,
			   .n = much ? BATCHES : 1 };
	a.batches = malloc(a.n * sizeof(*a.batches));
	if (!a.batches)
		return -ENOMEM;
	/* Not their ends, which are most of them. */
	for (size_t i = 0; i < a.n; i++)
		memset(&a.batches[i], 0, offsetof(struct ahead_batch, ends));
	a.batches[0].feed = *f;
	a.visited = a.batches;
	const struct sweep sweep = { .data = &a,
				     .next = next_batch,
				     .work = scan_batch,
				     .emit = visit_batch,
				     .threads = much ? THREADS : 1,
				     .ahead = a.n };
	if (keeps)
		*keep = a.batches;
	int err = sweep_run(&sweep);
	*f = a.visited->feed;
	if (keeps && !err) {
		f->chunk = (struct buf){ 0 };
		return 0;
	}
	if (keeps)
		*keep = NULL;
	a.visited->feed.chunk = (struct buf){ 0 };
	free_batches(a.batches, a.n);
	return err;
}
