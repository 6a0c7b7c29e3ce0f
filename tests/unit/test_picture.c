#include "core/base/base64.h"
#include "core/base/picture.h"
#include "tests/unit/tables.h"

TABLE(check_whole, "picture")
{
	struct buf bytes = { 0 };
	base64_decode(&bytes, row_field(r, 1));
	buf_adds(made, picture_is_whole(buf_span(&bytes)) ? "whole" : "-");
	/* No start of it is read beyond its end. */
	for (size_t n = 0; n < bytes.len; n++) {
		char *copy = malloc(n + 1);
		test_need(copy != NULL, "malloc");
		memcpy(copy, bytes.data, n);
		picture_is_whole((struct span){ copy, n });
		free(copy);
	}
	buf_free(&bytes);
}

TEST(check_mime)
{
	static const struct {
		struct span base64;
		const char *mime;
	} starts[] = {
		{ SPAN("iVBORw0KGgo="), "image/png" },
		{ SPAN("iVBORw0KGgoAAAANSUhEUg"), "image/png" },
		{ SPAN("iVBORw0KGg=="), "" },
		{ SPAN("/9j/"), "image/jpeg" },
		{ SPAN("\\/9j\\/4AA"), "image/jpeg" },
		{ SPAN("R0lGODlh"), "image/gif" },
		{ SPAN("UklGRgAA"), "image/webp" },
		{ SPAN("Qk06"), "" },
		{ SPAN(""), "" },
	};
	for (size_t i = 0; i < COUNT(starts); i++)
		CHECK_SPAN(picture_base64_mime(starts[i].base64),
			   span_of(starts[i].mime));
	CHECK_SPAN(picture_named_mime(SPAN("image/PNG")), SPAN("image/png"));
	CHECK_SPAN(picture_named_mime(SPAN("image/webp")), SPAN("image/webp"));
	CHECK_SPAN(picture_named_mime(SPAN("image/bmp")), SPAN(""));
	CHECK_SPAN(picture_named_mime(SPAN("")), SPAN(""));
}

RUN_TESTS("picture")
