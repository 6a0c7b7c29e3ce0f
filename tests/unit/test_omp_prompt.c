#include "core/dialects/omp/omp.h"

#include "tests/unit/tables.h"

/* Each row has been held against pi-utils 18.2.0, prompt.ts, format(). */
TABLE(check_row, "omp_prompt")
{
	struct buf b = { 0 };
	buf_adds(&b, "before");
	omp_format(&b, row_field(r, 0));
	CHECK(span_starts(buf_span(&b), SPAN("before")));
	buf_add(made, (struct span){ b.data + 6, b.len - 6 });
	buf_free(&b);
}

TEST(check_prompts)
{
	struct buf b = { 0 };
	omp_prompt_add(&b, OMP_PROMPT_COMPACTION, SPAN(" | a |\n\n\nS \n\n"));
	CHECK_BUF(&b, "Prior model work/tool state available.\n"
		      "MUST build on prior work; NEVER duplicate prior work.\n"
		      "\n<summary>\n |a|\nS\n</summary>");
	omp_prompt_add(&b, OMP_PROMPT_BRANCH, SPAN(""));
	CHECK_BUF(&b, "Branch-return summary:\n\n<summary>\n</summary>");
	/* The tag is inside of a fence that nobody closed. */
	omp_prompt_add(&b, OMP_PROMPT_HANDOFF, SPAN("```\n\n"));
	CHECK(memmem(b.data, b.len, "<handoff>\n```\n\n\n</handoff>", 26));
	buf_clear(&b);
	omp_prompt_add(&b, OMP_PROMPT_NOTES, SPAN("N"));
	CHECK(memmem(b.data, b.len,
		     "revision:\nN\n</experimental-context-notes>", 41));
	buf_free(&b);
}

/* A megabyte of each kind of line is a moment's work. */
TEST(check_cost)
{
	static const char *const lines[] = { "\n",	    "| \n", "```\n\n",
					     "</a>\n\n",    "|-",   " ",
					     "\xE3\x80\x80" };
	struct buf in = { 0 };
	struct buf out = { 0 };
	for (size_t i = 0; i < COUNT(lines); i++) {
		buf_clear(&in);
		buf_clear(&out);
		while (in.len < 1000000)
			buf_adds(&in, lines[i]);
		buf_addc(&in, 'x');
		omp_format(&out, buf_span(&in));
		CHECK(out.len > 0 && out.data[out.len - 1] == 'x');
	}
	buf_free(&in);
	buf_free(&out);
}

RUN_TESTS("omp_prompt")
