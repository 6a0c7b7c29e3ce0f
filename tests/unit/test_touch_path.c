#include "core/show/touch_path.h"

#include "tests/unit/tables.h"

#define ALL (PATH_AT_FULL | PATH_COLON | PATH_LINES)

static bool add(struct buf *out, const char *cwd, const char *text)
{
	const struct touch_view v = { .cwd = span_of(cwd) };
	return touch_path_add(out, &v, FILE_READ, span_of(text));
}

/* A path in its one spelling has it again; its parts give it, too. */
static void check_one(struct span path, struct span cwd)
{
	struct buf again = { 0 };
	const struct touch_view v = { .cwd = cwd };
	struct span parts = path;
	enum touch_root root = touch_path_split(&parts);
	if (path.n > 0)
		CHECK(touch_path_add(&again, &v, FILE_WRITE, path));
	CHECK_SPAN(buf_span(&again), path);
	buf_clear(&again);
	touch_path_begin(&again, root, parts);
	buf_add(&again, parts);
	CHECK_SPAN(buf_span(&again), path);
	buf_free(&again);
}

TEST(check_limits)
{
	struct buf text = { 0 };
	struct buf out = { 0 };
	buf_fill(&text, 'x', TOUCH_PATH_LIMIT);
	CHECK(add(&out, "", buf_cstr(&text)));
	CHECK_INT(out.len, TOUCH_PATH_LIMIT);
	buf_clear(&out);
	buf_addc(&text, 'x');
	CHECK(!add(&out, "", buf_cstr(&text)));
	CHECK_INT(out.len, 0);
	buf_clear(&text);
	for (int i = 0; i < TOUCH_PARTS_LIMIT; i++)
		buf_adds(&text, i > 0 ? "/x" : "x");
	CHECK(add(&out, "", buf_cstr(&text)));
	buf_clear(&out);
	buf_adds(&text, "/x");
	CHECK(!add(&out, "", buf_cstr(&text)));
	buf_clear(&out);
	buf_adds(&text, "/..");
	CHECK(add(&out, "", buf_cstr(&text)));
	buf_free(&text);
	buf_free(&out);
}

TABLE(check_row, "touch_path")
{
	struct touch_view v = { row_field(r, 1), row_field(r, 2), 0 };
	enum file_act act = row_is(r, 4, "write") ? FILE_WRITE : FILE_READ;
	if (row_is(r, 3, "all"))
		v.spelling = ALL;
	else if (row_is(r, 3, "at"))
		v.spelling = PATH_AT;
	if (touch_path_add(made, &v, act, row_field(r, 0)))
		check_one(buf_span(made), v.cwd);
	else
		buf_adds(made, "no file");
}

RUN_TESTS("touch_path")
