#include "core/dialects/omp/text.h"

#include <math.h>

#include "core/json/js.h"
#include "tests/unit/test.h"

static const struct {
	double value;
	const char *plain;
	const char *fixed;
	const char *grouped;
} numbers[] = {
	{ 0, "0", "0.0", "0" },
	{ 1, "1", "1.0", "1" },
	{ 999, "999", "999.0", "999" },
	{ 1000, "1000", "1000.0", "1,000" },
	{ 1234567.8914, "1234567.8914", "1234567.9", "1,234,567.891" },
	{ -1234.5, "-1234.5", "-1234.5", "-1,234.5" },
	/* Ties, which printf would round to even. */
	{ 0.25, "0.25", "0.3", "0.25" },
	{ -0.25, "-0.25", "-0.3", "-0.25" },
	{ 1.35, "1.35", "1.4", "1.35" }, /* above 1.35 */
	{ 1.45, "1.45", "1.4", "1.45" }, /* below 1.45 */
	{ 0.0625, "0.0625", "0.1", "0.063" },
	/* It is the digits that are grouped, the double that is fixed. */
	{ -0.0, "0", "0.0", "-0" },
	{ -0.0001, "-0.0001", "-0.0", "-0" },
	{ 5e-324, "5e-324", "0.0", "0" },
	{ 0.0005, "0.0005", "0.0", "0.001" },
	{ 1.0005, "1.0005", "1.0", "1.001" }, /* below 1.0005 */
	{ 999.9995, "999.9995", "1000.0", "1,000" },
	{ 9007199254740991, "9007199254740991", "9007199254740991.0",
	  "9,007,199,254,740,991" },
	{ 1052538145903878.5, "1052538145903878.5", "1052538145903878.5",
	  "1,052,538,145,903,878.5" },
	{ 44679229904346340000.0, "44679229904346340000",
	  "44679229904346341376.0", "44,679,229,904,346,340,000" },
	{ 1e23, "1e+23", "1e+23", "100,000,000,000,000,000,000,000" },
	{ -1.5e21, "-1.5e+21", "-1.5e+21", "-1,500,000,000,000,000,000,000" },
	{ 1e21, "1e+21", "1e+21", "1,000,000,000,000,000,000,000" },
	{ INFINITY, "Infinity", "Infinity", "\xE2\x88\x9E" },
	{ NAN, "NaN", "NaN", "NaN" },
};

static void check_numbers(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(numbers); i++) {
		test_row = numbers[i].plain;
		js_add_number(&b, numbers[i].value);
		CHECK_BUF(&b, numbers[i].plain);
		omp_add_fixed(&b, numbers[i].value);
		CHECK_BUF(&b, numbers[i].fixed);
		omp_add_grouped(&b, numbers[i].value);
		CHECK_BUF(&b, numbers[i].grouped);
	}
	test_row = NULL;
	buf_free(&b);
}

static void check_conversion(void)
{
	static const struct {
		struct span value;
		double number;
	} rows[] = {
		{ SPAN("1.5"), 1.5 },	{ SPAN("\" 7 \""), 7 },
		{ SPAN("\"\""), 0 },	{ SPAN("null"), 0 },
		{ SPAN("true"), 1 },	{ SPAN("false"), 0 },
		{ SPAN("\"x\""), NAN }, { SPAN("{}"), NAN },
		{ { NULL, 0 }, NAN },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		double got = omp_number((struct json){ .raw = rows[i].value });
		CHECK(isnan(rows[i].number) ? isnan(got)
					    : got == rows[i].number);
	}
}

static void check_space(void)
{
	CHECK_SPAN(omp_trim_start(SPAN(" \xC2\xA0\na ")), SPAN("a "));
	CHECK_SPAN(omp_trim_end(SPAN(" a\xEF\xBB\xBF\t")), SPAN(" a"));
	CHECK_SPAN(omp_trim_end(SPAN(" \t")), SPAN(""));
	CHECK(omp_is_blank(SPAN("\xE2\x80\xA8 ")));
	CHECK(!omp_is_blank(SPAN("\xE2\x80\x8B")));
	CHECK(!omp_is_blank(SPAN("\0")));
	CHECK_INT(omp_space_run(SPAN("\v\xE3\x80\x80x ")), 4);
	CHECK(omp_has_terminator(SPAN("a\xE2\x80\xA9")));
	CHECK(omp_has_terminator(SPAN("\r")));
	CHECK(!omp_has_terminator(SPAN("a\v\xC2\x85")));
	CHECK_INT(omp_units(SPAN("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"
				 "\xED\xA0\xBD")),
		  6);
}

int main(void)
{
	check_numbers();
	check_conversion();
	check_space();
	return test_done("omp_text");
}
