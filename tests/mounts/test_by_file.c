/*
 * by-file/: which entries read, wrote or edited a file. What tools do to files,
 * and how these are named, are cases of the corpus (touches-*); what grep -r
 * finds is in tests/by-file.bats.
 */
#include "tests/mounts/mounts.h"

/* Pi's calls of tools, and their results. */
#define CALL(id, tool, arguments)                        \
	"{'type':'toolCall','id':'" id "','name':'" tool \
	"','arguments':" arguments "}"
#define CALLS(id, parent, calls)                         \
	MESSAGE(id, parent, "assistant",                 \
		",'content':[" calls "],'provider':'p'," \
		"'model':'m'")
#define RESULT(id, parent, call, is_error)                                    \
	MESSAGE(id, parent, "toolResult",                                     \
		",'toolCallId':'" call "','toolName':'x','isError':" is_error \
		",'content':[]")

#define WORK                                                                                 \
	HEADER USER("00000001", "null", "Write it") CALLS(                                   \
		"00000002", "'00000001'",                                                    \
		CALL("c1", "read", "{'path':'src/wc.c'}") "," CALL(                          \
			"c2", "write",                                                       \
			"{'path':'/work/demo/README','content':'x'}"))                       \
		RESULT("00000003", "'00000002'", "c1", "false") RESULT(                      \
			"00000004", "'00000003'", "c2",                                      \
			"true") CALLS("00000005", "'00000004'",                              \
				      CALL("c3", "edit",                                     \
					   "{'path':'./src//"                                \
					   "wc.c','edits':[]}") "," CALL("c4",               \
									 "bas"               \
									 "h",                \
									 "{'"                \
									 "com"               \
									 "man"               \
									 "d':"               \
									 "'ca"               \
									 "t "                \
									 "/et"               \
									 "c/"                \
									 "hos"               \
									 "ts'"               \
									 "}"))               \
			CALLS("00000006", "'00000004'",                                      \
			      CALL("c5", "edit", "{'path':'src/wc.c','edits':[]}") "," CALL( \
				      "c6", "ask_about",                                     \
				      "{'filename':'/etc/passwd'}"))

/* What was found in a folder: a row each, sorted by find(). */
static char *rows[4096];
static size_t n_rows;
static const char *searched; /* the folder */
static const char *session;  /* with by-id/ */

static void forget(void)
{
	while (n_rows > 0)
		free(rows[--n_rows]);
}

static void add_row(const char *path, const char *text)
{
	test_need(n_rows < COUNT(rows), "there are too many");
	size_t from = strlen(searched) + 1,
	       size = strlen(path) - from + strlen(text) + 2;
	char *row = malloc(size);
	test_need(row != NULL, "memory");
	snprintf(row, size, "%s %s", path + from, text);
	rows[n_rows++] = row;
}

/* The working directory is that of the link, since paths may be too long. */
static int add_link(const char *path, const struct stat *st, int type,
		    struct FTW *ftw)
{
	const char *name = path + ftw->base;
	char target[PATH_MAX], entry[2 * PATH_MAX];
	struct stat by_link, by_id;
	CHECK(strlen(name) <= NAME_MAX);
	CHECK(type == FTW_D || type == FTW_SL);
	if (type != FTW_SL)
		return 0;
	ssize_t n = readlink(name, target, sizeof(target) - 1);
	CHECK_INT(n, st->st_size);
	target[n > 0 ? n : 0] = '\0';
	const char *last = strrchr(target, '/');
	test_need(last != NULL, name);
	/* It leads to the entry's folder. */
	snprintf(entry, sizeof(entry), "%s/by-id%s", session, last);
	CHECK(stat(name, &by_link) == 0 && stat(entry, &by_id) == 0 &&
	      by_link.st_ino == by_id.st_ino && by_link.st_dev == by_id.st_dev);
	add_row(path, target);
	return 0;
}

/* Find all links in by-file/ of a session, at an absolute path. */
static void find_links(const char *at)
{
	char folder[PATH_MAX];
	snprintf(folder, sizeof(folder), "%s/by-file", at);
	searched = folder;
	session = at;
	CHECK_INT(nftw(folder, add_link, 16, FTW_PHYS | FTW_CHDIR), 0);
	qsort(rows, n_rows, sizeof(*rows), by_bytes);
}

