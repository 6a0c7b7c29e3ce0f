/*
 * Links in the session's path are resolved at the start: a folder that is
 * replaced by a link later is not followed.
 */
#include "tests/mounts/mounts.h"

#define OURS "a/b/session.jsonl"
#define OTHER "x/b/session.jsonl"
#define CONTENT "by-id/00000001/content"

/* A session in a/b, and another of the same name, with the same ids, in x/b. */
static void write_both(void)
{
	static const char *const folders[] = { "a", "a/b", "x", "x/b" };
	for (size_t i = 0; i < COUNT(folders); i++)
		CHECK_INT(ERRNO(mkdir(test_path(folders[i]), 0755)), 0);
	test_file(OTHER, HEADER USER("00000001", "null", "theirs")
				 USER("00000002", "'00000001'", "more"));
	test_file(OURS, HEADER USER("00000001", "null", "ours")
				USER("00000002", "'00000001'", "more"));
}

/* What a folder has, dot files included. */
static void check_only(const char *folder, const char *name)
{
	CHECK_INT(test_count_names(test_path(folder), ""), 1);
	CHECK_INT(test_count_names(test_path(folder), name), 1);
}

/*
 * Mount, and have a folder on the way be a link to that of the other session
 * while checks are made. They stand in an entry's folder.
 */
static void exchange(const char *folder, const char *to, void (*check)(void))
{
	struct buf theirs = { 0 };
	test_row = folder;
	mount_source(test_path(OURS));
	CHECK_FILE(CONTENT, "ours\n");
	CHECK_INT(ERRNO(chdir("by-id/00000001")), 0);
	test_read(test_path(OTHER), &theirs);
	CHECK_INT(ERRNO(rename(test_path(folder), test_path("kept"))), 0);
	CHECK_INT(ERRNO(symlink(test_path(to), test_path(folder))), 0);
	check();
	CHECK_SPAN(text_of(test_path(OTHER)), buf_span(&theirs));
	check_only("x/b", "session.jsonl");
	CHECK_INT(ERRNO(unlink(test_path(folder))), 0);
	CHECK_INT(ERRNO(rename(test_path("kept"), test_path(folder))), 0);
	CHECK_FILE(test_path("mnt/" CONTENT), "ours\n");
	unmount();
	test_row = NULL;
	buf_free(&theirs);
}

static void exchange_each(void (*check)(void))
{
	write_both();
	exchange("a", "x", check);
	exchange("a/b", "x/b", check);
}

static void shows_nothing(void)
{
	struct stat st;
	CHECK_NAMES(test_path("mnt/by-id"), "");
	CHECK_INT(ERRNO(stat(test_path("mnt/" CONTENT), &st)), ENOENT);
	CHECK(!has(test_path("mnt/context.txt"), "theirs"));
	CHECK(!has(test_path("mnt/tree.txt"), "theirs"));
}

static void not_shown(void)
{
	exchange_each(shows_nothing);
}

/*
 * Its entries are gone, and the folder that we stand in with them. Without a
 * header it is read-only, by its mode as well: to others than root the kernel
 * says so, unless it has yet to see the new mode.
 */
static void writes_nothing(void)
{
	static const char entry[] = "by-id/00000001";
	CHECK_INT(ERRNO(symlink(entry, test_path("mnt/HEAD"))), EEXIST);
	int err = ERRNO(symlink(entry, test_path("mnt/new")));
	CHECK(err == EROFS || (err == EACCES && geteuid() != 0));
	CHECK_INT(put(test_path("mnt/by-id/00000001/label"), "x\n"), ENOENT);
	CHECK_INT(put("label", "x\n"), ESTALE);
	CHECK_INT(ERRNO(symlink(entry, "HEAD")), ESTALE);
}

static void not_written_to(void)
{
	exchange_each(writes_nothing);
}

static void the_very_same(void)
{
	struct buf before = { 0 };
	write_both();
	mount_source(test_path(OURS));
	test_read(test_path(OURS), &before);
	CHECK_INT(ERRNO(rename(test_path("a"), test_path("kept"))), 0);
	CHECK_INT(ERRNO(symlink("kept", test_path("a"))), 0);
	CHECK_FILE(CONTENT, "ours\n");
	CHECK_INT(move_head("by-id/00000001"), ENOTDIR);
	CHECK_SPAN(text_of(test_path(OURS)), buf_span(&before));
	CHECK_INT(ERRNO(unlink(test_path("a"))), 0);
	CHECK_INT(ERRNO(rename(test_path("kept"), test_path("a"))), 0);
	CHECK_INT(move_head("by-id/00000001"), 0);
	CHECK_HEAD("by-id/00000001");
	buf_free(&before);
}

static const struct mounts_test tests[] = {
	TEST("a folder exchanged for a link to one with such a session: not "
	     "shown",
	     not_shown),
	TEST("nor written to", not_written_to),
	TEST("a link to the very same file: it is read on, and not written to",
	     the_very_same),
};
RUN_TESTS(tests)
