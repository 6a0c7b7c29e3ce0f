/* The JSON in as/: what the APIs of models take. tests/lib/apis.py refuses what
 * they refuse. */
#include "tests/mounts/mounts.h"

static const char *const forms[] = { "as/anthropic.json", "as/openai.json",
				     "as/responses.json" };

/* No API refuses the contexts of the folders that a pattern of sh names. */
static void check_taken(const char *folders)
{
	char command[128];
	snprintf(command, sizeof(command), "exec python3 \"$1\" %s", folders);
	if (!CHECK_INT(
		    HEAR("sh", "-c", command, "-", fixture("../lib/apis.py")),
		    0))
		test_print("said", buf_span(&mounts_output));
}

static void of_every_format(void)
{
	CHECK(copy_fixtures("all", ".json") > 0);
	mount_source(test_path("all"));
	check_taken("*/ */by-id/*/");
}

/* What these have in as/ is in the corpus. */
static void of_odd_conversations(void)
{
	static const char *const cases[] = { "pi/as-in-any-order",
					     "claude/as-documents-and-tools" };
	for (size_t i = 0; i < COUNT(cases); i++) {
		test_row = cases[i];
		test_copy(filled("%s/tests/corpus/%s/in.jsonl", mounts_root,
				 cases[i]),
			  mounts_session);
		mount_session();
		check_taken(". by-id/*/");
		unmount();
	}
	test_row = NULL;
}

static void of_nothing(void)
{
	size_t n = 0;
	mount_lines(HEADER);
	check_taken(".");
	for (size_t i = 0; i < COUNT(forms); i++)
		CHECK_JSON(forms[i], "[]");
	for (struct span rest = names_in("as"); rest.n > 0;)
		n += span_ends(span_next(&rest, ' '), SPAN(".json"));
	CHECK_INT(n, COUNT(forms));
}

/* The lines of info that begin so. */
static struct span over_window(void)
{
	static struct buf lines;
	buf_clear(&lines);
	for (struct span rest = text_of("info"); rest.n > 0;) {
		struct span line = span_next_line(&rest);
		if (!memmem(line.p, line.n, "over-window", 11))
			continue;
		buf_add(&lines, line);
		buf_addc(&lines, '\n');
	}
	return buf_span(&lines);
}

static void too_large(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	buf_adds(&b, "{'type':'message','id':'e0000001','parentId':null,"
		     "'timestamp':'2026-03-01T10:00:01.000Z',"
		     "'message':{'role':'user','content':'");
	buf_fill(&b, '0', 900000);
	buf_adds(&b, "','timestamp':1772359201000}}\n"
		     "{'type':'message','id':'e0000002',"
		     "'parentId':'e0000001',"
		     "'timestamp':'2026-03-01T10:00:01.000Z',"
		     "'message':{'role':'assistant',"
		     "'content':[{'type':'text','text':'");
	buf_fill(&b, '0', 400000);
	buf_adds(&b, "'}]}}\n");
	mount_lines(buf_cstr(&b));
	buf_free(&b);
	CHECK_SPAN(over_window(),
		   SPAN("over-window: omp (about 325001 tokens of 272000)\n"
			"over-window: codex (about 325001 tokens of "
			"272000)\n"
			"over-window: qwen (about 325001 tokens of "
			"262144)\n"));
	CHECK_INT(move_head("by-id/e0000001"), 0);
	CHECK_VALUE("info", "dialect", "pi");
	CHECK_SPAN(over_window(), SPAN(""));
	unmount();
	mount_fixture("pi-v3-branches.jsonl");
	CHECK_VALUE("info", "dialect", "pi");
	CHECK_SPAN(over_window(), SPAN(""));
}

static const struct mounts_test tests[] = {
	TEST("the APIs take every entry of every format's sessions",
	     of_every_format),
	TEST("the APIs take calls and results in any order, with any ids, "
	     "names and arguments, and documents",
	     of_odd_conversations),
	TEST("a session that says nothing is [], before its first entry, too",
	     of_nothing),
	TEST("info names agents whose usual models do not take so large a "
	     "context, and no others",
	     too_large),
};
RUN_TESTS(tests)
