/* The files of a mount: names, attributes, sizes, links. */
#include <regex.h>
#include <sys/statvfs.h>

#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define IN_TREE(id) \
	"tree/aa000001/aa000003/aa000004/aa000005/aa000006/aa000007/" id
/* 2026-03-01 10:00:00 */
#define TEN_O_CLOCK 1772359200

static bool is_file(const char *path)
{
	return S_ISREG(stat_of(path).st_mode);
}

static int lstat_error(const char *path)
{
	struct stat st;
	return ERRNO(lstat(path, &st));
}

static bool same_file(const char *one, const char *other)
{
	struct stat a = stat_of(one), b = stat_of(other);
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Rules: R1 */
static void root(void)
{
	mount_fixture(BRANCHES);
	CHECK_ROOT("HEAD branches by-file by-id by-label context.txt "
		   "files info name path tree tree.txt ");
	CHECK(is_file("context.json"));
	CHECK(S_ISDIR(stat_of("as").st_mode));
	CHECK(is_file("append"));
	CHECK(is_file("tree.html"));
	CHECK(is_file("files.txt"));
}

/* Rules: E1 */
static void entry_folder(void)
{
	static const char *const hidden[] = {
		"context.txt", "context.json",	 "branch.jsonl", "raw.json",
		"words",       "as/openai.json", "files.txt",
	};
	mount_fixture(BRANCHES);
	CHECK_NAMES("by-id/aa000008",
		    "aa000009 aa000012 content label meta parent ");
	CHECK_NAMES(IN_TREE("aa000008"),
		    "aa000009 aa000012 content label meta ");
	for (size_t i = 0; i < COUNT(hidden); i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-id/aa000008/%s", hidden[i]);
		test_row = path;
		CHECK(is_file(path));
		snprintf(path, sizeof(path), "tree/aa000001/aa000003/%s",
			 hidden[i]);
		CHECK(is_file(path));
		test_row = NULL;
	}
	CHECK_INT(lstat_error("by-id/aa000001/parent"), ENOENT);
	CHECK_INT(lstat_error("tree/aa000001/aa000003/parent"), ENOENT);
	CHECK_INT(lstat_error("by-id/aa000001/aa000004"), ENOENT);
}

static void up_and_down(void)
{
	mount_fixture(BRANCHES);
	CHECK(S_ISDIR(stat_of("tree/aa000001/aa000003").st_mode));
	CHECK_LINK("by-id/aa000001/aa000003", "../aa000003");
	CHECK_LINK("by-id/aa000003/parent", "../aa000001");
	CHECK_FILE("by-id/aa000001/aa000003/aa000004/content",
		   "list the files\n");
	CHECK_INT(ERRNO(chdir("HEAD/parent")), 0);
	CHECK_FILE("content", "part one, \n"
			      "part two\n"
			      "\n"
			      "[image/png 8 bytes: 1.png]\n");
}

/* What walks have met: a text for each file. */
static struct buf met;
static size_t n_met;

static int by_name(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Walk, and sort the texts that `note` adds to `met`, each with a NUL: the same
 * with line breaks. The caller frees it. */
static struct buf walk(const char *from, __nftw_func_t note)
{
	struct buf sorted = { 0 };
	buf_clear(&met);
	n_met = 0;
	CHECK_INT(nftw(from, note, 64, FTW_PHYS), 0);
	const char **texts = calloc(n_met + 1, sizeof(*texts));
	test_need(texts != NULL, "memory");
	size_t at = 0;
	for (size_t i = 0; i < n_met; i++) {
		texts[i] = met.data + at;
		at += strlen(texts[i]) + 1;
	}
	qsort(texts, n_met, sizeof(*texts), by_name);
	for (size_t i = 0; i < n_met; i++)
		buf_addf(&sorted, "%s\n", texts[i]);
	free(texts);
	return sorted;
}

static void meet(const char *text)
{
	buf_add(&met, (struct span){ text, strlen(text) + 1 });
	n_met++;
}

static int note_file(const char *path, const struct stat *st, int type,
		     struct FTW *ftw)
{
	(void)ftw;
	if (type == FTW_F && S_ISREG(st->st_mode))
		meet(path);
	return 0;
}

static void check_size(const char *path)
{
	struct stat st;
	test_row = path;
	off_t size = stat_of(path).st_size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	CHECK_INT(st.st_size, size);
	close(fd);
	CHECK_INT(text_of(path).n, size);
	test_row = NULL;
}

static void sizes(void)
{
	static const char *const hidden[] = { "context.txt",  "context.json",
					      "branch.jsonl", "raw.json",
					      "words",	      "files.txt" };
	struct buf ids = { 0 };
	char path[PATH_MAX];
	size_t n = 0;
	mount_fixture(BRANCHES);
	struct buf files = walk(".", note_file);
	buf_adds(&files, "./context.json\n./files.txt\n./tree.html\n");
	buf_add(&ids, names_in("by-id"));
	for (size_t i = 0; i < COUNT(hidden); i++)
		for (struct span rest = buf_span(&ids); rest.n > 0;) {
			struct span id = span_next(&rest, ' ');
			buf_addf(&files, "by-id/%.*s/%s\n", (int)id.n, id.p,
				 hidden[i]);
		}
	buf_free(&ids);
	unmount();
	mount_session();
	for (struct span rest = buf_span(&files); rest.n > 0; n++) {
		struct span file = span_next_line(&rest);
		snprintf(path, sizeof(path), "%.*s", (int)file.n, file.p);
		check_size(path);
	}
	CHECK(n > 200);
	buf_free(&files);
}

/* Rules: E2 */
static void modes(void)
{
	static const struct {
		const char *path;
		mode_t mode;
	} rows[] = {
		{ "tree", S_IFDIR | 0550 },
		{ ".", S_IFDIR | 0750 },
		{ "by-id/aa000004", S_IFDIR | 0750 },
		{ "tree/aa000001", S_IFDIR | 0550 },
		{ "by-id/aa000004/content", S_IFREG | 0440 },
		{ "by-id/aa000004/label", S_IFREG | 0640 },
		{ "name", S_IFREG | 0640 },
		{ "append", S_IFREG | 0200 },
		{ "HEAD", S_IFLNK | 0777 },
	};
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_INT(ERRNO(chmod(mounts_session, 0640)), 0);
	if (geteuid() == 0)
		CHECK_INT(ERRNO(chown(mounts_session, 1234, 2345)), 0);
	struct stat whose = stat_of(mounts_session);
	mount_session();
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].path;
		struct stat st = stat_of(rows[i].path);
		CHECK_INT(st.st_uid, whose.st_uid);
		CHECK_INT(st.st_gid, whose.st_gid);
		CHECK_INT(st.st_mode, rows[i].mode);
	}
	test_row = NULL;
	CHECK_INT(ERRNO(chmod(mounts_session, 0600)), 0);
	CHECK_INT(stat_of("by-id/aa000004/content").st_mode, S_IFREG | 0400);
	CHECK_INT(ERRNO(chmod(mounts_session, 0664)), 0);
	CHECK_INT(stat_of("append").st_mode, S_IFREG | 0220);
}

