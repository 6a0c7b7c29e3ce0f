#include "core/base/path_names.h"

#include "core/base/text.h"
#include "tests/unit/tables.h"

TABLE(check_names, "path_names")
{
	static const struct span reserved[] = { SPAN("by-day"), SPAN("x.txt") };
	const struct path_names_taken taken = { reserved, COUNT(reserved) };
	struct path_name list[8] = { 0 };
	struct span rest = row_field(r, 0);
	size_t n = 0;
	while (rest.n > 0)
		list[n++].path = span_next(&rest, ' ');
	CHECK_INT(path_names_make(list, n, &taken), 0);
	for (size_t i = 0; i < n; i++) {
		buf_adds(made, i > 0 ? " " : "");
		buf_add(made, buf_span(&list[i].name));
		buf_free(&list[i].name);
	}
}

/* They end, differ, and are file names. */
TEST(check_long)
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

RUN_TESTS("path_names")
