/* Sums of tokens and costs: in info, and in the meta of each entry. */
#include "tests/mounts/mounts.h"

/* An answer of Pi: id, parent, input tokens and all, cost. */
#define PAID(id, parent, input, all, cost)                              \
	MESSAGE(id, parent, "assistant",                                \
		",'content':[{'type':'text','text':'x'}],'provider':"   \
		"'p','model':'m','usage':{'input':" input ",'output':1" \
		",'cacheRead':2,'cacheWrite':3,'totalTokens':" all      \
		",'cost':{'input':0,'output':0,'cacheRead':0,"          \
		"'cacheWrite':0,'total':" cost "}}")
#define TEN PAID("00000002", "'00000001'", "4", "10", "0.5")

/* The lines of sums in a file. */
static struct span sums_in(const char *path)
{
	static struct buf sums;
	buf_clear(&sums);
	for (struct span rest = text_of(path); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'), words = line;
		struct span key = span_next(&words, ':');
		if (!span_eq(key, SPAN("path-tokens")) &&
		    !span_eq(key, SPAN("path-cost")) &&
		    !span_eq(key, SPAN("session-tokens")) &&
		    !span_eq(key, SPAN("session-cost")))
			continue;
		buf_add(&sums, line);
		buf_addc(&sums, '\n');
	}
	return buf_span(&sums);
}

#define CHECK_SUMS(path, want) CHECK_SPAN(sums_in(path), span_of(want))
/* Of both kinds, and with a cost: of the path to HEAD, and of the session. */
#define PATH(tokens, cost) "path-tokens: " tokens "\npath-cost: " cost "\n"
#define ALL(tokens, cost) "session-tokens: " tokens "\nsession-cost: " cost "\n"

/* Rules: R2 P3 */
static void pi(void)
{
	mount_lines(HEADER USER("00000001", "null", "one") TEN PAID(
		"00000003", "'00000002'", "14", "20",
		"0.25") PAID("00000004", "'00000001'", "94", "100", "0.125"));
	CHECK_SUMS("info", PATH("100", "0.125") ALL("130", "0.875"));
	CHECK_VALUE("by-id/00000001/meta", "id", "00000001");
	CHECK(!has("by-id/00000001/meta", "tokens"));
	CHECK_SUMS("by-id/00000002/meta", PATH("10", "0.5"));
	CHECK_SUMS("by-id/00000003/meta", PATH("30", "0.75"));
	CHECK_SUMS("by-id/00000004/meta", PATH("100", "0.125"));
	CHECK_VALUE("by-id/00000003/meta", "tokens", "20");
	CHECK_INT(move_head("by-id/00000003"), 0);
	CHECK_SUMS("info", PATH("30", "0.75") ALL("130", "0.875"));
	CHECK_INT(move_head("tree"), 0);
	CHECK_SUMS("info", ALL("130", "0.875"));
}

static void they_grow(void)
{
	static const char session[] =
		HEADER USER("00000001", "null", "one") TEN;
	mount_lines(session);
	CHECK_SUMS("info", PATH("10", "0.5") ALL("10", "0.5"));
	test_append("session.jsonl",
		    PAID("00000003", "'00000002'", "4", "10", "0.5"));
	CHECK_SUMS("info", PATH("20", "1") ALL("20", "1"));
	CHECK_SUMS("by-id/00000003/meta", PATH("20", "1"));
	CHECK_INT(put("HEAD/label", "new\n"), 0);
	CHECK_SUMS("info", PATH("20", "1") ALL("20", "1"));
	const char *before = test_file("before", session);
	CHECK_INT(ERRNO(rename(before, mounts_session)), 0);
	CHECK_SUMS("info", PATH("10", "0.5") ALL("10", "0.5"));
	CHECK_SUMS("by-id/00000002/meta", PATH("10", "0.5"));
}

#define SESSION_ID "'5e55f500-0000-4000-8000-000000000001'"

static void long_path(void)
{
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	for (unsigned i = 0; i < 20000; i++) {
		char up[16] = "null";
		if (i > 0)
			snprintf(up, sizeof(up), "'%08x'", i - 1);
		buf_addf(&b,
			 MESSAGE("%08x", "%s", "assistant",
				 ",'content':[],'usage':{'input':1,'output':1,"
				 "'cost':{'total':0.001}}"),
			 i, up);
	}
	test_need(buf_cstr(&b) != NULL, "memory");
	mount_lines(b.data);
	buf_free(&b);
	CHECK_SUMS("HEAD/meta", PATH("40000", "20"));
	CHECK_SUMS("by-id/000003e7/meta", PATH("2000", "1"));
	CHECK_SUMS("info", PATH("40000", "20") ALL("40000", "20"));
}

#define COST(total)                                    \
	"{'type':'cost-state','sessionId':" SESSION_ID \
	",'totalCostUSD':" total "}\n"

static void as_the_agent_says(void)
{
	test_copy(filled("%s/tests/corpus/claude/usage-that-the-agent-says/"
			 "in.jsonl",
			 mounts_root),
		  mounts_session);
	mount_session();
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	CHECK_INT(HEAR(sessfs_program(), "list", mounts_session), 0);
	unsetenv("XDG_CACHE_HOME");
	struct span rest = buf_span(&mounts_output),
		    line = span_next(&rest, '\n'), cost = { "", 0 };
	for (int i = 0; i < 7; i++)
		cost = span_next(&line, '\t');
	CHECK_SPAN(cost, SPAN("0.75"));
	CHECK_INT(rest.n, 0);
	test_append("session.jsonl", COST("1"));
	CHECK_SUMS("info", "session-cost: 1\n");
}

static const struct mounts_test tests[] = {
	TEST("Pi: the path to HEAD, and the whole session", pi),
	TEST("sums grow with the session, and start again with a new file",
	     they_grow),
	TEST("a path of 20,000 entries is summed from its end", long_path),
	TEST("Claude Code: what the agent says that the session has cost",
	     as_the_agent_says),
};
RUN_TESTS(tests)