static void check_time(const char *path, int seconds)
{
	struct stat st = stat_of(path);
	CHECK_INT(st.st_mtim.tv_sec, TEN_O_CLOCK + seconds);
	CHECK_INT(st.st_mtim.tv_nsec, 0);
}

/* Rules: E2 */
static void own_times(void)
{
	struct buf ids = { 0 };
	mount_fixture(BRANCHES);
	check_time("by-id/aa000004/content", 3);
	check_time("by-id/aa000025", 23);
	/* No other folder is of the second in which this one is. */
	buf_add(&ids, names_in("by-id"));
	buf_adds(&ids, ". ");
	for (struct span rest = buf_span(&ids); rest.n > 0;) {
		char path[64];
		struct span id = span_next(&rest, ' ');
		snprintf(path, sizeof(path), "by-id/%.*s", (int)id.n, id.p);
		struct timespec at = stat_of(path).st_mtim;
		double after = (double)(at.tv_sec - TEN_O_CLOCK) +
			       (double)at.tv_nsec / 1e9;
		test_row = path;
		CHECK_INT(after > 1.5 && after <= 2.5,
			  span_eq(id, SPAN("aa000003")));
		test_row = NULL;
	}
	buf_free(&ids);
}

static int note_inode(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	char text[PATH_MAX + 32];
	(void)type;
	(void)ftw;
	snprintf(text, sizeof(text), "%s %ju", path, (uintmax_t)st->st_ino);
	meet(text);
	return 0;
}

static int note_folder(const char *path, const struct stat *st, int type,
		       struct FTW *ftw)
{
	char text[32];
	(void)path;
	(void)ftw;
	snprintf(text, sizeof(text), "%ju", (uintmax_t)st->st_ino);
	if (type == FTW_D)
		meet(text);
	return 0;
}

static void inodes(void)
{
	mount_fixture(BRANCHES);
	struct buf before = walk(".", note_inode);
	CHECK(n_met > 200);
	unmount();
	mount_session();
	struct buf after = walk(".", note_inode);
	CHECK_SPAN(buf_span(&after), buf_span(&before));
	buf_free(&before);
	buf_free(&after);
	/* Files of an entry are in both views, as hard links are; folders are
	 * not. */
	struct buf folders = walk(".", note_folder);
	CHECK(n_met > 50);
	struct span last = SPAN("");
	for (struct span rest = buf_span(&folders); rest.n > 0;) {
		struct span inode = span_next_line(&rest);
		CHECK(!span_eq(inode, last));
		last = inode;
	}
	buf_free(&folders);
	CHECK_INT(stat_of("by-id/aa000004/content").st_nlink, 2);
	CHECK(same_file("by-id/aa000003/content",
			"tree/aa000001/aa000003/content"));
}

