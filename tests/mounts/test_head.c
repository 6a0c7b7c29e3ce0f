/*
 * Moving HEAD: every spelling of the target, and what is refused. The model has
 * each way to move it and what that writes (tests/model). What ln, busybox, rm,
 * find and mv do is in tests/head.bats.
 */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"

/* All spellings are in unit/test_head_target.c. */
static void spellings(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(move_head("by-label/good"), 0);
	CHECK_HEAD("by-id/aa000008");
	CHECK_INT(move_head("aa000006/content"), 0);
	CHECK_HEAD("by-id/aa000006");
	CHECK_INT(move_head("HEAD/parent"), 0);
	CHECK_HEAD("by-id/aa000005");
}

static void no_entry(void)
{
	struct stat st;
	mount_fixture(BRANCHES);
	keep_session();
	CHECK_INT(move_head("by-id/none"), ENOENT);
	CHECK_INT(move_head("aa00"), EINVAL);
	CHECK_INT(ERRNO(symlink("foo", "HEAD/bar")), ENOENT);
	CHECK_INT(ERRNO(lstat("HEAD/bar", &st)), ENOENT);
	CHECK_HEAD("by-id/aa000025");
	CHECK_KEPT();
	CHECK_ROOT("HEAD branches by-file by-id by-label context.txt "
		   "files info name path tree tree.txt ");
}

static void only_head(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	mount_fixture(BRANCHES);
	keep_session();
	CHECK_INT(ERRNO(symlink("x", "by-id/aa000004/x")), EPERM);
	CHECK_INT(ERRNO(symlink("x", "by-id/x")), for_root);
	CHECK_INT(ERRNO(symlink("x", "tree/x")), for_root);
	CHECK_INT(ERRNO(symlink("x", "by-label/x")), for_root);
	CHECK_INT(ERRNO(symlink("by-id/aa000004", "info")), EEXIST);
	CHECK_INT(ERRNO(symlink("by-id/aa000004", "link")), 0);
	CHECK_INT(ERRNO(rename("link", "HEAD/link")), EPERM);
	CHECK_INT(ERRNO(rename("link", "by-id/aa000004/link")), EPERM);
	CHECK_LINK("link", "by-id/aa000004");
	CHECK_INT(ERRNO(unlink("link")), 0);
	CHECK_INT(ERRNO(rename("HEAD", "x")), EPERM);
	CHECK_INT(ERRNO(rename("by-id/aa000004", "by-id/x")), for_root);
	CHECK_INT(ERRNO(rename("context.txt", "x")), EPERM);
	CHECK_INT(ERRNO(mkdir("x", 0755)), EPERM);
	CHECK_INT(put("x", ""), EPERM);
	CHECK_INT(ERRNO(unlink("info")), EPERM);
	CHECK_INT(ERRNO(unlink("by-label/good")), for_root);
	CHECK_INT(ERRNO(unlink("by-id/aa000004/content")), EPERM);
	CHECK_INT(ERRNO(rmdir("tree/aa000001")), for_root);
	CHECK_INT(ERRNO(link("info", "x")), EPERM);
	CHECK_INT(ERRNO(chmod("info", 0600)), EPERM);
	CHECK_INT(ERRNO(chown("by-id/aa000004/label", 1, (gid_t)-1)), EPERM);
	CHECK_INT(ERRNO(truncate("info", 0)), for_root);
	CHECK_KEPT();
	CHECK_HEAD("by-id/aa000025");
}

static size_t count_links(void)
{
	struct span names = names_in(".");
	size_t n = 0;
	while (names.n > 0)
		n += span_starts(span_next(&names, ' '), SPAN("link"));
	return n;
}

/* Rules: H3 */
static void staged_are_bounded(void)
{
	mount_fixture(BRANCHES);
	for (int i = 1; i <= 300; i++) {
		char name[16];
		snprintf(name, sizeof(name), "link%d", i);
		CHECK_INT(ERRNO(symlink("by-id/aa000004", name)), 0);
	}
	CHECK_INT(count_links(), 256);
	CHECK_LINK("link300", "by-id/aa000004");
	CHECK_INT(ERRNO(unlink("link300")), 0);
	CHECK_INT(count_links(), 255);
	CHECK_INT(ERRNO(rename("link299", "again")), 0);
	CHECK_INT(ERRNO(rename("again", "HEAD")), 0);
	CHECK_HEAD("by-id/aa000004");
}

/* The mount point is a link's folder. */
static void spelling_of_the_mountpoint(void)
{
	char target[PATH_MAX + 32];
	const char *real = test_path("real"), *way = test_path("way");
	mkdir(real, 0755);
	mkdir(test_path("real/mnt"), 0755);
	CHECK_INT(ERRNO(symlink("real", way)), 0);
	mounts_at = test_path("way/mnt");
	test_copy(fixture(BRANCHES), mounts_session);
	mount_source(mounts_session);
	snprintf(target, sizeof(target), "%s/mnt/by-id/aa000004", way);
	CHECK_INT(move_head(target), 0);
	CHECK_HEAD("by-id/aa000004");
	snprintf(target, sizeof(target), "%s/mnt/by-id/aa000005", real);
	CHECK_INT(move_head(target), 0);
	CHECK_HEAD("by-id/aa000005");
	CHECK_INT(move_head("way/mnt/by-id/aa000006"), 0);
	CHECK_HEAD("by-id/aa000006");
}

static void locked(void)
{
	mount_fixture(BRANCHES);
	int fd = open(mounts_session, O_RDWR | O_CLOEXEC);
	test_need(flock(fd, LOCK_EX) == 0, "flock");
	CHECK_INT(move_head("by-id/aa000004"), EBUSY);
	CHECK_HEAD("by-id/aa000025");
	close(fd);
	CHECK_INT(move_head("by-id/aa000004"), 0);
	CHECK_HEAD("by-id/aa000004");
}

static const struct mounts_test tests[] = {
	TEST("a lock that is not let go: the write gives up, the mount goes on",
	     locked),
	TEST("a target may be spelled in other ways", spellings),
	TEST("a target that names no entry is ENOENT, and nothing is written",
	     no_entry),
	TEST("only HEAD can be moved: other names and folders are refused",
	     only_head),
	TEST("staged links are bounded, and can be removed",
	     staged_are_bounded),
	TEST("the mount point's own spelling counts, a link on the way "
	     "included",
	     spelling_of_the_mountpoint),
};
RUN_TESTS(tests)
