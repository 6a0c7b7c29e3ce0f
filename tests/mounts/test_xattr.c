/* The lines of meta as extended attributes. What getfattr prints is in
 * tests/xattr.bats. */
#include "tests/mounts/mounts.h"

#include <glob.h>
#include <sys/xattr.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define PREFIX "user.sessfs."

enum { MOST = 65536 }; /* bytes of a value, and of all names */

/* The attributes of a file as meta has them: "KEY: VALUE" in lines. */
static struct span rows_of(const char *path)
{
	static struct buf rows;
	static char names[MOST], value[MOST];
	buf_clear(&rows);
	ssize_t n = listxattr(path, names, sizeof(names));
	CHECK_INT(n < 0 ? errno : 0, 0);
	for (const char *name = names; n > 0 && name < names + n;
	     name += strlen(name) + 1) {
		CHECK(strncmp(name, PREFIX, strlen(PREFIX)) == 0);
		ssize_t got = getxattr(path, name, value, sizeof(value));
		CHECK_INT(got < 0 ? errno : 0, 0);
		buf_adds(&rows, name + strlen(PREFIX));
		buf_adds(&rows, ": ");
		buf_add(&rows,
			(struct span){ value, got < 0 ? 0 : (size_t)got });
		buf_addc(&rows, '\n');
	}
	return buf_span(&rows);
}

/* The attributes are the lines of this meta, of which there are some. */
static void check_as_meta(const char *path, const char *meta)
{
	test_row = path;
	struct span rows = rows_of(path);
	CHECK(rows.n > 0);
	CHECK_SPAN(rows, text_of(meta));
	test_row = NULL;
}

/* The same for the meta in a folder. */
static void check_folder(const char *folder)
{
	check_as_meta(folder, join(folder, "meta"));
}

/* The same for all folders that a pattern matches. Returns how many they are.
 */
static size_t check_all(const char *pattern)
{
	glob_t found;
	test_need(glob(pattern, 0, NULL, &found) == 0, pattern);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_folder(found.gl_pathv[i]);
	size_t n = found.gl_pathc;
	globfree(&found);
	return n;
}

static int errno_of(const char *path, const char *name)
{
	char value[MOST];
	return ERRNO(getxattr(path, name, value, sizeof(value)));
}

/* Rules: E3 */
static void every_dialect(void)
{
	CHECK(copy_fixtures("all", ".json") > 10);
	mount_source(test_path("all"));
	/* One of each fixture at least. */
	CHECK(check_all("*/by-id/*/") > 100);
}

static void both_folders(void)
{
	static const char *const files[] = { "content", "label", "meta",
					     "raw.json", "context.txt" };
	static const char *const others[] = { ".",    "info",  "tree.txt",
					      "tree", "by-id", "by-label" };
	char at[PATH_MAX];
	mount_fixture(BRANCHES);
	struct span head = link_at("HEAD");
	snprintf(at, sizeof(at), "%.*s", (int)head.n, head.p);
	check_folder(at);
	for (size_t i = 0; i < COUNT(files); i++) {
		check_as_meta(join(at, files[i]), join(at, "meta"));
	}
	CHECK(check_all("tree/*") > 0);
	for (size_t i = 0; i < COUNT(others); i++) {
		test_row = others[i];
		CHECK_INT(ERRNO(listxattr(others[i], NULL, 0)), 0);
		CHECK_SPAN(rows_of(others[i]), SPAN(""));
		CHECK_INT(errno_of(others[i], PREFIX "id"), ENODATA);
	}
}

static void none_can_be_set(void)
{
	int for_root = geteuid() == 0 ? ENOTSUP : EACCES;
	mount_fixture(BRANCHES);
	CHECK_INT(errno_of("HEAD", PREFIX "none"), ENODATA);
	CHECK_INT(errno_of("HEAD", PREFIX), ENODATA);
	CHECK_INT(errno_of("HEAD", "user.other"), ENODATA);
	CHECK_INT(errno_of("HEAD", "security.selinux"), ENOTSUP);
	CHECK_INT(errno_of("HEAD/content", PREFIX "role"), 0);
	CHECK_INT(ERRNO(setxattr("HEAD/content", PREFIX "role", "x", 1, 0)),
		  for_root);
	CHECK_INT(ERRNO(removexattr("HEAD/content", PREFIX "role")), for_root);
}

