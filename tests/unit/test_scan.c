/*
 * Texts at every place of a block of memory, for the checks of the fuzz target:
 * tests/fuzz/scan.c reads them slowly.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/unit/tables.h"

/* More than two blocks of 64. */
#define PLACES 131

static void check(const struct buf *text)
{
	test_checks++;
	LLVMFuzzerTestOneInput((const uint8_t *)text->data, text->len);
}

/* A string that holds this behind so many bytes, and others behind it. */
static void check_at(struct span what)
{
	static const size_t behind[] = { 0, 31, 64 };
	struct buf text = { 0 };
	for (size_t i = 0; i < PLACES * COUNT(behind); i++) {
		buf_clear(&text);
		buf_addc(&text, '"');
		buf_fill(&text, 'a', i / COUNT(behind));
		buf_add(&text, what);
		buf_fill(&text, 'b', behind[i % COUNT(behind)]);
		/* It is not closed, it is, and what follows is looked at. */
		check(&text);
		buf_addc(&text, '"');
		check(&text);
		buf_adds(&text, "\n\"\\\x01");
		check(&text);
	}
	buf_free(&text);
}

TABLE(check_part, "scan/parts")
{
	check_at(row_field(r, 0));
	buf_add(made, row_field(r, 0));
}

TEST(check_bytes)
{
	for (int c = 0; c < 256; c++) {
		const char byte = (char)c;
		check_at((struct span){ &byte, 1 });
	}
}

/* Of a run of backslashes each second one is escaped, wherever it begins. */
TEST(check_runs)
{
	struct buf text = { 0 };
	for (size_t place = 0; place < PLACES; place++) {
		for (size_t run = 1; run <= 70; run++) {
			buf_clear(&text);
			buf_addc(&text, '"');
			buf_fill(&text, 'a', place);
			buf_fill(&text, '\\', run);
			check(&text);
			buf_addc(&text, '"');
			check(&text);
			buf_fill(&text, 'b', 80);
			check(&text);
			buf_addc(&text, '"');
			check(&text);
		}
	}
	buf_free(&text);
}

/* A text that ends in the middle of an escape. */
TEST(check_cut)
{
	struct span escape = SPAN("\\u00e4");
	for (size_t n = 1; n <= escape.n; n++)
		check_at((struct span){ escape.p, n });
}

/* It ends where it ends, wherever its memory does. */
TABLE(check_text, "scan/texts")
{
	struct buf text = { 0 };
	check(&text);
	for (size_t n = 0; n < r->fields[0].len; n++) {
		buf_addc(&text, r->fields[0].data[n]);
		check(&text);
	}
	row_json(r, 0);
	buf_addc(&text, 'x');
	check(&text);
	buf_free(&text);
	buf_adds(made, "json");
}

RUN_TESTS("scan")
