#include "core/json/splice.h"

#include <stdint.h>

#include "core/json/writer.h"

static void apply(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n, bool keeps_space)
{
	struct json_writer w = { .out = out };
	uint64_t written = 0;
	const char *from = object.raw.p + 1; /* inside its braces */
	const char *end = object.raw.p + object.raw.n - 1;
	json_begin_object(&w, NULL);
	JSON_EACH_MEMBER(key, value, object) {
		size_t i = 0;
		while (i < n && !json_is(key, span_of(changes[i].key)))
			i++;
		bool again = i < n && written >> i & 1;
		struct json to = value;
		if (i < n)
			to = (struct json){ .raw = changes[i].value };
		if (i < n)
			written |= (uint64_t)1 << i;
		if (keeps_space)
			json_note_copied(&w);
		else if (!again && to.raw.n > 0)
			json_write_member(&w, key, to);
		if (!keeps_space || i == n)
			continue;
		buf_add(out,
			(struct span){ from, (size_t)(value.raw.p - from) });
		buf_add(out, to.raw);
		from = value.raw.p + value.raw.n;
	}
	if (keeps_space)
		buf_add(out, (struct span){ from, (size_t)(end - from) });
	for (size_t i = 0; i < n; i++) {
		struct json to = { .raw = changes[i].value };
		if (!(written >> i & 1))
			json_write_value(&w, changes[i].key, to);
	}
	json_end_object(&w);
}

void json_rewrite(struct buf *out, struct json object,
		  const struct json_change *changes, size_t n)
{
	apply(out, object, changes, n, false);
}

void json_splice(struct buf *out, struct json object,
		 const struct json_change *changes, size_t n)
{
	apply(out, object, changes, n, true);
}
