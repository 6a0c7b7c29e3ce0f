#include "core/show/touch_path.h"

#include "tests/unit/test.h"

#define ALL (PATH_AT_FULL | PATH_COLON | PATH_LINES)

static const struct {
	const char *cwd;
	const char *dir;
	unsigned spelling;
	enum file_act act;
	const char *text;
	const char *path; /* NULL: it is no file */
} rows[] = {
	{ "/w", "", 0, FILE_READ, "src/wc.c", "src/wc.c" },
	{ "/w", "", 0, FILE_READ, "./src//x/../wc.c", "src/wc.c" },
	{ "/w", "", 0, FILE_READ, "/w/src/wc.c", "src/wc.c" },
	{ "/w", "/w/src", 0, FILE_READ, "wc.c", "src/wc.c" },
	{ "/w", "src", 0, FILE_READ, "../wc.c", "wc.c" },
	{ "/w", "/x", 0, FILE_READ, "wc.c", "/x/wc.c" },
	{ "/w", "", 0, FILE_READ, "file:///w/a%20b%2", "a b%2" },
	{ "/w", "", 0, FILE_READ, ".", "" },
	{ "/w", "", 0, FILE_READ, "/w/", "" },
	{ "/w", "", 0, FILE_READ, "..", "/" },
	{ "/w", "", 0, FILE_READ, "../wx", "/wx" },
	{ "/w", "", 0, FILE_READ, "/wx", "/wx" },
	{ "/w", "", 0, FILE_READ, "/", "/" },
	{ "/", "", 0, FILE_READ, "/etc/passwd", "etc/passwd" },
	{ "/", "", 0, FILE_READ, "/", "" },
	{ "/", "", 0, FILE_READ, "x", "x" },
	{ "", "", 0, FILE_READ, "x/y", "x/y" },
	{ "", "", 0, FILE_READ, "../x", "../x" },
	{ "", "", 0, FILE_READ, "/x", "/x" },
	{ "", "/d", 0, FILE_READ, "x", "/d/x" },
	{ "/w", "", 0, FILE_READ, "~", "~" },
	{ "/w", "", 0, FILE_READ, "~/", "~" },
	{ "/w", "", 0, FILE_READ, "~/a/../../b", "~/b" },
	{ "/w", "", 0, FILE_READ, "./~/b", "./~/b" },
	{ "/w", "", 0, FILE_READ, "~b", "~b" },
	{ "/w", "", 0, FILE_READ, "/~/b", "/~/b" },
	{ "/w", "", 0, FILE_READ, "", NULL },
	{ "/w", "", 0, FILE_READ, "https://x/y", NULL },
	{ "/w", "", 0, FILE_READ, "skill://x", NULL },
	{ "/w", "", 0, FILE_READ, "a:b", "a:b" },
	{ "/w", "", 0, FILE_READ, "@a/b", "@a/b" },
	{ "/w", "", PATH_AT, FILE_READ, "@a/b", "a/b" },
	{ "/w", "", PATH_AT, FILE_READ, "a:1-2", "a:1-2" },
	{ "/w", "", ALL, FILE_READ, "@a/b", "@a/b" },
	{ "/w", "", ALL, FILE_READ, "@/w/b", "b" },
	{ "/w", "", ALL, FILE_READ, "@~/b", "~/b" },
	{ "/w", "", ALL, FILE_READ, ":/w/b", "b" },
	{ "/w", "", ALL, FILE_READ, ":../b", "/b" },
	{ "/w", "", ALL, FILE_READ, ":b", ":b" },
	{ "/w", "", ALL, FILE_READ, "a.c:1-40", "a.c" },
	{ "/w", "", ALL, FILE_READ, "a.c:raw:1-40,50+3", "a.c" },
	{ "/w", "", ALL, FILE_READ, "a.c:-60", "a.c" },
	{ "/w", "", ALL, FILE_READ, "a.c:x", "a.c:x" },
	{ "/w", "", ALL, FILE_WRITE, "a.c:1-40", "a.c:1-40" },
	{ "/w", "", ALL, FILE_READ, ":5", ":5" },
};

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

static void check_limits(void)
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

int main(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct touch_view v = { span_of(rows[i].cwd),
					      span_of(rows[i].dir),
					      rows[i].spelling };
		test_row = rows[i].text;
		CHECK_INT(touch_path_add(&b, &v, rows[i].act,
					 span_of(rows[i].text)),
			  rows[i].path != NULL);
		CHECK_BUF(&b, rows[i].path ? rows[i].path : "");
		if (rows[i].path)
			check_one(buf_span(&b), v.cwd);
		buf_clear(&b);
	}
	test_row = NULL;
	check_limits();
	buf_free(&b);
	return test_done("touch_path");
}
