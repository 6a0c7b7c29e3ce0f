#include "core/dialects/omp/title.h"

#include "core/base/text.h"
#include "core/dialects/omp/json.h"
#include "core/json/js.h"

bool omp_title_is_slot(struct json line)
{
	static const char *const names[] = { "type",	  "v",	 "title",
					     "updatedAt", "pad", "source" };
	struct json f[6];
	json_get_all(line, 6, names, f);
	if (!json_is(f[0], SPAN("title")) || json_number(f[1]) != 1)
		return false;
	bool source = json_type(f[5]) == JSON_ABSENT ||
		      json_is(f[5], SPAN("auto")) ||
		      json_is(f[5], SPAN("user"));
	return source && json_type(f[2]) == JSON_STRING &&
	       json_type(f[3]) == JSON_STRING && json_type(f[4]) == JSON_STRING;
}

/* What of a title fits when it is quoted into n bytes. */
static struct span title_that_fits(struct span title, size_t n)
{
	struct span fits = { title.p, 0 };
	struct buf quoted = { 0 };
	while (fits.n < title.n) {
		struct span rest = { title.p + fits.n, title.n - fits.n };
		size_t len;
		text_code_point(rest, &len);
		buf_clear(&quoted);
		js_quote(&quoted, (struct span){ rest.p, len });
		if (quoted.failed || quoted.len - 2 > n)
			break;
		n -= quoted.len - 2;
		fits.n += len;
	}
	buf_free(&quoted);
	return fits;
}

static void add_members(struct buf *out, struct span title, struct json source,
			struct json time)
{
	buf_adds(out, "{\"type\":\"title\",\"v\":1,\"title\":");
	js_quote(out, title);
	omp_add_member(out, "source", source);
	omp_add_member(out, "updatedAt", time);
	buf_adds(out, ",\"pad\":\"");
}

void omp_title_add_slot(struct buf *out, struct span title, struct json source,
			struct json time)
{
	struct buf empty = { 0 };
	size_t from = out->len;
	add_members(&empty, (struct span){ "", 0 }, source, time);
	size_t taken = empty.len + strlen("\"}\n");
	size_t room = taken < OMP_TITLE_BYTES ? OMP_TITLE_BYTES - taken : 0;
	out->failed = out->failed || empty.failed;
	buf_free(&empty);
	add_members(out, title_that_fits(title, room), source, time);
	taken = out->len - from + strlen("\"}\n");
	if (taken < OMP_TITLE_BYTES)
		buf_fill(out, ' ', OMP_TITLE_BYTES - taken);
	buf_adds(out, "\"}\n");
}
