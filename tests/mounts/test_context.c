/* context.txt and context.json: what the model would be sent. */
#include "tests/mounts/mounts.h"

static void own_bytes(void)
{
	static const char message[] =
		"{\"role\":\"user\" , \"content\":\"x\\u00e9\\ud800\","
		"\"n\":1.50,\"big\":12345678901234567890,\"n\":2}";
	char line[512], want[512];
	snprintf(line, sizeof(line),
		 "{'type':'message','id':'00000001','parentId':null,"
		 "'timestamp':'2026-03-01T10:00:01.000Z','message':%s}\n",
		 message);
	snprintf(want, sizeof(want), "[\n%s\n]\n", message);
	ADD_LINES(HEADER, line);
	mount_session();
	CHECK_FILE("context.json", want);
}

/* Are these two files the same, and not empty? */
static void check_same(const char *path, const char *other)
{
	struct buf want = { 0 };
	struct stat st;
	test_row = path;
	CHECK_INT(ERRNO(stat(other, &st)), 0);
	buf_add(&want, text_of(other));
	CHECK(want.len > 0);
	CHECK_SPAN(text_of(path), buf_span(&want));
	test_row = NULL;
	buf_free(&want);
}

static void of_root_and_folders(void)
{
	mount_fixture("pi-v3-branches.jsonl");
	check_same("context.txt", "by-id/aa000025/context.txt");
	check_same("context.json", "HEAD/context.json");
	CHECK_FILE("by-id/aa000004/context.txt", "[User]: list the files\n");
	check_same("by-id/aa000004/context.txt",
		   "tree/aa000001/aa000003/aa000004/context.txt");
}

static const struct mounts_test tests[] = {
	TEST("a message that passes through is its own bytes", own_bytes),
	TEST("the root has the context of the leaf, an entry's folder the "
	     "context of the entry",
	     of_root_and_folders),
};
RUN_TESTS(tests)
