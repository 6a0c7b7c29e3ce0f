#include "core/problems.h"
#include "tests/unit/test.h"

int main(void)
{
	static struct problems p;
	struct buf b = { 0 };

	problems_add(&p, &b);
	CHECK_BUF(&b, "");

	problems_note(&p, PROBLEM_JSON, 3);
	problems_add(&p, &b);
	CHECK_BUF(&b, "bad-lines: 1 (line 3)\n");

	static const uint32_t lines[] = { 5, 6, 7, 9, 11, 12 };
	for (size_t i = 0; i < COUNT(lines); i++)
		problems_note(&p, PROBLEM_JSON, lines[i]);
	problems_note(&p, PROBLEM_DUPLICATE, 2);
	problems_note(&p, PROBLEM_DUPLICATE, 3);
	problems_add(&p, &b);
	CHECK_BUF(&b, "bad-lines: 7 (lines 3, 5-7, 9, 11-12)\n"
		      "duplicate-ids: 2 (lines 2-3)\n");

	/* Beyond the limit they are counted. */
	p = (struct problems){ 0 };
	for (uint32_t i = 0; i < PROBLEM_LINES; i++)
		problems_note(&p, PROBLEM_ORPHAN, i + 1);
	problems_add(&p, &b);
	CHECK_BUF(&b, "missing-parents: 200 (lines 1-200)\n");
	for (uint32_t i = 0; i < 100; i++)
		problems_note(&p, PROBLEM_ORPHAN, 1000 + i);
	problems_add(&p, &b);
	CHECK_BUF(&b, "missing-parents: 300 (lines 1-200, …)\n");

	/* Every kind has a line. */
	p = (struct problems){ 0 };
	for (int k = 0; k < PROBLEM_COUNT; k++)
		problems_note(&p, (enum problem)k, 1);
	problems_add(&p, &b);
	int newlines = 0;
	for (size_t i = 0; i < b.len; i++)
		newlines += b.data[i] == '\n';
	CHECK_INT(newlines, PROBLEM_COUNT);
	buf_free(&b);
	return test_done("problems");
}
