#include "mount/commands/grep/skip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/file/whole.h"
#include "core/session/dialect.h"
#include "core/show/content.h"
#include "mount/commands/grep/needles.h"
#include "mount/operands/pieces.h"

/* Read at once: it stays in the processor's cache. */
#define CHUNK ((size_t)128 << 10)

struct skip {
	struct runs runs;
	struct needles of_runs;
	struct needles needles; /* these, and all that may add them */
};

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'F';
}

/*
 * May the escape \uXXXX hide a letter: is it one of ASCII, or a digit of
 * another escape; or is it written otherwise than sessfs prints it where a
 * content has JSON?
 */
static bool hides(const char *x)
{
	bool low = x[0] == '0' && x[1] == '0';
	return (low && x[2] >= '3' && x[2] <= '7') ||
	       (low && x[2] == '0' && x[3] && strchr("89acd", x[3])) ||
	       is_capital(x[0]) || is_capital(x[1]) || is_capital(x[2]) ||
	       is_capital(x[3]);
}

bool skip_may_match(const struct skip *s, struct span line)
{
	return needles_find(&s->needles, line) != NULL;
}

bool skip_may_match_file(const struct skip *s, int fd, struct piece_file *f)
{
	struct buf *b = &f->bytes;
	uint64_t size = (uint64_t)f->version.size;
	uint64_t at = 0; /* bytes that were read */
	const char *found = NULL;
	while (!found && at < size) {
		/* A needle may begin in what was read last time. */
		size_t before = b->len < NEEDLE_MOST ? b->len : NEEDLE_MOST;
		if (!f->keeps && b->len > before) {
			memmove(b->data, b->data + b->len - before, before);
			b->len = before;
		}
		size_t want = size - at < CHUNK ? (size_t)(size - at) : CHUNK;
		char *to = buf_reserve(b, want);
		ssize_t got = to ? whole_read(fd, to, want) : -1;
		if (got < 0) {
			f->keeps = false;
			return true;
		}
		b->len += (size_t)got;
		at += (size_t)got;
		found = needles_find(
			&s->needles,
			(struct span){ to - before, before + (size_t)got });
		if (found)
			f->from = at - (size_t)(b->data + b->len - found);
		if ((size_t)got < want)
			break;
	}
	return found != NULL;
}

const char *skip_find(const struct skip *s, struct span content)
{
	return needles_find(&s->of_runs, content);
}

static int add_marker(struct skip *s, const char *marker)
{
	return needles_add(&s->needles,
			   (struct needle){ .text = span_of(marker) });
}

/* *may: lines may be passed over all the same. 0 or -ENOMEM. */
static int add_rows(struct skip *s, const struct added_words *rows, bool *may)
{
	int err = 0;
	for (; !err && rows && (rows->words || rows->marker); rows++) {
		if (rows->words &&
		    !needles_find(&s->of_runs, span_of(rows->words)))
			continue;
		if (rows->marker)
			err = add_marker(s, rows->marker);
		else
			*may = false;
	}
	return err;
}

/*
 * What all dialects may add: a file is passed over before its own is known, and
 * may turn out to be another one's.
 */
static int add_all(struct skip *s, const struct dialect_registry *all,
		   bool *may)
{
	const struct needle escape = { .text = SPAN("\\u"),
				       .counts = hides,
				       .after = 4 };
	int err = needles_add(&s->needles, escape);
	for (size_t i = 0; i < s->runs.n && !err; i++) {
		const struct needle run = { .text = s->runs.list[i],
					    .any_case = s->runs.any_case };
		err = needles_add(&s->of_runs, run);
		if (!err)
			err = needles_add(&s->needles, run);
	}
	if (!err)
		err = add_rows(s, content_adding, may);
	for (size_t i = 0; i < all->n && !err; i++) {
		const struct dialect_adding *d = all->rows[i]->adding;
		*may = *may && d;
		if (d)
			err = add_rows(s, d->rows, may);
		if (d && d->other_files && !err)
			err = add_marker(s, d->other_files);
	}
	return err;
}

int skip_new(struct skip **out, const struct pattern_texts *t,
	     const struct dialect_registry *dialects)
{
	struct skip *s = calloc(1, sizeof(*s));
	*out = NULL;
	if (!s)
		return -ENOMEM;
	int err = runs_find(&s->runs, t);
	bool may = !err && s->runs.n > 0;
	if (may)
		err = add_all(s, dialects, &may);
	if (!err && may)
		*out = s;
	else
		skip_free(s);
	return err;
}

void skip_free(struct skip *s)
{
	if (!s)
		return;
	runs_free(&s->runs);
	needles_free(&s->of_runs);
	needles_free(&s->needles);
	free(s);
}
