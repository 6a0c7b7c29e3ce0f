#include "core/show/lines.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/session/derived.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/show/content.h"

/* Measuring less than this takes less time than starting threads. */
#define MEASURE_BYTES ((uint64_t)1 << 20)

/* Entries that a thread measures with one buffer. */
#define MEASURE_STEP 16

/* Of so many entries, one has its offset kept. */
#define OFFSETS_STEP 64

/* What precedes an entry's line: its path, and its number. */
struct head {
	struct buf text;
	size_t number; /* where that begins; it ends before the last ':' */
};

/* The head of the first line. */
static int begin(const struct session *s, uint32_t entry, struct head *h)
{
	buf_adds(&h->text, "by-id/");
	index_add_name(&s->now.index, &h->text, entry);
	buf_adds(&h->text, "/" FILE_NAME_CONTENT ":");
	h->number = h->text.len;
	buf_adds(&h->text, "1:");
	return buf_error(&h->text);
}

/* Count up in place: printing each number would take as long as rendering. */
static void count_up(struct head *h)
{
	char *text = h->text.data;
	size_t end = h->text.len - 1;
	size_t i = end;
	while (i > h->number && text[i - 1] == '9')
		text[--i] = '0';
	if (i > h->number) {
		text[i - 1]++;
		return;
	}
	/* 99 has become 00, and is to be 100. */
	text[h->number] = '1';
	text[end] = '0';
	buf_addc(&h->text, ':');
}

int lines_add(const struct session *s, uint32_t entry, struct buf *out)
{
	struct head h = { 0 };
	struct buf content BUF_SCOPED = BUF_INTO(out);
	int err = content_add(s, entry, &content);
	if (!err)
		err = begin(s, entry, &h);
	for (struct span rest = buf_span(&content);
	     rest.n > 0 && !err && !h.text.failed;) {
		struct span line = span_next_line(&rest);
		buf_add(out, buf_span(&h.text));
		buf_add(out, line);
		buf_addc(out, '\n');
		count_up(&h);
	}
	buf_free_into(&h.text, out);
	return err ? err : buf_error(out);
}

int lines_size(const struct session *s, uint32_t entry, uint64_t *size)
{
	struct head h = { 0 };
	uint32_t lines = 0;
	int err = 0;
	if (!content_knows_size(s, entry, size, &lines)) {
		struct buf text = { 0 };
		err = content_add_counted(s, entry, &text, &lines);
		*size = text.len;
		buf_free(&text);
	}
	if (!err)
		err = begin(s, entry, &h);
	/* The heads differ in their numbers, which have more digits later. */
	if (!err)
		*size += lines * (h.text.len - 1);
	for (uint64_t fewer = 0; fewer < lines && !err; fewer = 10 * fewer + 9)
		*size += lines - fewer;
	buf_free(&h.text);
	return err;
}

/* Entries that are being measured by several threads. */
struct measuring {
	const struct session *s;
	uint32_t from;
	int err; /* atomic access */
};

static bool is_measured(const struct session *s, uint32_t entry)
{
	uint64_t size;
	uint32_t lines;
	return content_knows_size(s, entry, &size, &lines);
}

/* Measure MEASURE_STEP entries. */
static void measure_step(void *data, size_t step)
{
	struct measuring *m = data;
	const uint32_t n = m->s->now.index.n;
	uint32_t i = m->from + (uint32_t)step * MEASURE_STEP;
	uint32_t end = n - i < MEASURE_STEP ? n : i + MEASURE_STEP;
	struct buf text BUF_SCOPED = { 0 };
	int err = __atomic_load_n(&m->err, __ATOMIC_RELAXED);
	for (; i < end && !err; i++) {
		buf_clear(&text);
		if (!is_measured(m->s, i))
			err = content_add(m->s, i, &text);
	}
	if (err)
		__atomic_store_n(&m->err, err, __ATOMIC_RELAXED);
}

/* Where entries begin in lines.txt: sums of the sizes before them. */
struct offsets {
	struct derived derived;
	uint64_t outside; /* dialect_outside.of_all(): they change with it, too
			   */
	uint64_t *at;	  /* where each OFFSETS_STEP-th entry begins */
	size_t n;
	size_t cap;
};

static void clear(void *cache)
{
	free(((struct offsets *)cache)->at);
}

static const struct derived_kind kind = { sizeof(struct offsets), clear };

/*
 * Go from an entry, which begins at *start, to the one that has the byte at an
 * offset, but at most to `end`.
 */
static int advance(const struct session *s, uint64_t offset, uint32_t end,
		   uint32_t *entry, uint64_t *start)
{
	for (; *entry < end; ++*entry) {
		uint64_t n;
		int err = lines_size(s, *entry, &n);
		if (err)
			return err;
		if (offset < *start + n)
			break;
		*start += n;
	}
	return 0;
}

/* Compute the offsets that are missing. */
static int extend(struct offsets *x, const struct session *s)
{
	const struct dialect_outside *d = s->dialect->outside;
	uint64_t outside = d ? d->of_all(s) : 0;
	if (x->outside != outside)
		x->n = 0;
	x->outside = outside;
	uint64_t at = x->n > 0 ? x->at[x->n - 1] : 0;
	uint32_t entry = x->n > 0 ? (uint32_t)(x->n - 1) * OFFSETS_STEP : 0;
	/* Measure them on all processors if that is worth it. */
	struct measuring m = { .s = s, .from = entry };
	const uint32_t n = s->now.index.n;
	uint64_t bytes = 0;
	for (uint32_t i = entry; i < n && bytes < MEASURE_BYTES; i++)
		bytes += is_measured(s, i) ? 0 : session_entry(s, i)->length;
	if (bytes >= MEASURE_BYTES)
		parallel_run((n - entry + MEASURE_STEP - 1) / MEASURE_STEP,
			     measure_step, &m);
	int err = m.err;
	while (!err && x->n <= n / OFFSETS_STEP) {
		err = advance(s, UINT64_MAX, (uint32_t)x->n * OFFSETS_STEP,
			      &entry, &at);
		if (!err)
			err = array_add(&x->at, &x->cap, &x->n, at);
	}
	return err;
}

static bool is_up_to(const void *list, size_t i, const void *key)
{
	const uint64_t *at = list;
	return at[i] <= *(const uint64_t *)key;
}

int lines_find(const struct session *s, uint64_t offset, uint32_t *entry,
	       uint64_t *start)
{
	struct offsets *x = derived_lock(s, &kind);
	if (!x)
		return -ENOMEM;
	int err = extend(x, s);
	if (!err) {
		/* An index that could not be read again is shorter. */
		size_t n = s->now.index.n / OFFSETS_STEP + (size_t)1;
		size_t i = array_search(x->at, n, is_up_to, &offset) - 1;
		*entry = (uint32_t)i * OFFSETS_STEP;
		*start = x->at[i];
	}
	derived_unlock(&x->derived);
	return err ? err : advance(s, offset, s->now.index.n, entry, start);
}