/* The links are these, each with its target. */
static void check_touches(const char *const want[])
{
	size_t n = 0;
	forget();
	find_links(mounts_at);
	for (size_t i = 0; i < n_rows; i++)
		CHECK_SPAN(span_of(rows[i]), span_of(want[n] ? want[n++] : ""));
	CHECK(!want[n]);
	forget();
}

static void write_work(void)
{
	test_file("session.jsonl", WORK);
}

static void mount_work(void)
{
	write_work();
	mount_session();
}

static bool are_same(const char *one, const char *other)
{
	struct stat a, b;
	return stat(one, &a) == 0 && stat(other, &b) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* The lines of the contents of all that touched src/wc.c that name it. */
static size_t count_naming(void)
{
	static const char *const names[] = { "0001-read", "0002-edit",
					     "0003-edit" };
	size_t n = 0;
	for (size_t i = 0; i < COUNT(names); i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-file/src/wc.c/%s/content",
			 names[i]);
		for (struct span rest = text_of(path); rest.n > 0;) {
			struct span line = span_next(&rest, '\n');
			n += memmem(line.p, line.n, "src/wc.c", 8) ||
			     memmem(line.p, line.n, "src//wc.c", 9);
		}
	}
	return n;
}

/* Rules: T1 T2 */
static void folder_of_links(void)
{
	static const char *const none[] = {
		"src/0001-read",
		"src/wc.c/0001-edit",
		"src/wc.c/1-read",
		"src/wc.c/0004-edit",
		"wc.c",
		"@/work",
		"README/0001-write",
	};
	mount_work();
	check_touches(
		PIECES("@/etc/passwd/0001-touch ../../../../by-id/00000006",
		       "README/0001-write-failed ../../by-id/00000002",
		       "src/wc.c/0001-read ../../../by-id/00000002",
		       "src/wc.c/0002-edit ../../../by-id/00000005",
		       "src/wc.c/0003-edit ../../../by-id/00000006"));
	CHECK_SPAN(listed_in("by-file/src/wc.c"),
		   SPAN("0001-read 0002-edit 0003-edit "));
	CHECK_SPAN(listed_in("by-file"), SPAN("src README @ "));
	CHECK_HAS("by-file/src/wc.c/0003-edit/content", "path: src/wc.c");
	CHECK_INT(stat_of("by-file/src/wc.c/0002-edit").st_mtime,
		  stat_of("by-id/00000005").st_mtime);
	CHECK_INT(stat_of("by-file/src").st_mode, S_IFDIR | 0555);
	/* All that is known of a file. */
	CHECK_INT(count_naming(), 3);
	for (size_t i = 0; i < COUNT(none); i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-file/%s", none[i]);
		test_row = path;
		CHECK_INT(ERRNO(access(path, F_OK)), ENOENT);
	}
	test_row = NULL;
	CHECK(are_same("by-file", "by-file/src/.."));
	CHECK(are_same(".", "by-file/.."));
	CHECK(are_same("by-file/src", "by-file/src/wc.c/.."));
}

static void grows(void)
{
	char opened[64];
	mount_work();
	int fd = open("by-file/src/wc.c", O_RDONLY | O_CLOEXEC);
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d/", fd);
	CHECK_NAMES(opened, "0001-read 0002-edit 0003-edit ");
	test_append("session.jsonl",
		    CALLS("00000007", "'00000006'",
			  CALL("c7", "read", "{'path':'src/wc.c'}") "," CALL(
				  "c8", "read", "{'path':'src/new/x'}")));
	CHECK_LINK("by-file/src/wc.c/0004-read", "../../../by-id/00000007");
	CHECK_NAMES(opened, "0001-read 0002-edit 0003-edit 0004-read ");
	CHECK_SPAN(listed_in("by-file/src"), SPAN("wc.c new "));
	CHECK_NAMES("by-file/src/new", "x ");
	/* A result that comes later renames the link. */
	test_append("session.jsonl",
		    RESULT("00000008", "'00000007'", "c7", "true"));
	CHECK_INT(ERRNO(access("by-file/src/wc.c/0004-read", F_OK)), ENOENT);
	CHECK_LINK("by-file/src/wc.c/0004-read-failed",
		   "../../../by-id/00000007");
	CHECK_NAMES(opened, "0001-read 0002-edit 0003-edit 0004-read-failed ");
	close(fd);
	/* Another file in its place. */
	test_file("session.jsonl",
		  HEADER CALLS("00000001", "null",
			       CALL("c1", "read", "{'path':'other'}")));
	check_touches(PIECES("other/0001-read ../../by-id/00000001"));
	CHECK_INT(ERRNO(access("by-file/src", F_OK)), ENOENT);
}

