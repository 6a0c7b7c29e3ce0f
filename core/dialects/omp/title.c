#include "core/dialects/omp/title.h"

#include "core/base/text.h"
#include "core/json/writer.h"

bool omp_title_is_slot(struct json line)
{
	JSON_FIELDS(f, line, type, v, title, updatedAt, pad, source);
	if (!json_is(f.type, SPAN("title")) || json_number(f.v) != 1)
		return false;
	bool source = json_type(f.source) == JSON_ABSENT ||
		      JSON_IS(f.source, "auto", "user");
	return source && json_type(f.title) == JSON_STRING &&
	       json_type(f.updatedAt) == JSON_STRING &&
	       json_type(f.pad) == JSON_STRING;
}

/* The start of a title that fits into n bytes of JSON. Without memory `out`
   fails. */
static struct span title_that_fits(struct buf *out, struct span title, size_t n)
{
	struct span fits = { title.p, 0 };
	struct buf quoted = { 0 };
	while (fits.n < title.n) {
		struct span rest = { title.p + fits.n, title.n - fits.n };
		size_t len;
		text_code_point(rest, &len);
		buf_clear(&quoted);
		json_quote(&quoted, (struct span){ rest.p, len });
		if (quoted.failed || quoted.len - 2 > n)
			break;
		n -= quoted.len - 2;
		fits.n += len;
	}
	buf_free_into(&quoted, out);
	return fits;
}

static void add_slot(struct buf *out, struct span title, struct json source,
		     struct json time, size_t padding)
{
	struct json_writer w = { .out = out };
	json_begin_object(&w, NULL);
	json_write_word(&w, "type", "title");
	json_write_number(&w, "v", 1);
	json_write_string(&w, "title", title);
	json_write_value(&w, "source", source);
	json_write_value(&w, "updatedAt", time);
	buf_addc(json_begin_value(&w, "pad"), '"');
	buf_fill(out, ' ', padding);
	buf_addc(out, '"');
	json_end_object(&w);
	buf_addc(out, '\n');
}

/* How many bytes a slot with that title leaves for padding. */
static size_t room_of(struct buf *out, struct span title, struct json source,
		      struct json time)
{
	struct buf slot = { 0 };
	add_slot(&slot, title, source, time, 0);
	size_t used = slot.len;
	buf_free_into(&slot, out);
	return used < OMP_TITLE_BYTES ? OMP_TITLE_BYTES - used : 0;
}

void omp_title_add_slot(struct buf *out, struct span title, struct json source,
			struct json time)
{
	title = title_that_fits(out, title,
				room_of(out, SPAN(""), source, time));
	add_slot(out, title, source, time, room_of(out, title, source, time));
}
