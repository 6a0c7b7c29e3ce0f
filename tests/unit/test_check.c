#include "core/show/check.h"

#include "tests/unit/test.h"

#define CLAUDE_LINE(id, parent)                                              \
	"{'type':'user','uuid':'" id "','parentUuid':" parent                \
	",'isSidechain':false,'sessionId':'5e55f500-0000-4000-8000-00000000" \
	"0001','timestamp':'2026-03-01T10:00:01.000Z','message':{'role':"    \
	"'user','content':'x'}}\n"

/* What is said of each file, for people and for `info`. */
static const struct {
	const char *lines;
	const char *sidecar; /* of a Go tree, or NULL */
	const char *want;
	const char *info;
} rows[] = {
	{ HEADER USER("a", "null", "1") USER("b", "'a'", "2"), NULL, "", "" },
	{ HEADER "{'type':'custom','id':'a'}\n", NULL, "", "" },
	{ "", NULL, "s: no header: the agent will not open it\n",
	  "not-opened: no header\n" },
	{ USER("a", "null", "1") HEADER, NULL,
	  "s: late header: the agent will not open it\n",
	  "not-opened: late header\n" },
	{ USER("a", "null", "1") "x\n", NULL,
	  "s: no header: the agent will not open it\ns:2: not JSON\n",
	  "not-opened: no header\n"
	  "bad-lines: 1 (line 2)\n" },
	/* All that can be wrong with a line. */
	{ OMP_HEADER USER("c", "'d'", "1") "x\n" USER("d", "'c'", "2")
		  USER("a", "'gone'", "3") "7\n" USER("e", "null", "4")
			  HEADER USER("e", "'d'", "5") "{'type':'mess",
	  NULL,
	  "s:2: cycle of parents: cut here\n"
	  "s:3: not JSON\n"
	  "s:5: missing parent: shown as a root\n"
	  "s:6: not an entry: no id\n"
	  "s:8: another header\n"
	  "s:9: duplicate id: this line replaces the earlier one\n"
	  "s:10: incomplete last line: no newline yet\n",
	  "bad-lines: 1 (line 3)\n"
	  "lines-without-id: 1 (line 6)\n"
	  "extra-headers: 1 (line 8)\n"
	  "duplicate-ids: 1 (line 9)\n"
	  "missing-parents: 1 (line 5)\n"
	  "cycles: 1 (line 2)\n"
	  "torn-last-line: 1 (line 10)\n" },
	/* Of Claude Code it hangs on another line. */
	{ CLAUDE_LINE("a", "null") CLAUDE_LINE("b", "'gone'"), NULL,
	  "s:2: missing parent: the agent goes on from the newest line before "
	  "it\n",
	  "bridged: 1 (line 2)\n" },
	/* The last line counts as it is. */
	{ HEADER "{'type':'custom','id':'a','parentId':'x'}", NULL,
	  "s:2: missing parent: shown as a root\n",
	  "missing-parents: 1 (line 2)\n" },
	{ "{'id':'01HZZZZZZZ0000000000000001','kind':'turn.user',"
	  "'ts':'2026-05-01T00:00:01Z','payload':{'text':'x'}}\n",
	  "{", "s: sidecar: damaged and ignored\n", "" },
};

static void check_row(size_t i)
{
	struct check c;
	struct buf out = { 0 };
	test_row = rows[i].lines;
	if (rows[i].sidecar)
		test_file("s.head.json", rows[i].sidecar);
	struct session *s = test_session(rows[i].lines);
	check_session(s, &c);
	check_add_lines(&c, SPAN("s"), &out);
	CHECK_BUF(&out, rows[i].want);
	check_add_info(&c, &out);
	CHECK_BUF(&out, rows[i].info);
	test_close(s);
	buf_free(&out);
	test_row = NULL;
}

int main(void)
{
	struct check c = { .unopened.why = "no header", .sidecar = "x" };
	struct buf out = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);

	/* What a file is called does not make it two lines. */
	problems_note(&c.problems, PROBLEM_JSON, 1);
	check_add_lines(&c, SPAN("a\nb\x1b[2Jc"), &out);
	CHECK_BUF(&out,
		  "a\\nb\\u001b[2Jc: no header: the agent will not open it\n"
		  "a\\nb\\u001b[2Jc: sidecar: x\n"
		  "a\\nb\\u001b[2Jc:1: not JSON\n");
	buf_free(&out);
	return test_done("check");
}
