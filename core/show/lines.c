#include "core/show/lines.h"

#include <errno.h>

#include "core/base/parallel.h"
#include "core/session/file_name.h"
#include "core/show/content.h"
#include "core/show/offsets.h"

/* Measuring less than this takes less time than starting threads. */
#define MEASURE_BYTES ((uint64_t)1 << 20)

/* Entries that a thread measures with one buffer. */
#define MEASURE_STEP 16

/* What precedes an entry's line: its path, and its number. */
struct head {
	struct buf text;
	size_t number; /* where that begins; it ends before the last ':' */
};

/* The head of the first line. */
static void begin(const struct session *s, uint32_t entry, struct span prefix,
		  struct head *h)
{
	buf_add(&h->text, prefix);
	buf_adds(&h->text, "by-id/");
	index_add_name(&s->now.index, &h->text, entry);
	buf_adds(&h->text, "/" FILE_NAME_CONTENT ":");
	h->number = h->text.len;
	buf_adds(&h->text, "1:");
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

/* How many digits the numbers from 1 to n have together. */
static uint64_t count_digits(uint64_t n)
{
	uint64_t digits = 0;
	for (uint64_t fewer = 0; fewer < n; fewer = 10 * fewer + 9)
		digits += n - fewer;
	return digits;
}

/* The bytes of n heads. */
static uint64_t heads_size(const struct head *first, uint64_t n)
{
	return n * (first->text.len - 1) + count_digits(n);
}

/*
 * Put heads before the lines of the text that begins at `from`. The text is
 * moved to the end of the room that it needs, and back line by line. No line is
 * overwritten before it is moved, because the heads still to come fit between.
 * -ESTALE if the text has another number of lines than the content had when it
 * was measured: then the file has changed in between.
 */
static int insert_heads(struct buf *out, size_t from, struct head *h,
			uint64_t lines)
{
	size_t text = out->len - from;
	size_t room = heads_size(h, lines);
	if (!buf_reserve(out, room))
		return -ENOMEM;
	char *to = out->data + from;
	char *rest = memmove(to + room, to, text);
	out->len += room;
	for (uint64_t i = 0; i < lines && !h->text.failed; i++) {
		char *end = memchr(rest, '\n', text);
		if (!end)
			return -ESTALE;
		size_t line = (size_t)(end - rest) + 1;
		memcpy(to, h->text.data, h->text.len);
		to += h->text.len;
		memmove(to, rest, line);
		to += line;
		rest += line;
		text -= line;
		count_up(h);
	}
	return text > 0 ? -ESTALE : 0;
}

int lines_add(const struct session *s, uint32_t entry, struct span prefix,
	      struct buf *out)
{
	struct head h = { 0 };
	size_t from = out->len;
	uint32_t lines;
	int err = content_add_counted(s, entry, out, &lines);
	if (err || out->len == from)
		return err;
	begin(s, entry, prefix, &h);
	err = buf_error(&h.text);
	if (!err)
		err = insert_heads(out, from, &h, lines);
	if (!err)
		err = buf_error(&h.text);
	buf_free(&h.text);
	return err;
}

/* The size of a content and the number of its lines. */
static int measure(const struct session *s, uint32_t entry, uint64_t *size,
		   uint32_t *lines)
{
	if (content_knows_size(s, entry, size) &&
	    content_knows_lines(s, entry, lines))
		return 0;
	struct buf text = { 0 };
	int err = content_add_counted(s, entry, &text, lines);
	*size = text.len;
	buf_free(&text);
	return err;
}

int lines_size(const struct session *s, uint32_t entry, uint64_t *size)
{
	struct head h = { 0 };
	uint32_t lines;
	int err = measure(s, entry, size, &lines);
	if (err)
		return err;
	begin(s, entry, (struct span){ 0 }, &h);
	*size += heads_size(&h, lines);
	err = buf_error(&h.text);
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
	return content_knows_size(s, entry, &size) &&
	       content_knows_lines(s, entry, &lines);
}

/* Measure MEASURE_STEP entries. */
static void measure_step(void *data, size_t step)
{
	struct measuring *m = data;
	const uint32_t n = m->s->now.index.n;
	uint32_t i = m->from + (uint32_t)step * MEASURE_STEP;
	uint32_t end = n - i < MEASURE_STEP ? n : i + MEASURE_STEP;
	struct buf text = { 0 };
	int err = __atomic_load_n(&m->err, __ATOMIC_RELAXED);
	for (; i < end && !err; i++) {
		buf_clear(&text);
		if (!is_measured(m->s, i))
			err = content_add(m->s, i, &text);
	}
	if (err)
		__atomic_store_n(&m->err, err, __ATOMIC_RELAXED);
	buf_free(&text);
}

/* Is rendering worth threads? */
static bool is_much(const struct session *s, uint32_t from)
{
	uint64_t bytes = 0;
	for (uint32_t i = from; i < s->now.index.n && bytes < MEASURE_BYTES;
	     i++)
		bytes += is_measured(s, i) ? 0 : session_entry(s, i)->length;
	return bytes >= MEASURE_BYTES;
}

/* Measure the entries from one on, on all processors if that is worth it. */
static int measure_from(const struct session *s, uint32_t from)
{
	struct measuring m = { .s = s, .from = from };
	size_t n = s->now.index.n - from;
	if (is_much(s, from))
		parallel_run((n + MEASURE_STEP - 1) / MEASURE_STEP,
			     measure_step, &m);
	return m.err;
}

int lines_find(const struct session *s, uint64_t offset, uint32_t *entry,
	       uint64_t *start)
{
	int err = measure_from(s, offsets_known(s));
	return err ? err : offsets_find(s, lines_size, offset, entry, start);
}
