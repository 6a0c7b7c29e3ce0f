#include "core/base64.h"
#include "tests/unit/test.h"

/* Buffer.from(text, 'base64'), by Node. */
static const struct {
	const char *text;
	struct span bytes;
} rows[] = {
	{ "", SPAN("") },
	{ "YWJj", SPAN("abc") },
	{ "YWI=", SPAN("ab") },
	{ "YQ==", SPAN("a") },
	{ "YWI", SPAN("ab") },
	{ "YQ", SPAN("a") },
	{ "Y", SPAN("") },
	{ "YWJjZA", SPAN("abcd") },
	{ "AAAA", SPAN("\0\0\0") },
	{ "+/+/", SPAN("\xFB\xFF\xBF") },
	{ "-_-_", SPAN("\xFB\xFF\xBF") },
	{ "YW Jj\r\n", SPAN("abc") },
	{ "YW*J\xC3\x84j", SPAN("abc") },
	{ "YQ==YQ==", SPAN("a") },
	{ "YQ=YQ", SPAN("a") },
	{ "====", SPAN("") },
	{ "iVBORw0KGgo=", SPAN("\x89PNG\r\n\x1A\n") },
};

int main(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		base64_decode(&b, span_of(rows[i].text));
		CHECK_SPAN(buf_span(&b), rows[i].bytes);
		buf_clear(&b);
	}
	test_row = NULL;
	/* It appends. */
	buf_adds(&b, "x");
	base64_decode(&b, SPAN("YQ=="));
	CHECK_BUF(&b, "xa");
	buf_free(&b);
	return test_done("base64");
}
