/* Depth has no limit. What find, grep -r and du do is in tests/deep.bats. */
#include "tests/mounts/mounts.h"

enum { DEPTH = 5000 };

/* Two entries below each "a"; the "b" ends there. */
static void write_branches(void)
{
	struct buf b = { 0 };
	char words[251];
	for (size_t i = 0; i < 50; i++)
		memcpy(words + 5 * i, "word ", 6);
	buf_adds(&b, HEADER);
	for (unsigned i = 0; i < DEPTH; i++)
		for (char side = 'a'; side <= 'b'; side++) {
			char up[16] = "null";
			if (i > 0)
				snprintf(up, sizeof(up), "'a%07x'", i - 1);
			buf_addf(&b,
				 "{'type':'message','id':'%c%07x',"
				 "'parentId':%s,'message':{'role':'user',"
				 "'content':'%s'}}\n",
				 side, i, up, words);
		}
	test_file("session.jsonl", buf_cstr(&b));
	buf_free(&b);
}

static void stays_narrow(void)
{
	size_t lines = 0, widest = 0, last = 0;
	write_branches();
	mount_session();
	for (struct span rest = text_of("tree.txt"); rest.n > 0; lines++) {
		struct span line = span_next_line(&rest);
		size_t n = characters_in(line);
		widest = n > widest ? n : widest;
		last += span_starts(line, SPAN("⋯4999 └─ b0001387 user  word"));
	}
	CHECK_INT(lines, 2 * DEPTH);
	CHECK_INT(widest, 100);
	CHECK_INT(last, 1);
}

static const struct mounts_test tests[] = {
	FULL_TEST("branches inside branches, 5,000 deep: tree.txt stays narrow",
		  stays_narrow),
};
RUN_TESTS(tests)