/* The files that have a text. */
static int note_text(const char *path, const struct stat *st, int type,
		     struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_F && has(path, "B is worse"))
		meet(path);
	return 0;
}

static void once(void)
{
	mount_fixture(BRANCHES);
	struct buf b = walk("by-id", note_text);
	CHECK_BUF(&b, "by-id/aa000011/content\n");
	buf_free(&b);
	b = walk("tree", note_text);
	CHECK_BUF(&b, IN_TREE("aa000008/aa000009/aa000010/aa000011/content\n"));
	buf_free(&b);
}

static void disk_space(void)
{
	struct statvfs fs;
	mount_fixture(BRANCHES);
	CHECK_INT(ERRNO(statvfs(".", &fs)), 0);
	uint64_t used = (fs.f_blocks - fs.f_bfree) * fs.f_frsize;
	CHECK(used >= (uint64_t)stat_of(mounts_session).st_size);
	CHECK(used < 100000);
	CHECK(fs.f_bavail > 0);
}

/* df -i prints "-" where the number of inodes is 0. */
static void no_inodes(void)
{
	mount_fixture(BRANCHES);
	test_need(mkdir(test_path("all"), 0755) == 0 &&
			  mkdir(test_path("around"), 0755) == 0,
		  "all");
	test_copy(mounts_session, test_path("all/session.jsonl"));
	CHECK_INT(RUN(sessfs_program(), test_path("all"), test_path("around")),
		  0);
	const char *const places[] = { ".", "by-id", test_path("around"),
				       test_path("around/session") };
	for (size_t i = 0; i < COUNT(places); i++) {
		struct statvfs fs;
		test_row = places[i];
		CHECK_INT(ERRNO(statvfs(places[i], &fs)), 0);
		CHECK_INT(fs.f_files, 0);
		CHECK_INT(fs.f_ffree, 0);
	}
	test_row = NULL;
}

/* Cut the first match out of a line, or all of them. */
static void cut(char *line, const char *pattern, bool all)
{
	regex_t regex;
	regmatch_t m;
	test_need(regcomp(&regex, pattern, REG_EXTENDED) == 0, pattern);
	while (regexec(&regex, line, 1, &m, 0) == 0) {
		memmove(line + m.rm_so, line + m.rm_eo,
			strlen(line + m.rm_eo) + 1);
		if (!all)
			break;
	}
	regfree(&regex);
}

/* Text in colors without them, and without the time of each line. */
static struct buf uncolored(struct span text)
{
	struct buf b = { 0 };
	while (text.n > 0) {
		char line[1024];
		struct span is = span_next_line(&text);
		snprintf(line, sizeof(line), "%.*s", (int)is.n, is.p);
		cut(line,
		    "\033\\[2m[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} \033\\[m",
		    false);
		cut(line, "\033\\[[0-9;]*m", true);
		buf_addf(&b, "%s\n", line);
	}
	return b;
}

static void colors(void)
{
	struct buf plain = { 0 }, colored = { 0 };
	mount_fixture(BRANCHES);
	buf_add(&plain, text_of("tree.txt"));
	CHECK(plain.len > 0 && !has("tree.txt", "\033"));
	unmount();
	/* The time is the reader's own: nine hours later. */
	setenv("TZ", "XXX-9", 1);
	mount_with("color");
	unsetenv("TZ");
	CHECK_HAS("tree.txt", "\033[1;33maa000001 ");
	off_t size = stat_of("tree.txt").st_size;
	buf_add(&colored, text_of("tree.txt"));
	CHECK_INT(colored.len, size);
	buf_addc(&colored, '\0');
	colored.len--;
	struct buf without = uncolored(buf_span(&colored));
	CHECK_SPAN(buf_span(&without), buf_span(&plain));
	const char *line = strstr(colored.data, "aa000001 ");
	const char *time = line ? strstr(line, "03-01 19:00") : NULL;
	CHECK(time && time < strchr(line, '\n'));
	buf_free(&without);
	buf_free(&colored);
	buf_free(&plain);
}

static const struct mounts_test tests[] = {
	TEST("the root lists HEAD, the files and the six folders", root),
	TEST("an entry folder lists content, label, meta and the parent, and "
	     "hides the rest",
	     entry_folder),
	TEST("children are folders in tree and links in by-id, and lead up and "
	     "down",
	     up_and_down),
	TEST("every size is exact before the first read", sizes),
	TEST("owner, group and mode are the session's", modes),
	TEST("mtimes are the entries' own", own_times),
	TEST("inode numbers are the same at the next mount, and no two files "
	     "share one",
	     inodes),
	TEST("a walk of one view reads every entry once", once),
	TEST("df shows the session's size and the disk's free space",
	     disk_space),
	TEST("df -i does not say that the disk is full", no_inodes),
	TEST("-o color: tree.txt is the same text, with times, in colors that "
	     "less -R shows",
	     colors),
};
RUN_TESTS(tests)