static void empty(void)
{
	int for_root = geteuid() == 0 ? EPERM : EACCES;
	mount_lines(HEADER USER("00000001", "null", "x"));
	CHECK_INT(test_count_names("by-file", ""), 0);
	write_work();
	CHECK_INT(ERRNO(mkdir("by-file/x", 0755)), for_root);
	CHECK_INT(ERRNO(symlink("x", "by-file/src/x")), for_root);
	CHECK_INT(ERRNO(unlink("by-file/src/wc.c/0001-read")), for_root);
	CHECK_INT(put("by-file/x", ""), for_root);
	unmount();
	mount_lines("");
	CHECK_INT(test_count_names("by-file", ""), 0);
}

static void moves_head(void)
{
	char absolute[PATH_MAX];
	snprintf(absolute, sizeof(absolute),
		 "%s/by-file/src/wc.c/0002-edit/content", mounts_at);
	const char *const targets[] = {
		"by-file/src/wc.c/0002-edit",
		"./by-file/src/wc.c/0002-edit/",
		absolute,
		"by-file/src/../src/wc.c/0002-edit",
	};
	static const char *const none[] = {
		"by-file",
		"by-file/",
		"by-file/src",
		"by-file/src/wc.c",
		"by-file/src/wc.c/0002-read",
		"by-file/x/0001-read",
	};
	mount_work();
	for (size_t i = 0; i < COUNT(targets); i++) {
		test_row = targets[i];
		CHECK_INT(move_head(targets[i]), 0);
		CHECK_HEAD("by-id/00000005");
		CHECK_INT(move_head("by-id/00000001"), 0);
	}
	CHECK_INT(move_head("by-file/src/wc.c/0002-edit/parent"), 0);
	CHECK_HEAD("by-id/00000004");
	for (size_t i = 0; i < COUNT(none); i++) {
		test_row = none[i];
		CHECK_INT(move_head(none[i]), ENOENT);
	}
	CHECK_HEAD("by-id/00000004");
}

static void all_formats(void)
{
	char at[PATH_MAX];
	size_t n = 0;
	struct dirent **found;
	CHECK(copy_fixtures("all", ".json") > 0);
	mount_source(test_path("all"));
	int files = scandir(".", &found, NULL, alphasort);
	for (int i = 0; i < files; free(found[i++])) {
		if (found[i]->d_name[0] == '.')
			continue;
		snprintf(at, sizeof(at), "%s/%s", mounts_at, found[i]->d_name);
		find_links(at);
		n++;
	}
	free(found);
	CHECK(n >= 18);
	CHECK(n_rows > 0);
	forget();
}

