/* What large sessions cost; their rules are in the corpus. */
#include "tests/unit/dialect_test.h"

#define HEAD_LINE                                                           \
	"{'type':'session','version':2,'uuid':'s','parentUuid':null,'id':'" \
	"abc','cwd':'/work/demo'}\n"
/* Many entries in the shapes that could cost their square. */
static void check_many(void)
{
	enum { MANY = 100000 };
	static const char *const shapes[] = { "chain", "backwards", "orphans",
					      "cycle", "compactions" };
	for (size_t shape = 0; shape < COUNT(shapes); shape++) {
		struct buf b = test_quoted(HEAD_LINE);
		test_row = shapes[shape];
		for (int i = 0; i < MANY; i++) {
			int parent = shape == 1	  ? i + 1
				     : shape == 2 ? -i - 1
				     : shape == 3 ? (i + 1) % MANY
						  : i - 1;
			buf_addf(&b,
				 "{\"type\":\"%s\",\"uuid\":\"%d\","
				 "\"parentUuid\":\"%d\",\"summary\":\"%d\","
				 "\"firstKeptEntryUuid\":\"%d\"}\n",
				 shape == 4 ? "compaction" : "stack_summary", i,
				 parent, i, i / 2);
		}
		test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
		struct session *s = dialect_open("s.jsonl", NULL);
		CHECK_INT(s->now.index.n, MANY + 1);
		buf_clear(&b);
		CHECK_INT(context_add(s, MANY, MESSAGE_FORM_TEXT, &b), 0);
		CHECK_INT(s->dialect->sending->branch(s, MANY, 1, &b), 0);
		CHECK_INT(info_add(s, &b), 0);
		test_close(s);
		buf_free(&b);
	}
	test_row = NULL;
}

/* A long header is not read again for each line after it. */
static void check_long_header(void)
{
	enum { MANY = 20000, LONG = 4 << 20 };
	struct buf b = test_quoted("{'type':'session','id':'i','x':'");
	buf_fill(&b, 'x', LONG);
	buf_adds(&b, "\"}\n");
	for (int i = 0; i < MANY; i++)
		buf_adds(&b, "{\"type\":\"message\"}\n");
	test_put(test_path("s.jsonl"), O_TRUNC, buf_span(&b));
	buf_free(&b);
	struct timespec before;
	struct timespec after;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	struct session *s = dialect_open("s.jsonl", "draft-uuid");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	CHECK_INT(s->now.index.n, MANY + 1);
	CHECK(after.tv_sec - before.tv_sec < 5);
	test_close(s);
}

int main(void)
{
	check_many();
	check_long_header();
	return test_done("draft_uuid");
}
