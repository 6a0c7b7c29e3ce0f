/* What a file is called does not make it two lines; the lines are in the
 * corpus, check.txt. */
#include "core/show/check.h"

#include "core/session/dialect.h"
#include "tests/unit/test.h"

static struct unopened unopened(const struct session *s)
{
	(void)s;
	return (struct unopened){ .why = "no header" };
}

int main(void)
{
	static const struct dialect_reading reading = { .ingest = NULL };
	static const struct dialect_agent agent = { .unopened = unopened };
	static const struct dialect d = { .reading = &reading,
					  .agent = &agent };
	struct session s = { .dialect = &d, .now.sidecar_fault = "x" };
	struct buf out = { 0 };
	problems_note(&s.now.problems, PROBLEM_JSON, 1);
	check_add_lines(&s, SPAN("a\nb\x1b[2Jc"), &out);
	CHECK_BUF(&out,
		  "a\\nb\\u001b[2Jc: no header: the agent will not open it\n"
		  "a\\nb\\u001b[2Jc: sidecar: x\n"
		  "a\\nb\\u001b[2Jc:1: not JSON\n");
	buf_free(&out);
	return test_done("check");
}
