#include "core/json/document.h"

#include "tests/unit/tables.h"

TABLE(check_row, "document")
{
	struct document d = { 0 };
	bool is = document_parse(&d, row_field(r, 0));
	const char *text = is ? document_text(&d, "a") : "no document";
	buf_adds(made, text ? text : "none");
	document_free(&d);
}

/* Deep or large ones are none, and cost no stack. */
TEST(check_limits)
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

RUN_TESTS("document")
