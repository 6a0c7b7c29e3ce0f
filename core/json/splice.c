#include "core/json/splice.h"

#include <stdint.h>

#include "core/json/writer.h"

static bool is_key(struct json key, const char *name)
{
	return json_is(key, span_of(name));
}

/* Which change is of that key, or n. */
static size_t find(struct json key, const struct json_change *changes, size_t n,
		   bool (*same)(struct json key, const char *name))
{
	size_t i = 0;
	while (i < n && !same(key, changes[i].key))
		i++;
	return i;
}

static struct json value_of(const struct json_change *c)
{
	return (struct json){ .raw = c->value };
}

/* Those of which no member has been written. */
static void add_missing(struct json_writer *w,
			const struct json_change *changes, size_t n,
			uint64_t written)
{
	for (size_t i = 0; i < n; i++) {
		if (!(written >> i & 1))
			json_write_value(w, changes[i].key,
					 value_of(&changes[i]));
	}
	json_end_object(w);
}

void json_rewrite(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n)
{
	struct json_writer w = { .out = out };
	struct json_walk members = json_walk(object);
	struct json key;
	struct json value;
	uint64_t written = 0;
	json_begin_object(&w, NULL);
	while (json_next_member(&members, &key, &value)) {
		size_t i = find(key, changes, n, is_key);
		if (i == n) {
			json_write_member(&w, key, value);
			continue;
		}
		if (!(written >> i & 1) && changes[i].value.n > 0)
			json_write_member(&w, key, value_of(&changes[i]));
		written |= (uint64_t)1 << i;
	}
	add_missing(&w, changes, n, written);
}

void json_splice(struct buf *out, struct json object,
		 const struct json_change *changes, size_t n,
		 bool (*same)(struct json key, const char *name))
{
	struct json_writer w = { .out = out };
	struct json_walk members = json_walk(object);
	struct json key;
	struct json value;
	uint64_t written = 0;
	const char *from = object.raw.p + 1; /* inside its braces */
	const char *end = object.raw.p + object.raw.n - 1;
	json_begin_object(&w, NULL);
	while (json_next_member(&members, &key, &value)) {
		size_t i = find(key, changes, n, same ? same : is_key);
		json_note_copied(&w);
		if (i == n)
			continue;
		buf_add(out,
			(struct span){ from, (size_t)(value.raw.p - from) });
		buf_add(out, changes[i].value);
		from = value.raw.p + value.raw.n;
		written |= (uint64_t)1 << i;
	}
	buf_add(out, (struct span){ from, (size_t)(end - from) });
	add_missing(&w, changes, n, written);
}
