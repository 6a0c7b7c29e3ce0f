#include "core/base/path_names.h"

#include "core/base/text.h"
#include "tests/unit/test.h"

/* Paths and their names, separated by spaces. */
static void check(const char *paths, const char *want)
{
	static const struct span reserved[] = { SPAN("by-day"), SPAN("x.txt") };
	const struct path_names_taken taken = { reserved, COUNT(reserved) };
	struct path_name list[8] = { 0 };
	struct span rest = span_of(paths);
	struct buf got = { 0 };
	size_t n = 0;
	test_row = paths;
	while (rest.n > 0)
		list[n++].path = span_next(&rest, ' ');
	CHECK_INT(path_names_make(list, n, &taken), 0);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&got, i > 0 ? " " : "");
		buf_add(&got, buf_span(&list[i].name));
		buf_free(&list[i].name);
	}
	CHECK_BUF(&got, want);
	buf_free(&got);
	test_row = NULL;
}

/* They end, differ, and are file names. */
static void check_long(void)
{
	const struct path_names_taken none = { 0 };
	struct path_name list[3] = { 0 };
	struct buf paths[3] = { 0 };
	for (size_t i = 0; i < 3; i++) {
		buf_addf(&paths[i], "/%zu", i);
		for (unsigned k = 0; k < 1000; k++)
			buf_adds(&paths[i], i < 2 ? "/a" : "\xC3\xA4");
		list[i].path = buf_span(&paths[i]);
	}
	CHECK_INT(path_names_make(list, 3, &none), 0);
	for (size_t i = 0; i < 3; i++) {
		struct span name = buf_span(&list[i].name);
		CHECK(name.n > 0 && name.n < 256 &&
		      !memchr(name.p, '/', name.n));
		CHECK(text_is_utf8(name));
		CHECK(!span_eq(name, buf_span(&list[(i + 1) % 3].name)));
	}
	for (size_t i = 0; i < 3; i++) {
		buf_free(&list[i].name);
		buf_free(&paths[i]);
	}
}

int main(void)
{
	check("", "");
	check("/home/ann/wc /home/bob/wc /home/bob/sort", "ann+wc bob+wc sort");
	/* The name of one is what another one's would become. */
	check("/h/a/wc /h/b/wc /h/a+wc", "+h+a+wc b+wc +h+a=pwc");
	check("/a/wc /wc wc", "a+wc +wc wc");
	check("/x/by-day /y/x.txt", "x+by-day y+x.txt");
	check("/home/-x /-y /me/.z .q -r /", "home+-x +-y me+.z =.q =-r +");
	check("/a//b /b", "a++b +b");
	check_long();
	return test_done("path_names");
}