/* Does a file's list have the name? */
static bool lists(const char *path, const char *name)
{
	static char names[MOST];
	ssize_t n = listxattr(path, names, sizeof(names));
	bool found = false;
	CHECK(n > 0);
	for (const char *p = names; n > 0 && p < names + n; p += strlen(p) + 1)
		found |= strcmp(p, name) == 0;
	return found;
}

/* Rules: E3 */
static void too_long(void)
{
	static char value[MOST];
	struct buf b = { 0 };
	buf_adds(&b, HEADER);
	for (size_t n = MOST; n <= MOST + 1; n++) {
		buf_addf(&b,
			 "{'type':'message','id':'%08zu','parentId':null,"
			 "'timestamp':'2026-03-01T10:00:00.000Z','message':{"
			 "'role':'bashExecution','command':'",
			 n);
		buf_fill(&b, 'x', n);
		buf_adds(&b, "','output':''}}\n");
	}
	test_need(buf_cstr(&b) != NULL, "memory");
	mount_lines(b.data);
	buf_free(&b);
	CHECK_INT(getxattr("by-id/00065536", PREFIX "command", value, MOST),
		  MOST);
	CHECK_INT(value[0], 'x');
	CHECK_INT(value[MOST - 1], 'x');
	CHECK(lists("by-id/00065536", PREFIX "command"));
	CHECK_INT(errno_of("by-id/00065537", PREFIX "command"), E2BIG);
	CHECK(lists("by-id/00065537", PREFIX "role"));
	CHECK(!lists("by-id/00065537", PREFIX "command"));
	CHECK_HAS("by-id/00065537/meta", "\ncommand: xxx");
}

static void they_follow(void)
{
	char at[PATH_MAX], label[PATH_MAX];
	mount_fixture("pi-v1-linear.jsonl");
	struct span names = names_in("by-id"), first = span_next(&names, ' ');
	CHECK(first.n > 0);
	snprintf(at, sizeof(at), "by-id/%.*s", (int)first.n, first.p);
	snprintf(label, sizeof(label), "by-id/%.*s/label", (int)first.n,
		 first.p);
	check_folder(at);
	CHECK_INT(put(label, "kept\n"), 0);
	CHECK_FILE(label, "kept\n");
	check_folder(at);
	test_copy(fixture(BRANCHES), test_path("other"));
	CHECK_INT(ERRNO(rename(test_path("other"), mounts_session)), 0);
	CHECK_HEAD("by-id/aa000025");
	check_folder("HEAD/");
}

/* How many session files has the daemon open? */
static size_t open_sessions(void)
{
	char folder[64];
	size_t n = 0;
	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)daemon_pid());
	const struct dirent *d;
	DIR *dir = opendir(folder);
	test_need(dir != NULL, folder);
	while ((d = readdir(dir))) {
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		struct span target = link_at(path);
		n += target.n > 0 &&
		     memmem(target.p, target.n, ".jsonl", 6) != NULL;
	}
	closedir(dir);
	return n;
}

static void not_read(void)
{
	static const char *const names[] = { "1", "2", "3", "4", "5" };
	char path[64];
	test_need(mkdir(test_path("all"), 0755) == 0, "all");
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "all/%s.jsonl", names[i]);
		test_copy(fixture(BRANCHES), test_path(path));
	}
	mount_source(test_path("all"));
	for (size_t i = 0; i < COUNT(names); i++) {
		test_row = names[i];
		CHECK_INT(errno_of(names[i], "security.selinux"), ENOTSUP);
		CHECK_INT(errno_of(names[i], PREFIX "id"), ENODATA);
		CHECK_SPAN(rows_of(names[i]), SPAN(""));
	}
	test_row = NULL;
	CHECK_INT(open_sessions(), 0);
	/* It would be seen. */
	CHECK(value_in("1/info", "entries").n > 0);
	CHECK(open_sessions() > 0);
}

/* What a folder says that it is; "-" if it says nothing. Good until the next
 * seven. */
