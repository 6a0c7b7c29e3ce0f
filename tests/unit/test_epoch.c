/* What a change of a session's file asks for. */
#include "core/session/epoch.h"
#include "tests/unit/test.h"

static const struct {
	const char *name;
	struct reading_news news;
	struct reading_plan plan;
} rows[] = {
	{ "same", { .change = VERSION_SAME }, { COMPARE_NOTHING, THEN_KEEP } },
	{ "same, just appended to",
	  { .change = VERSION_SAME, .unsettled = COMPARE_ENDS },
	  { COMPARE_ENDS, THEN_KEEP } },
	{ "same, just written",
	  { .change = VERSION_SAME, .unsettled = COMPARE_ALL },
	  { COMPARE_ALL, THEN_KEEP } },
	{ "same, opened again",
	  { .change = VERSION_SAME, .reopened = true },
	  { COMPARE_NOTHING, THEN_KEEP } },
	{ "same, opened again, just appended to",
	  { .change = VERSION_SAME,
	    .reopened = true,
	    .unsettled = COMPARE_ENDS },
	  { COMPARE_ALL, THEN_KEEP } },
	{ "same, but a line differed",
	  { .change = VERSION_SAME, .doubted = true },
	  { COMPARE_ALL, THEN_KEEP } },
	{ "touched",
	  { .change = VERSION_TOUCHED },
	  { COMPARE_ALL, THEN_KEEP } },
	{ "grew", { .change = VERSION_GREW }, { COMPARE_ENDS, THEN_GROW } },
	{ "grew, just written",
	  { .change = VERSION_GREW, .unsettled = COMPARE_ALL },
	  { COMPARE_ENDS, THEN_GROW } },
	{ "grew, opened again",
	  { .change = VERSION_GREW, .reopened = true },
	  { COMPARE_ALL, THEN_GROW } },
	{ "grew, but a line differed",
	  { .change = VERSION_GREW, .doubted = true },
	  { COMPARE_ALL, THEN_GROW } },
	{ "grew, its base touched",
	  { .change = VERSION_GREW_TOUCHED },
	  { COMPARE_ALL, THEN_GROW } },
	{ "another file",
	  { .change = VERSION_REPLACED },
	  { COMPARE_NOTHING, THEN_READ } },
	{ "another file, and a line differed",
	  { .change = VERSION_REPLACED, .doubted = true },
	  { COMPARE_NOTHING, THEN_READ } },
	{ "deleted",
	  { .change = VERSION_DELETED },
	  { COMPARE_NOTHING, THEN_READ } },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct reading_plan plan = reading_plan(&rows[i].news);
		test_row = rows[i].name;
		CHECK_INT(plan.compare, rows[i].plan.compare);
		CHECK_INT(plan.then, rows[i].plan.then);
	}
	return test_done("epoch");
}
