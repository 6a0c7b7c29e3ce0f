/* A line that append refuses, and the reason in info. Which are: append-refused
 * in the corpus. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

/* What info has about the last refused line, "" if it has nothing or too much;
 * in a buffer of its own. */
static struct span reason(void)
{
	static struct buf why;
	unsigned n = 0;
	buf_clear(&why);
	for (struct span rest = text_of("info"); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		if (!span_starts(line, SPAN("last-refused: ")))
			continue;
		n++;
		buf_add(&why, line);
	}
	return n == 1 ? buf_span(&why) : SPAN("");
}

/* Append refuses the bytes, the session stays as it is, and the reason has this
 * text. */
static void refuse_bytes(const char *text, struct span bytes)
{
	keep_session();
	CHECK_INT(write_with(O_TRUNC, "append", bytes), EINVAL);
	CHECK_KEPT();
	struct span why = reason();
	CHECK(why.n > strlen("last-refused: "));
	if (!CHECK(memmem(why.p, why.n, text, strlen(text))))
		test_print("reason", why);
}

/* The same for a line, with ' for ". */
static void refuse(const char *text, const char *line)
{
	struct buf b = test_quoted(line);
	buf_addc(&b, '\n');
	test_row = line;
	refuse_bytes(text, buf_span(&b));
	test_row = NULL;
	buf_free(&b);
}

/* Rules: A5 */
static void no_entries(void)
{
	struct buf why = { 0 };
	char line[1200];
	mount_fixture(BRANCHES);
	CHECK_HAS("info", "\nwritable: yes\n");
	CHECK(!has("info", "last-refused"));
	refuse("", "hello");
	refuse_bytes("", SPAN("{'role':'user'}\n"));
	CHECK_HEAD("by-id/aa000025");
	/* The reason stays until another line is refused. */
	buf_add(&why, reason());
	CHECK_INT(say("{'role':'user','content':'good'}"), 0);
	CHECK_SPAN(reason(), buf_span(&why));
	refuse("parent", "{'type':'custom','customType':'x','parentId':"
			 "'nowhere'}");
	CHECK(!span_eq(reason(), buf_span(&why)));
	buf_free(&why);
	snprintf(line, sizeof(line),
		 "{'type':'custom','customType':'x','parentId':"
		 "'no\\nhead: \\u001b[2J%0900d'}",
		 1);
	refuse("", line);
	CHECK(!has("info", "\033"));
	size_t heads = 0;
	for (struct span rest = text_of("info"); rest.n > 0;)
		heads += span_starts(span_next(&rest, '\n'), SPAN("head: "));
	CHECK_INT(heads, 1);
	refuse("", "{'type':'custom','customType':'x','parentId':5}");
	refuse("",
	       "{'type':'custom','customType':'x','parentId':['aa000004']}");
	CHECK(came(1, BRANCHES));
}

static const struct mounts_test tests[] = {
	TEST("lines that are not entries are refused, and info has the reason",
	     no_entries),
};
RUN_TESTS(tests)
