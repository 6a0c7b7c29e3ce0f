#include "core/base/pathname.h"

#include "tests/unit/test.h"

static const struct {
	const char *dir;
	const char *path;
	const char *normal;
} rows[] = {
	{ "", "", "" },
	{ "", ".", "" },
	{ "", "./a//b/./c/", "a/b/c" },
	{ "", "a/../b", "b" },
	{ "", "a/..", "" },
	{ "", "../a", "../a" },
	{ "", "../../a/../../b", "../../../b" },
	{ "", "/", "/" },
	{ "", "//a/b//", "/a/b" },
	{ "", "/../../a", "/a" },
	{ "", "/a/..", "/" },
	{ "/w", "a", "/w/a" },
	{ "/w", "", "/w" },
	{ "/w/x", "../../../a", "/a" },
	{ "/w", "/a", "/a" },
	{ "/", "a", "/a" },
	{ "x/..", "a", "a" },
	{ "x", "../../a", "../a" },
	{ "", "..a/...", "..a/..." },
};

static const struct {
	const char *path;
	const char *folder;
	const char *from;
} below[] = {
	{ "/w/a", "/w", "a" },	{ "/w/a/b", "/w/", "a/b" },
	{ "/wa", "/w", "/wa" }, { "/w", "/w", "/w" },
	{ "/w/", "/w", "/w/" }, { "/a", "/", "/a" },
	{ "/a", "", "/a" },	{ "a/b", "a", "b" },
};

int main(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].path;
		pathname_add_normal(&b, span_of(rows[i].dir),
				    span_of(rows[i].path));
		CHECK_BUF(&b, rows[i].normal);
		buf_clear(&b);
		/* What is before it stays. */
		buf_adds(&b, "a/b");
		pathname_add_normal(&b, (struct span){ 0 }, SPAN("../c"));
		CHECK_BUF(&b, "a/b../c");
		buf_clear(&b);
	}
	for (size_t i = 0; i < COUNT(below); i++) {
		test_row = below[i].path;
		CHECK_SPAN(pathname_from(span_of(below[i].path),
					 span_of(below[i].folder)),
			   span_of(below[i].from));
	}
	buf_free(&b);
	return test_done("pathname");
}
