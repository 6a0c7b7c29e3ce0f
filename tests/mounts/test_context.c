/* context.txt and context.json: what the model would be sent. */
#include "tests/mounts/mounts.h"

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
	TEST("the root has the context of the leaf, an entry's folder the "
	     "context of the entry",
	     of_root_and_folders),
};
RUN_TESTS(tests)
