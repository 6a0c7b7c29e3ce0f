#include "core/file/newfile.h"

#include "tests/unit/test.h"

static void check_commit(const char *folder, const char *path)
{
	struct newfile f;
	struct buf b = { 0 };
	struct stat st;
	const struct stat like = { .st_mode = S_IFREG | 0640,
				   .st_uid = getuid(),
				   .st_gid = getgid() };
	CHECK_INT(newfile_write(&f, NULL, path, SPAN("new\n"), &like, true), 0);
	CHECK_INT(test_count_names(folder, ""), 2);
	CHECK_BUF(test_read(path, &b), "old\n");
	CHECK_INT(newfile_commit(&f), 0);
	CHECK_INT(test_count_names(folder, ""), 1);
	CHECK_BUF(test_read(path, &b), "new\n");
	CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0640);
	CHECK_INT(newfile_write(&f, NULL, path, SPAN("lost\n"), &like, true),
		  0);
	newfile_discard(&f);
	CHECK_INT(test_count_names(folder, ""), 1);
	CHECK_BUF(test_read(path, &b), "new\n");
	buf_free(&b);
}

static void check_commit_new(const char *folder, const char *path)
{
	struct newfile f;
	struct buf b = { 0 };
	const struct stat like = { .st_mode = S_IFREG | 0600,
				   .st_uid = getuid(),
				   .st_gid = getgid() };
	CHECK_INT(newfile_write(&f, NULL, path, SPAN("first\n"), &like, true),
		  0);
	CHECK_INT(newfile_commit_new(&f), 0);
	CHECK_INT(newfile_write(&f, NULL, path, SPAN("second\n"), &like, true),
		  0);
	CHECK_INT(newfile_commit_new(&f), -EEXIST);
	CHECK_BUF(test_read(path, &b), "first\n");
	CHECK_INT(test_count_names(folder, ""), 2);
	unlink(path);
	buf_free(&b);
}

/* No file is left, neither without a folder nor where the name is a folder. */
static void check_errors(const char *folder)
{
	struct newfile f;
	const struct stat like = { .st_mode = S_IFREG | 0600,
				   .st_uid = getuid(),
				   .st_gid = getgid() };
	CHECK_INT(newfile_write(&f, NULL, test_path("none/x"), SPAN(""), &like,
				true),
		  -ENOENT);
	CHECK(newfile_is_possible(NULL, test_path("folder/x")));
	CHECK(!newfile_is_possible(NULL, test_path("none/x")));
	test_need(mkdir(test_path("folder/sub"), 0700) == 0, "sub");
	CHECK_INT(newfile_write(&f, NULL, test_path("folder/sub"), SPAN("a"),
				&like, true),
		  0);
	CHECK_INT(newfile_commit(&f), -EISDIR);
	CHECK_INT(test_count_names(folder, ""), 2);
}

int main(void)
{
	const char *folder = test_path("folder");
	test_need(mkdir(folder, 0700) == 0, folder);
	check_commit(folder, test_file("folder/s", "old\n"));
	check_commit_new(folder, test_path("folder/new"));
	check_errors(folder);
	return test_done("newfile");
}
