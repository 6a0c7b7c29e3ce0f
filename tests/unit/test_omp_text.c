#include "core/dialects/omp/omp.h"

#include <math.h>

#include "tests/unit/test.h"

static const struct {
	double value;
	const char *fixed;
	const char *grouped;
} numbers[] = {
	{ 0, "0.0", "0" },
	{ 1, "1.0", "1" },
	{ 999, "999.0", "999" },
	{ 1000, "1000.0", "1,000" },
	{ 1234567, "1234567.0", "1,234,567" },
	/* Ties, which printf would round to even. */
	{ 0.25, "0.3", "0.25" },
	{ 0.75, "0.8", "0.75" },
	{ 1.35, "1.4", "1.35" }, /* above 1.35 */
	{ 1.45, "1.4", "1.45" }, /* below 1.45 */
	{ 0.0625, "0.1", "0.0625" },
	/* The agent writes none of these. */
	{ -1234, "-1234.0", "-1234" },
	{ 1e15, "1000000000000000.0", "1000000000000000" },
};

TEST(check_numbers)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(numbers); i++) {
		test_row = numbers[i].fixed;
		omp_add_fixed(&b, numbers[i].value);
		CHECK_BUF(&b, numbers[i].fixed);
		omp_add_grouped(&b, numbers[i].value);
		CHECK_BUF(&b, numbers[i].grouped);
	}
	omp_add_grouped(&b, NAN);
	CHECK_BUF(&b, "NaN");
	test_row = NULL;
	buf_free(&b);
}

TEST(check_space)
{
	CHECK_SPAN(omp_trim_end(SPAN(" a\xEF\xBB\xBF\t")), SPAN(" a"));
	CHECK_SPAN(omp_trim_end(SPAN(" \t")), SPAN(""));
	CHECK_INT(omp_space_run(SPAN("\v\xE3\x80\x80x ")), 4);
	CHECK_INT(omp_space_run(SPAN("\xE2\x80\x8B")), 0);
	CHECK_INT(omp_space_run(SPAN("\0")), 0);
}

RUN_TESTS("omp_text")
