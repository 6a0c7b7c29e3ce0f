#include "core/dialects/omp/omp.h"

#include "tests/unit/test.h"

/* Each row has been held against pi-utils 18.2.0, prompt.ts, format(). */
static const struct {
	struct span text;
	struct span formatted;
} rows[] = {
	{ SPAN(""), SPAN("") },
	{ SPAN("a"), SPAN("a") },
	/* The ends of lines. */
	{ SPAN("a \t\r\nb\xC2\xA0\xE3\x80\x80\n"), SPAN("a\nb") },
	{ SPAN("a\0 \nb"), SPAN("a\0\nb") },
	{ SPAN("a\xE2\x80\x8B \nb"), SPAN("a\xE2\x80\x8B\nb") },
	/* Empty lines. */
	{ SPAN("\na\n"), SPAN("a") },
	{ SPAN("a\n\nb"), SPAN("a\n\nb") },
	{ SPAN("a\n \nb"), SPAN("a\n\nb") },
	{ SPAN("a\n\n\nb"), SPAN("a\nb") },
	{ SPAN("a\n\n \t\n\n\nb\n\nc"), SPAN("a\nb\n\nc") },
	{ SPAN("\n\n\n"), SPAN("") },
	/* Closing tags. */
	{ SPAN("<a>\n\nx\n\n</a>"), SPAN("<a>\n\nx\n</a>") },
	{ SPAN("x\n\n  </a-b_c>"), SPAN("x\n  </a-b_c>") },
	{ SPAN("x\n\n</A>"), SPAN("x\n\n</A>") },
	{ SPAN("x\n\n</a> y"), SPAN("x\n\n</a> y") },
	{ SPAN("x\n\n</a"), SPAN("x\n\n</a") },
	{ SPAN("x\n\n</>"), SPAN("x\n\n</>") },
	{ SPAN("x\n\n\xC2\xA0</a>"), SPAN("x\n\xC2\xA0</a>") },
	{ SPAN("x\n\n\v</a>"), SPAN("x\n\n\v</a>") },
	/* Tables. */
	{ SPAN("|  a |b  |"), SPAN("|a|b|") },
	{ SPAN("  | a |"), SPAN("  |a|") },
	{ SPAN("| a | b"), SPAN("| a | b") },
	{ SPAN("|"), SPAN("|") },
	{ SPAN("||"), SPAN("||") },
	{ SPAN("| |"), SPAN("||") },
	{ SPAN("| --- |:--| -: | :-: | : |"),
	  SPAN("|---|:---|---:|:---:|:---:|") },
	{ SPAN("|-- | |--|"), SPAN("|---|---|") },
	{ SPAN("| a\r| b |"), SPAN("| a\r| b |") },
	{ SPAN("|-\r|-|"), SPAN("|---|---|") },
	{ SPAN("| a\xE2\x80\xA8 |"), SPAN("| a\xE2\x80\xA8 |") },
	/* Fences. */
	{ SPAN("```c\n| a |  \n\n\n</a>\n```\n| a |"),
	  SPAN("```c\n| a |\n\n\n</a>\n```\n|a|") },
	{ SPAN("~~~\n| a |\n```\n| b |"), SPAN("~~~\n| a |\n```\n|b|") },
	{ SPAN(" ```\n\n\n"), SPAN(" ```") },
	{ SPAN("``\n| a |"), SPAN("``\n|a|") },
	/* Halves of pairs, as WTF-8 has them. */
	{ SPAN("\xED\xA0\xBD \n| \xED\xB8\x80 |"),
	  SPAN("\xED\xA0\xBD\n|\xED\xB8\x80|") },
};

static void check_rows(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text.p;
		buf_adds(&b, "before");
		omp_format(&b, rows[i].text);
		CHECK(span_starts(buf_span(&b), SPAN("before")));
		CHECK_SPAN(((struct span){ b.data + 6, b.len - 6 }),
			   rows[i].formatted);
		buf_clear(&b);
	}
	test_row = NULL;
	buf_free(&b);
}

static void check_prompts(void)
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
static void check_cost(void)
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

int main(void)
{
	check_rows();
	check_prompts();
	check_cost();
	return test_done("omp_prompt");
}