static void out_of_memory(void)
{
	CHECK_INT(ERRNO(mkdir(test_path("all"), 0755)), 0);
	for (int i = 1; i <= 3; i++) {
		char name[32], line[512];
		snprintf(name, sizeof(name), "all/s%d.jsonl", i);
		snprintf(line, sizeof(line),
			 CALLS("%d", "'00000006'",
			       CALL("x%d", "write", "{'path':'own/%d'}")),
			 10000010 + i, i, i);
		test_file(name, WORK);
		test_append(name, line);
	}
	CHECK_INT(RUN(sessfs_program(), "-o", "keep=1", test_path("all"),
		      mounts_at),
		  0);
	CHECK_INT(ERRNO(chdir(test_path("mnt/s1/by-file/own/1"))), 0);
	CHECK_NAMES(".", "0001-write ");
	CHECK_NAMES(test_path("mnt/s2/by-file/own"), "2 ");
	CHECK_NAMES(test_path("mnt/s3/by-file/own"), "3 ");
	CHECK_NAMES(".", "0001-write ");
	CHECK_LINK("0001-write", "../../../by-id/10000011");
	CHECK(are_same(test_path("mnt/s1/by-file/own"), ".."));
	test_append("all/s1.jsonl",
		    CALLS("00000021", "'10000011'",
			  CALL("y", "edit", "{'path':'own/1','edits':[]}")));
	CHECK_LINK("0002-edit", "../../../by-id/00000021");
}

/* Where a link leads, and the time. */
static int add_with_time(const char *path, const struct stat *st, int type,
			 struct FTW *ftw)
{
	char text[PATH_MAX + 64], target[PATH_MAX] = "";
	if (ftw->level == 0)
		return 0;
	if (type == FTW_SL)
		CHECK(readlink(path, target, sizeof(target) - 1) > 0);
	snprintf(text, sizeof(text), "%s %lld.%09ld", target,
		 (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	add_row(path, text);
	return 0;
}

/* All that is in a folder, in one text. */
static void add_tree(struct buf *b, const char *folder)
{
	forget();
	searched = folder;
	CHECK_INT(nftw(folder, add_with_time, 16, FTW_PHYS), 0);
	qsort(rows, n_rows, sizeof(*rows), by_bytes);
	for (size_t i = 0; i < n_rows; i++) {
		buf_add(b, span_of(rows[i]));
		buf_addc(b, '\n');
	}
	CHECK(n_rows > 0);
	forget();
}

static void exported(void)
{
	struct buf ours = { 0 }, theirs = { 0 };
	mount_work();
	CHECK_INT(HEAR(sessfs_program(), "export", test_path("out"),
		       mounts_session),
		  0);
	add_tree(&ours, "by-file");
	add_tree(&theirs, test_path("out/by-file"));
	CHECK_SPAN(buf_span(&theirs), buf_span(&ours));
	CHECK_HAS(test_path("out/by-file/src/wc.c/0003-edit/content"),
		  "path: src/wc.c");
	buf_free(&ours);
	buf_free(&theirs);
}

static void ten_thousand(void)
{
	enum { N = 10000 };
	struct buf b = { 0 };
	buf_add(&b, SPAN(HEADER));
	for (int i = 0; i < N; i++) {
		char line[512];
		snprintf(line, sizeof(line),
			 CALLS("%08x", "null",
			       CALL("c%d", "read",
				    "{'path':'d%d/same.c'}") "," CALL("e%d",
								      "edit",
								      "{'path':"
								      "'one.c'"
								      "}")),
			 (unsigned)i, i, i, i);
		buf_add(&b, span_of(line));
	}
	buf_addc(&b, '\0');
	mount_lines(b.data);
	buf_free(&b);
	CHECK_INT(test_count_names("by-file", ""), N + 1);
	CHECK_INT(test_count_names("by-file/one.c", ""), N);
	CHECK_LINK("by-file/one.c/10000-edit", "../../by-id/0000270f");
	CHECK_LINK("by-file/d5000/same.c/0001-read", "../../../by-id/00001388");
}

static const struct mounts_test tests[] = {
	TEST("a file is a folder, with a link to each entry that touched it",
	     folder_of_links),
	TEST("by-file/ grows with the session, and nothing in it is stale",
	     grows),
	TEST("without calls by-file/ is empty; nothing can be made in it",
	     empty),
	TEST("ln moves HEAD to the entry that a link leads to", moves_head),
	TEST("mounts of all formats have it", all_formats),
	TEST("in a folder of sessions each has its own, also when it was out "
	     "of memory",
	     out_of_memory),
	TEST("an export has it, as the mount shows it", exported),
	FULL_TEST("ten thousand files and calls", ten_thousand),
};
RUN_TESTS(tests)
