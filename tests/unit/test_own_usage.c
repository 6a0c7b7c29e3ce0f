/*
 * What is kept of TOKENS and COST of forks. What they are is in the corpus,
 * own-usage-*.
 */
#include "core/show/usage.h"

#include "core/catalogue/summary.h"
#include "tests/unit/test.h"

#define ID(n) "0198f000-0000-7000-8000-00000000000" n
#define FILE_OF(n) "t_" ID(n) ".jsonl"
#define HEAD_OF(n, rest)                                                    \
	"{'type':'session','version':3,'id':'" ID(                          \
		n) "',"                                                     \
		   "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/w'" rest \
		   "}\n"
#define FORK_OF(n, base) HEAD_OF(n, ",'parentSession':'" FILE_OF(base) "'")
#define ANSWER(id, tokens)                                                   \
	MESSAGE(id, "null", "assistant",                                     \
		",'content':[],'usage':{'input':" tokens ",'output':0,"      \
		"'cacheRead':0,'cacheWrite':0,'cost':{'total':0." tokens "}" \
		"}")

/* "TOKENS COST" of the session in a file, and whether it can be kept. */
static void check_own(const char *file, const char *want)
{
	struct session *s = test_open(test_path(file));
	struct summary m = { 0 };
	struct buf got = { 0 };
	test_row = file;
	CHECK_INT(summary_make(s, &m), 0);
	buf_add(&got, summary_column(&m, SUMMARY_TOKENS));
	buf_addc(&got, ' ');
	buf_add(&got, summary_column(&m, SUMMARY_COST));
	CHECK_BUF(&got, want);
	test_row = NULL;
	buf_free(&got);
	summary_free(&m);
	test_close(s);
}

/* What is kept of a fork is of use only while its base is there. */
TEST(check_kept)
{
	struct summary m = { 0 };
	struct summary again;
	test_file(FILE_OF("1"), HEAD_OF("1", "") ANSWER("a", "2"));
	test_file(FILE_OF("2"),
		  FORK_OF("2", "1") ANSWER("a", "2") ANSWER("b", "3"));
	struct session *s = test_open(test_path(FILE_OF("2")));
	CHECK_INT(summary_make(s, &m), 0);
	CHECK(summary_unpack(NULL, buf_span(&m.packed), &again));
	CHECK_SPAN(again.row, m.row);
	CHECK_SPAN(again.copied, m.copied);
	CHECK(again.copied.n > 0);
	summary_free(&again);
	for (size_t n = 0; n < m.packed.len; n++) {
		struct span cut = { m.packed.data, n };
		if (summary_unpack(NULL, cut, &again))
			summary_free(&again);
	}
	CHECK_INT(unlink(test_path(FILE_OF("1"))), 0);
	CHECK(!summary_unpack(NULL, buf_span(&m.packed), &again));
	test_close(s);
	check_own(FILE_OF("2"), "5 0.5");
	summary_free(&m);
}

RUN_TESTS("own_usage")
