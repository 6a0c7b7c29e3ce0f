#include "core/session/problems.h"
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

	/* By line: whatever kind they are of. */
	p = (struct problems){ 0 };
	problems_add_lines(&p, "x", &b);
	CHECK_BUF(&b, "");
	problems_note(&p, PROBLEM_JSON, 7);
	problems_note(&p, PROBLEM_JSON, 10);
	problems_note(&p, PROBLEM_ORPHAN, 10);
	problems_note(&p, PROBLEM_ORPHAN, 3);
	problems_note(&p, PROBLEM_TORN, 4000000000u);
	problems_add_lines(&p, "a b.jsonl", &b);
	CHECK_BUF(&b, "a b.jsonl:3: missing parent: shown as a root\n"
		      "a b.jsonl:7: not JSON\n"
		      "a b.jsonl:10: not JSON\n"
		      "a b.jsonl:10: missing parent: shown as a root\n"
		      "a b.jsonl:4000000000: incomplete last line: "
		      "no newline yet\n");
	p = (struct problems){ 0 };
	for (uint32_t i = 0; i < PROBLEM_LINES + 3; i++)
		problems_note(&p, PROBLEM_CYCLE, i + 1);
	problems_add_lines(&p, "x", &b);
	size_t first = strlen("x:1: cycle of parents: cut here\n");
	CHECK_SPAN(((struct span){ b.data, first }),
		   SPAN("x:1: cycle of parents: cut here\n"));
	static const char last[] = "x:200: cycle of parents: cut here\n"
				   "x: 3 more lines: cycle of parents: "
				   "cut here\n";
	size_t n_last = strlen(last);
	CHECK_SPAN(((struct span){ b.data + b.len - n_last, n_last }),
		   span_of(last));
	buf_clear(&b);

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
