/* TOKENS and COST of forks: what is no copy of their base's answers. */
#include "core/show/own_usage.h"

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

/* All counts once, whatever the order, and however often it is copied. */
static void check_forks(void)
{
	test_file(FILE_OF("1"),
		  HEAD_OF("1", "") ANSWER("a", "2") ANSWER("late", "7"));
	test_file(FILE_OF("2"), FORK_OF("2", "1") ANSWER("a", "2"));
	test_file(FILE_OF("3"),
		  FORK_OF("3", "1") ANSWER("a", "2") ANSWER("b", "3"));
	test_file(FILE_OF("4"), FORK_OF("4", "3") ANSWER("a", "2")
					ANSWER("b", "3") ANSWER("c", "1"));
	/* Only what is alike is a copy. */
	test_file(FILE_OF("5"), FORK_OF("5", "1") ANSWER("a", "5"));
	test_file(FILE_OF("6"), FORK_OF("6", "9") ANSWER("a", "2"));
	check_own(FILE_OF("1"), "9 0.9");
	check_own(FILE_OF("2"), " ");
	check_own(FILE_OF("3"), "3 0.3");
	check_own(FILE_OF("4"), "1 0.1");
	check_own(FILE_OF("5"), "5 0.5");
	check_own(FILE_OF("6"), "2 0.2");
}

/* Sessions that would be their own ancestors go on from none. */
static void check_cycles(void)
{
	test_file(FILE_OF("1"), FORK_OF("1", "1") ANSWER("a", "2"));
	check_own(FILE_OF("1"), "2 0.2");
	test_file(FILE_OF("1"), FORK_OF("1", "3") ANSWER("a", "2"));
	test_file(FILE_OF("2"), FORK_OF("2", "1") ANSWER("a", "2"));
	test_file(FILE_OF("3"), FORK_OF("3", "2") ANSWER("a", "2"));
	test_file(FILE_OF("4"),
		  FORK_OF("4", "3") ANSWER("a", "2") ANSWER("b", "3"));
	check_own(FILE_OF("1"), "2 0.2");
	check_own(FILE_OF("2"), "2 0.2");
	check_own(FILE_OF("3"), "2 0.2");
	check_own(FILE_OF("4"), "3 0.3");
}

/* What is kept of a fork is of use only while its base is there. */
static void check_kept(void)
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

#define CLAUDE(of, id, answer, rest)                                    \
	"{'type':'assistant','uuid':'" id "','parentUuid':null,"        \
	"'sessionId':'" of "','timestamp':'2026-03-01T10:00:01.000Z','" \
	"version':'2.1.0','message':{'id':'" answer "','role':"         \
	"'assistant','content':[],'usage':{'input_tokens':2,'output_to" \
	"kens':3}}" rest "}\n"
#define COST(of, cost)                               \
	"{'type':'cost-state','sessionId':'" of "'," \
	"'totalCostUSD':" cost "}\n"

/* A response of several lines, with other uuids in one kind of fork. */
static void check_claude(void)
{
	test_file(ID("1") ".jsonl",
		  CLAUDE(ID("1"), "a", "m1", "") CLAUDE(ID("1"), "b", "m1", "")
			  COST(ID("1"), "0.5") CLAUDE(ID("1"), "c", "m2", "")
				  COST(ID("1"), "0.75"));
	test_file(ID("2") ".jsonl", CLAUDE(ID("2"), "a", "m1",
					   ",'requestSessionId':'" ID("1") "'")
					    CLAUDE(ID("2"), "d", "m3", ""));
	test_file(ID("3") ".jsonl",
		  CLAUDE(ID("3"), "x", "m1",
			 ",'forkedFrom':{'sessionId':'" ID(
				 "1") "','messageUuid':'a'}")
			  COST(ID("3"), "0.5") CLAUDE(ID("3"), "y", "m4", "")
				  COST(ID("3"), "0.625"));
	check_own(ID("1") ".jsonl", "10 0.75");
	check_own(ID("2") ".jsonl", "5 ");
	check_own(ID("3") ".jsonl", "5 0.125");
}

#define ROLLOUT(n) "rollout-2026-03-01T10-00-00-" ID(n) ".jsonl"
#define META(n, rest)                                                          \
	"{'timestamp':'2026-03-01T10:00:00.000Z','type':'session_meta',"       \
	"'payload':{'id':'" ID(                                                \
		n) "','timestamp':'2026-03-01T10:00:00.000Z',"                 \
		   "'cwd':'/"                                                  \
		   "c','originator':'x','cli_version':'0','source':'cli'" rest \
		   "}}\n"
#define COUNT_OF(time, total, last)                                           \
	"{'timestamp':'2026-03-01T10:00:0" time ".000Z','type':'event_msg',"  \
	"'payload':{'type':'token_count','info':{'total_token_usage':"        \
	"{'total_tokens':" total "},'last_token_usage':{'total_tokens':" last \
	"}}}}\n"

/* A legacy fork writes the lines again, at its own time. */
static void check_codex(void)
{
	test_file(ROLLOUT("1"), META("1", "") COUNT_OF("1", "4", "4")
					COUNT_OF("2", "7", "3"));
	test_file(ROLLOUT("2"),
		  META("2", ",'forked_from_id':'" ID("1") "'")
			  COUNT_OF("5", "4", "4") COUNT_OF("5", "6", "2"));
	check_own(ROLLOUT("1"), "7 ");
	check_own(ROLLOUT("2"), "2 ");
}

#define BASED(n, rest) META(n, ",'history_mode':'paginated'" rest)
#define RECORD(n, total)                                                  \
	"{'timestamp':'2026-03-01T10:00:00.000Z','ordinal':" n ",'type':" \
	"'token_usage_record','payload':{'usage':{'total_tokens':" total  \
	"}}}\n"

/* What is before the base's end is the base's. */
static void check_codex_base(void)
{
	const char *path =
		test_file(ROLLOUT("1"), BASED("1", "") RECORD("1", "4"));
	struct stat st;
	char text[1024];
	CHECK_INT(stat(path, &st), 0);
	snprintf(text, sizeof(text),
		 BASED("2", ",'history_base':{'thread_id':'" ID(
				    "1") "',"
					 "'end_ordinal_exclusive':2,"
					 "'end_byte_offset':%lld}")
			 RECORD("2", "3") RECORD("3", "3"),
		 (long long)st.st_size);
	test_append(ROLLOUT("1"), RECORD("2", "8"));
	test_file(ROLLOUT("2"), text);
	check_own(ROLLOUT("1"), "12 ");
	check_own(ROLLOUT("2"), "6 ");
}

int main(void)
{
	check_forks();
	check_cycles();
	check_kept();
	check_claude();
	check_codex();
	check_codex_base();
	return test_done("own_usage");
}
