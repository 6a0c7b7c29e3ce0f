#include "core/json/document.h"

#include "tests/unit/test.h"

static const struct {
	const char *bytes;
	bool is;
	const char *text; /* of "a"; NULL: none */
} rows[] = {
	{ "{\"a\":\"x\"}", true, "x" },
	{ " {\"b\":1, \"a\" : \"\\u00e9\\n\"} \r\n\t", true, "\xC3\xA9\n" },
	/* As JavaScript has it. */
	{ "{\"a\":\"x\",\"a\":\"y\"}", true, "y" },
	{ "{\"a\":\"x\",\"a\":1}", true, NULL },
	{ "{\"A\":\"x\",\"c\":{\"a\":\"y\"}}", true, NULL },
	{ "{}", true, NULL },
	{ "[\"a\",\"x\"]", true, NULL },
	{ "\"a\"", true, NULL },
	{ "", false, NULL },
	{ " ", false, NULL },
	{ "{\"a\":\"x\"} {", false, NULL },
	{ "{\"a\":\"x\"", false, NULL },
	{ "{a:\"x\"}", false, NULL },
};

static void check_rows(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct document d = { 0 };
		test_row = rows[i].bytes;
		bool is = document_parse(&d, span_of(rows[i].bytes));
		CHECK_INT(is, rows[i].is);
		const char *text = is ? document_text(&d, "a") : NULL;
		if (CHECK(!text == !rows[i].text) && text)
			CHECK_SPAN(span_of(text), span_of(rows[i].text));
		document_free(&d);
	}
	test_row = NULL;
}

/* Deep or large ones are none, and cost no stack. */
static void check_limits(void)
{
	struct document d = { 0 };
	struct buf deep = { 0 };
	buf_fill(&deep, '[', 100000);
	CHECK(!document_parse(&d, buf_span(&deep)));
	buf_clear(&deep);
	buf_adds(&deep, "{\"a\":\"");
	buf_fill(&deep, 'x', DOCUMENT_LIMIT);
	buf_adds(&deep, "\"}");
	CHECK(!document_parse(&d, buf_span(&deep)));
	buf_free(&deep);
}

int main(void)
{
	check_rows();
	check_limits();
	return test_done("document");
}
