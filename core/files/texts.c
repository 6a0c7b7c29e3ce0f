#include "core/files/texts.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"

/* -- texts that are held as a whole */

static struct held_text *find_held(struct texts *v, uint32_t number)
{
	for (size_t i = 0; i < TEXTS_HELD; i++) {
		if (v->held[i].version == number)
			return &v->held[i];
	}
	return NULL;
}

/* Hold a text, which is taken, in front of the others. */
static void hold(struct texts *v, uint32_t number, struct buf *text)
{
	struct held_text *last = &v->held[TEXTS_HELD - 1];
	size_t bytes = 0;
	buf_free(&last->text);
	memmove(v->held + 1, v->held, (TEXTS_HELD - 1) * sizeof(v->held[0]));
	v->held[0] = (struct held_text){ number, *text };
	*text = (struct buf){ 0 };
	for (size_t i = 1; i < TEXTS_HELD; i++) {
		bytes += v->held[i].text.cap;
		if (bytes > TEXTS_BYTES) {
			buf_free(&v->held[i].text);
			v->held[i].version = 0;
		}
	}
}

/* -- putting a text together */

/* Bytes of a version that go to a place in the text that is made. */
struct piece {
	uint64_t to;
	uint64_t from;
	uint64_t n;
};

struct pieces {
	struct piece *list;
	size_t n;
	size_t cap;
};

static int add_piece(struct pieces *p, uint64_t to, uint64_t from, uint64_t n)
{
	if (n == 0)
		return 0;
	struct piece piece = { to, from, n };
	return array_add(&p->list, &p->cap, &p->n, piece);
}

/* The part of a piece that is in a range. */
static struct piece cut(const struct piece *p, uint64_t from, uint64_t to)
{
	uint64_t end = p->from + p->n < to ? p->from + p->n : to;
	uint64_t start = p->from > from ? p->from : from;
	return (struct piece){ p->to + (start - p->from), start,
			       end > start ? end - start : 0 };
}

/* Copy what a version has itself; the rest are pieces of its base. */
static int resolve(const struct texts *v, const struct text_version *is,
		   const struct pieces *of, struct pieces *base, char *out)
{
	uint64_t end = is->size - is->end;
	uint64_t old = is->base ? texts_get(v, is->base)->size : 0;
	int err = 0;
	base->n = 0;
	for (size_t i = 0; !err && i < of->n; i++) {
		struct piece first = cut(&of->list[i], 0, is->start);
		struct piece own = cut(&of->list[i], is->start, end);
		struct piece last = cut(&of->list[i], end, is->size);
		if (own.n > 0)
			memcpy(out + own.to,
			       v->bytes.data + is->bytes + own.from - is->start,
			       own.n);
		err = add_piece(base, first.to, first.from, first.n);
		if (!err)
			err = add_piece(base, last.to,
					last.from - is->size + old, last.n);
	}
	return err;
}

int texts_add(struct texts *v, uint32_t number, struct buf *out)
{
	const struct held_text *held = find_held(v, number);
	struct pieces now = { 0 };
	struct pieces next = { 0 };
	if (held) {
		buf_add(out, buf_span(&held->text));
		return buf_error(out);
	}
	uint64_t size = texts_get(v, number)->size;
	char *to = buf_reserve(out, size);
	int err = to ? add_piece(&now, 0, 0, size) : -ENOMEM;
	for (uint32_t i = number; !err && now.n > 0;) {
		const struct text_version *is = texts_get(v, i);
		err = resolve(v, is, &now, &next, to);
		struct pieces done = now;
		now = next;
		next = done;
		i = is->base;
	}
	free(now.list);
	free(next.list);
	if (!err)
		out->len += size;
	return err;
}

int texts_load(struct texts *v, uint32_t number, struct file_text *t)
{
	const struct text_version *is = number ? texts_get(v, number) : NULL;
	int err = 0;
	*t = (struct file_text){ 0 };
	if (is) {
		t->state = is->state;
		t->outside = is->outside;
		t->executable = is->executable;
		t->note = is->note;
	}
	struct held_text *held =
		t->state == FILE_IS_KNOWN ? find_held(v, number) : NULL;
	if (held) {
		t->text = held->text;
		*held = (struct held_text){ 0 };
	} else if (t->state == FILE_IS_KNOWN) {
		err = texts_add(v, number, &t->text);
	}
	file_text_begin(t);
	return err;
}

/* -- new versions */

static bool is_same(const struct texts *v, uint32_t before,
		    const struct file_text *t)
{
	const struct text_version *b = before ? texts_get(v, before) : NULL;
	return b ? b->state == t->state && b->outside == t->outside &&
			       b->note == t->note &&
			       b->executable == t->executable &&
			       (t->state != FILE_IS_KNOWN ||
				(t->start == b->size && t->text.len == b->size))
		 : t->state == FILE_IS_UNTOUCHED;
}

static int add(struct texts *v, const struct text_version *new,
	       const struct file_text *t)
{
	int err = v->n == UINT32_MAX - 1 ? -EFBIG : 0;
	if (!err)
		err = array_reserve(&v->list, &v->cap, v->n, 1);
	if (err)
		return err;
	struct text_version *add = &v->list[v->n];
	*add = *new;
	add->state = t->state;
	add->outside = t->outside;
	add->executable = t->executable;
	add->created = t->created;
	add->seen = t->seen;
	add->note = t->note;
	add->size = t->text.len;
	add->start = t->start;
	add->end = t->end;
	add->bytes = v->bytes.len;
	add->base = t->start + t->end > 0 ? new->before : 0;
	if (add->size > t->start + t->end)
		buf_add(&v->bytes,
			(struct span){ t->text.data + t->start,
				       t->text.len - t->start - t->end });
	err = buf_error(&v->bytes);
	v->n += !err;
	return err;
}

int texts_put(struct texts *v, const struct text_version *new,
	      struct file_text *t, uint32_t *number)
{
	int err = buf_error(&t->text);
	*number = new->before;
	if (!err && !is_same(v, new->before, t)) {
		err = add(v, new, t);
		*number = v->n;
	}
	if (!err && t->state == FILE_IS_KNOWN)
		hold(v, *number, &t->text);
	file_text_free(t);
	return err;
}

void texts_free(struct texts *v)
{
	for (size_t i = 0; i < TEXTS_HELD; i++)
		buf_free(&v->held[i].text);
	buf_free(&v->bytes);
	free(v->list);
}
