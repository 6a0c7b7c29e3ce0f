#include "core/dialects/omp/omp.h"

#include <math.h>

#include "tests/unit/tables.h"

TABLE(check_number, "omp_text")
{
	double number = strtod(row_text(r, 0), NULL);
	omp_add_fixed(made, number);
	CHECK_SPAN(buf_span(made), row_field(r, 1));
	buf_clear(made);
	omp_add_grouped(made, number);
}

TEST(check_nan)
{
	struct buf b = { 0 };
	omp_add_grouped(&b, NAN);
	CHECK_BUF(&b, "NaN");
	buf_free(&b);
}

TEST(check_space)
{
	CHECK_INT(omp_space_run(SPAN("\v\xE3\x80\x80x ")), 4);
	CHECK_INT(omp_space_run(SPAN("\xE2\x80\x8B")), 0);
	CHECK_INT(omp_space_run(SPAN("\0")), 0);
}

RUN_TESTS("omp_text")