static const char *what(const char *path)
{
	char value[MOST];
	ssize_t n = getxattr(path, "user.sessfs", value, sizeof(value));
	if (n < 0)
		CHECK_INT(errno, ENODATA);
	return filled("%.*s", n < 0 ? 1 : (int)n, n < 0 ? "-" : value);
}

#define CHECK_WHAT(path, want) CHECK_SPAN(span_of(what(path)), span_of(want))

/* Rules: F4 */
static void what_a_session_is(void)
{
	static const char *const others[] = { "by-id", "tree",	 "by-label",
					      "path",  "info",	 "HEAD/content",
					      "as",    "HEAD/as" };
	char names[MOST];
	mount_fixture(BRANCHES);
	CHECK_WHAT(".", filled("session %s", mounts_session));
	CHECK_WHAT("HEAD", "entry aa000025");
	CHECK_WHAT("by-id/aa000001", "entry aa000001");
	CHECK_WHAT("tree/aa000001/aa000003", "subtree aa000003");
	for (size_t i = 0; i < COUNT(others); i++) {
		test_row = others[i];
		CHECK_WHAT(others[i], "-");
	}
	test_row = NULL;
	/* Copies do not take it along. */
	CHECK_INT(listxattr(".", names, sizeof(names)), 0);
	unmount();
	mount_with("dialect=pi");
	CHECK_WHAT(".", filled("session dialect=pi %s", mounts_session));
	unmount();
	mount_with("ro,force,dialect=pi");
	CHECK_WHAT(".",
		   filled("session dialect=pi ro force %s", mounts_session));
	CHECK_COMMAND(0, NULL, NULL, "log", ".");
	CHECK_FAILS(1, "Read-only file system", "say", "x", ".");
}

/* Rules: F4 */
static void what_a_folder_is(void)
{
	const char *folder = test_path("a folder/in");
	make_folder(folder);
	test_copy(fixture(BRANCHES), join(folder, "one.jsonl"));
	mount_source(test_path("a folder"));
	CHECK_WHAT(".", filled("folder %s", test_path("a folder")));
	CHECK_WHAT("in", filled("folder %s", folder));
	CHECK_WHAT("in/one", filled("session %s/one.jsonl", folder));
	/* Nobody has read it for that. */
	CHECK_INT(open_sessions(), 0);
	CHECK_WHAT("in/one/HEAD", "entry aa000025");
	unmount();
	CHECK_INT(RUN(sessfs_program(), folder, join(folder, "one.jsonl"),
		      mounts_at),
		  0);
	CHECK_WHAT(mounts_at, "set");
	CHECK_WHAT(join(mounts_at, "in"), filled("folder %s", folder));
	CHECK_WHAT(join(mounts_at, "one"),
		   filled("session %s/one.jsonl", folder));
	CHECK_WHAT(join(mounts_at, "by-day"), "-");
	unmount();
}

/* An attribute outside of a mount is not believed. */
static void only_in_mounts(void)
{
	const char *at = test_path("fake"),
		   *want = filled("session %s", mounts_session);
	test_copy(fixture(BRANCHES), mounts_session);
	make_folder(at);
	if (setxattr(at, "user.sessfs", want, strlen(want), 0) < 0)
		return;
	CHECK_FAILS(2, "is a folder, not a session", "say", "x", at);
	CHECK_FAILS(2, "is a folder, not a session", "log", "--tree", at);
}

static const struct mounts_test tests[] = {
	TEST("an entry's attributes are the lines of its meta, in every "
	     "dialect",
	     every_dialect),
	TEST("both folders of an entry and the files in them have attributes; "
	     "other files do not",
	     both_folders),
	TEST("attributes that do not exist, and that can't be set",
	     none_can_be_set),
	TEST("a value that no attribute can hold is in meta only", too_long),
	TEST("attributes follow meta when the session changes", they_follow),
	TEST("a folder says what it is, and where its session is",
	     what_a_session_is),
	TEST("the same of folders of sessions, and of several sources",
	     what_a_folder_is),
	TEST("that is not believed outside of a mount", only_in_mounts),
	TEST("listing attributes of a session's root does not read the session",
	     not_read),
};
RUN_TESTS(tests)
