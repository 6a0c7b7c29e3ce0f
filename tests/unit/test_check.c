/* What a file is called does not make it two lines; the lines are in the
 * corpus, check.txt. */
#include "core/show/check.h"

#include "tests/unit/test.h"

int main(void)
{
	struct check c = { .unopened.why = "no header", .sidecar = "x" };
	struct buf out = { 0 };
	problems_note(&c.problems, PROBLEM_JSON, 1);
	check_add_lines(&c, SPAN("a\nb\x1b[2Jc"), &out);
	CHECK_BUF(&out,
		  "a\\nb\\u001b[2Jc: no header: the agent will not open it\n"
		  "a\\nb\\u001b[2Jc: sidecar: x\n"
		  "a\\nb\\u001b[2Jc:1: not JSON\n");
	buf_free(&out);
	return test_done("check");
}
