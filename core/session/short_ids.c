#include "core/session/short_ids.h"

#include <errno.h>
#include <stdlib.h>

#include "core/session/file_name.h"

_Static_assert(FILE_NAME_LIMIT <= UINT8_MAX, "a length is a uint8_t");

struct name {
	struct span text;
	uint32_t entry;
};

static size_t common(struct span a, struct span b)
{
	size_t i = 0;
	while (i < a.n && i < b.n && a.p[i] == b.p[i])
		i++;
	return i;
}

/* So many bytes of a name, and the rest of a character that this splits. */
static size_t whole(struct span name, size_t n)
{
	while (n < name.n && ((unsigned char)name.p[n] & 0xC0) == 0x80)
		n++;
	return n < name.n ? n : name.n;
}

/* A name differs most from the others where it does from its neighbours. */
static void measure(struct short_ids *s, const struct name *names, uint32_t n)
{
	size_t before = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct span text = names[i].text;
		size_t after = i + 1 < n ? common(text, names[i + 1].text) : 0;
		size_t least = 1 + (after > before ? after : before);
		least = least > SHORT_ID_LEAST ? least : SHORT_ID_LEAST;
		size_t length = whole(text, least);
		s->lengths[names[i].entry] = (uint8_t)length;
		s->longest = length > s->longest ? length : s->longest;
		before = after;
	}
}

/* The names in their order; names that are not their ids are in `made`. */
static void list(const struct index *x, struct name *names, struct buf *made)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct name *name = &names[i];
		*name = (struct name){ .text = index_id(x, i), .entry = i };
		if (x->entries[i].plain_name)
			continue;
		size_t from = made->len;
		index_add_name(x, made, i);
		/* Its bytes may move until all are there. */
		name->text = (struct span){ NULL, made->len - from };
	}
	size_t at = 0;
	for (uint32_t i = 0; i < x->n && !made->failed; i++) {
		if (names[i].text.p)
			continue;
		names[i].text.p = made->data + at;
		at += names[i].text.n;
	}
}

static bool are_short(const struct index *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		if (!x->entries[i].plain_name ||
		    index_id(x, i).n > SHORT_ID_LEAST)
			return false;
	}
	return true;
}

int short_ids_begin(struct short_ids *s, const struct index *x)
{
	*s = (struct short_ids){ .x = x, .longest = SHORT_ID_LEAST };
	struct buf made BUF_SCOPED = { 0 };
	if (are_short(x))
		return 0;
	struct name *names = calloc(x->n, sizeof(*names));
	s->lengths = calloc(x->n, sizeof(*s->lengths));
	int err = names && s->lengths ? 0 : -ENOMEM;
	if (!err) {
		list(x, names, &made);
		err = buf_error(&made);
	}
	if (!err) {
		qsort(names, x->n, sizeof(*names), span_order);
		measure(s, names, x->n);
	}
	free(names);
	return err;
}

void short_ids_end(struct short_ids *s)
{
	free(s->lengths);
	s->lengths = NULL;
}

void short_ids_add(const struct short_ids *s, struct buf *out, uint32_t entry)
{
	size_t from = out->len;
	index_add_name(s->x, out, entry);
	if (s->lengths && out->len > from + s->lengths[entry])
		out->len = from + s->lengths[entry];
}
