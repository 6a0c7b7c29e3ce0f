/* The session's name: read, set, cleared, as the owning agent does. */
#include "tests/mounts/mounts.h"

#define BRANCHES "pi-v3-branches.jsonl"
#define OMP "omp-v3-basic.jsonl"

enum { SLOT = 256 }; /* bytes of the first line of oh-my-pi's sessions */

/* Is this the name in a mounted session's folder, in its file, in the size of
 * that, and in info? "" is none. */
static bool is_named(const char *folder, const char *want)
{
	char name[PATH_MAX], info[PATH_MAX], line[2048];
	snprintf(name, sizeof(name), "%s/name", folder);
	snprintf(info, sizeof(info), "%s/info", folder);
	snprintf(line, sizeof(line), *want ? "%s\n" : "%s", want);
	struct span got = text_of(name);
	if (!span_eq(got, span_of(line))) {
		test_print("name", got);
		return false;
	}
	if (stat_of(name).st_size != (off_t)strlen(line)) {
		fprintf(stderr, "    the size is %lld\n",
			(long long)stat_of(name).st_size);
		return false;
	}
	if (*want && span_eq(value_in(info, "name"), span_of(want)))
		return true;
	if (!*want && number_in(info, "entries") >= 0 && !has(info, "\nname:"))
		return true;
	test_print("info", text_of(info));
	return false;
}

#define CHECK_NAME(want) CHECK(is_named(".", want))

static mode_t mode_of(const char *path)
{
	return stat_of(path).st_mode & 07777;
}

static void is_listed(void)
{
	mount_fixture(BRANCHES);
	CHECK_NAME("Demo session");
	struct span names = names_in(".");
	CHECK(memmem(names.p, names.n, " name ", 6) != NULL);
	CHECK(S_ISREG(stat_of("name").st_mode));
	CHECK_INT(mode_of("name"), 0644);
	test_copy(fixture("pi-v3-compaction.jsonl"), mounts_session);
	CHECK_NAME("");
}

static void any_utf8(void)
{
	mount_fixture(BRANCHES);
	CHECK_INT(put("name", "größe ✓ \"x\" \\"), 0);
	CHECK_NAME("größe ✓ \"x\" \\");
	test_file("text", "copied\n");
	CHECK_INT(RUN("cp", test_path("text"), "name"), 0);
	CHECK_NAME("copied");
	test_file("text", "teed\n");
	CHECK_INT(RUN("sh", "-c", "tee name <\"$0\" >/dev/null",
		      test_path("text")),
		  0);
	CHECK_NAME("teed");
	CHECK_INT(put_pieces(O_TRUNC, "name",
			     PIECES("p", "i", "e", "c", "e", "s", "\n")),
		  0);
	CHECK_NAME("pieces");
	unmount();
	mount_session();
	CHECK_NAME("pieces");
}

/* So many bytes with each write. */
static int put_by(size_t size, const char *path, struct span text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), err = 0;
	if (fd < 0)
		return errno;
	for (size_t at = 0; at < text.n && !err; at += size) {
		size_t n = text.n - at < size ? text.n - at : size;
		err = write(fd, text.p + at, n) == (ssize_t)n ? 0 : errno;
	}
	return close(fd) < 0 && !err ? errno : err;
}

/* Half of it is written by a process that has the file from this one. */
static void two_halves(void)
{
	int status, fd = open("name", O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK_INT(write(fd, "two ", 4), 4);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0)
		_exit(write(fd, "halves\n", 7) != 7 || close(fd) != 0);
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(status, 0);
	CHECK_INT(ERRNO(close(fd)), 0);
}

static void blanks_and_cuts(void)
{
	static const char *const fixtures[] = { BRANCHES, OMP };
	char longer[1000];
	memset(longer, 'x', sizeof(longer));
	for (size_t i = 0; i < COUNT(fixtures); i++) {
		test_row = fixtures[i];
		mount_fixture(fixtures[i]);
		CHECK_INT(put_by(1, "name", SPAN("a name of words\n")), 0);
		CHECK_NAME("a name of words");
		two_halves();
		CHECK_NAME("two halves");
		CHECK_INT(put_by(100, "name",
				 (struct span){ longer, sizeof(longer) }),
			  0);
		CHECK_HAS("name", "xxxxxxxxxx");
		unmount();
	}
}

static void says_to(int fd, const char *text)
{
	CHECK_INT(write(fd, text, strlen(text)), strlen(text));
}

static void with_labels(void)
{
	enum { TRUNCATE = O_WRONLY | O_TRUNC | O_CLOEXEC };
	mount_fixture(BRANCHES);
	int name = open("name", TRUNCATE),
	    label = open("by-id/aa000004/label", TRUNCATE);
	says_to(name, "na");
	says_to(label, "la");
	says_to(name, "me\n");
	says_to(label, "bel\n");
	int line = open("append", O_WRONLY | O_CLOEXEC);
	says_to(line, "{\"role\":\"user\",\"con");
	int other = open("name", TRUNCATE);
	says_to(line, "tent\":\"x\"}\n");
	CHECK_INT(ERRNO(write(other, "a\nb", 3)), EINVAL);
	close(name);
	close(label);
	close(line);
	close(other);
	CHECK_NAME("name");
	CHECK_FILE("by-id/aa000004/label", "label\n");
	bool is_there = false;
	for (int i = -4; i < 0; i++)
		is_there |= span_eq(member(i, "message.content"), SPAN("x"));
	CHECK(is_there);
}

static void stays(void)
{
	mount_fixture(BRANCHES);
	keep_session();
	CHECK_INT(ERRNO(unlink("name")), EPERM);
	CHECK_INT(ERRNO(rename("name", "x")), EPERM);
	CHECK_INT(ERRNO(chmod("name", 0600)), EPERM);
	CHECK_INT(ERRNO(link("name", "x")), EPERM);
	/* As sed -i does. */
	CHECK_INT(write_with(O_CREAT | O_EXCL, "sedXXXXXX", SPAN("x")), EPERM);
	CHECK_KEPT();
	CHECK_NAME("Demo session");
}

/* Has oh-my-pi's session a slot in which this is the title? */
static bool is_slot(const char *title)
{
	struct span all = text_of(mounts_session), slot = { all.p, SLOT };
	if (all.n < SLOT || memchr(all.p, '\n', SLOT) != all.p + SLOT - 1)
		return false;
	cJSON *json = cJSON_ParseWithLength(slot.p, slot.n);
	const char *const names[] = { "type", "title", "updatedAt", "pad",
				      "source" };
	const char *texts[COUNT(names)];
	for (size_t i = 0; i < COUNT(names); i++)
		texts[i] = cJSON_GetStringValue(
			cJSON_GetObjectItemCaseSensitive(json, names[i]));
	const char *time = texts[2], *pad = texts[3], *source = texts[4];
	bool is = texts[0] && strcmp(texts[0], "title") == 0 &&
		  cJSON_GetNumberValue(cJSON_GetObjectItem(json, "v")) == 1 &&
		  texts[1] && strcmp(texts[1], title) == 0 &&
		  is_shaped(time, "0000-00-00T00:00:00.000Z") && pad &&
		  strspn(pad, " ") == strlen(pad) &&
		  (!source || strcmp(source, "user") == 0 ||
		   strcmp(source, "auto") == 0);
	cJSON_Delete(json);
	if (!is)
		test_print("slot", slot);
	return is;
}

/* The bytes behind the slot, which begin as the ones that are kept do from
 * there on. */
static bool goes_on_as_kept(size_t from)
{
	struct span now = text_of(mounts_session);
	size_t n = mounts_kept.len - from;
	return now.n >= SLOT + n &&
	       memcmp(now.p + SLOT, mounts_kept.data + from, n) == 0;
}

/* Rules: N1 */
static void omp_in_place(void)
{
	mount_fixture(OMP);
	CHECK_NAME("Über title");
	ino_t ino = stat_of(mounts_session).st_ino;
	keep_session();
	CHECK_INT(put("name", "Größe \"2\" \\ ✓\n"), 0);
	CHECK_NAME("Größe \"2\" \\ ✓");
	CHECK(is_slot("Größe \"2\" \\ ✓"));
	CHECK_INT(stat_of(mounts_session).st_ino, ino);
	CHECK(goes_on_as_kept(SLOT));
	CHECK(are_made(-1));
	CHECK_LAST("type", "title_change");
	CHECK_LAST("title", "Größe \"2\" \\ ✓");
	CHECK_LAST("source", "user");
	CHECK_LAST("parentId", "11000021");
	CHECK(!has(mounts_session, "\"session_info\""));
	CHECK_INT(put("name", ""), 0);
	CHECK_NAME("");
	CHECK(is_slot(""));
	CHECK_INT(stat_of(mounts_session).st_ino, ino);
	unmount();
	mount_session();
	CHECK_NAME("");
	CHECK_HEAD("by-id/11000019");
	CHECK(!exists(test_path(".session.jsonl.lock")));
}

/* A session of oh-my-pi's without that line. */
static void write_without_slot(void)
{
	test_file("session.jsonl",
		  "{'type':'session','version':3,"
		  "'id':'0198f000-0000-7000-8000-000000000001',"
		  "'timestamp':'2026-03-01T10:00:00.000Z','cwd':'/work/demo',"
		  "'title':'old','titleSource':'auto'}\n" USER("00000001",
							       "null", "one")
			  USER("00000002", "'00000001'", "two"));
}

static void check_nothing_beside(void)
{
	const struct dirent *d;
	DIR *dir = opendir(test_folder);
	test_need(dir != NULL, test_folder);
	while ((d = readdir(dir)))
		CHECK(!strstr(d->d_name, ".sessfs-"));
	closedir(dir);
}

static void omp_without_slot(void)
{
	write_without_slot();
	CHECK_INT(ERRNO(chmod(mounts_session, 0640)), 0);
	keep_session();
	mount_session();
	CHECK_NAME("old");
	/* To clear it empties the slot only, so there has to be one. */
	CHECK_INT(put("name", "new\n"), 0);
	CHECK_NAME("new");
	CHECK(is_slot("new"));
	CHECK(goes_on_as_kept(0));
	CHECK_INT(mode_of(mounts_session), 0640);
	CHECK_LAST("type", "title_change");
	CHECK_LAST("title", "new");
	CHECK_LAST("parentId", "00000002");
	CHECK_FILE("by-id/00000002/content", "two\n");
	check_nothing_beside();
	CHECK_INT(put("name", ""), 0);
	CHECK_NAME("");
	CHECK(is_slot(""));
}

static void omp_locked(void)
{
	char holder[64];
	mount_fixture(OMP);
	keep_session();
	snprintf(holder, sizeof(holder), "%d:%lld000\n", (int)getpid(),
		 (long long)time(NULL));
	test_file(".session.jsonl.lock", holder);
	CHECK_INT(put("name", "no\n"), EBUSY);
	CHECK_KEPT();
	CHECK_NAME("Über title");
}

static void omp_open_files(void)
{
	struct buf content = { 0 };
	mount_fixture(OMP);
	CHECK_INT(ERRNO(chdir("HEAD")), 0);
	buf_add(&content, text_of("../../HEAD/content"));
	CHECK_INT(put("../../name", "renamed\n"), 0);
	CHECK_SPAN(text_of("content"), buf_span(&content));
	CHECK(is_named("../..", "renamed"));
	CHECK_FILE("../../by-id/11000010/content",
		   "ok\n\n[tool call] bash\ncommand: ls\n");
	buf_free(&content);
}

/* Copy fixtures into a folder, and mount that; names are without .jsonl. */
static void mount_copies(const char *const names[], size_t n)
{
	CHECK_INT(ERRNO(mkdir(test_path("all"), 0755)), 0);
	for (size_t i = 0; i < n; i++) {
		char name[64], copy[128];
		snprintf(name, sizeof(name), "%s.jsonl", names[i]);
		snprintf(copy, sizeof(copy), "all/%s", name);
		test_copy(fixture(name), test_path(copy));
	}
	mount_source(test_path("all"));
}

/* Has nothing been written to a copy? */
static bool is_unchanged(const char *name)
{
	char copy[128], of[64];
	struct buf was = { 0 };
	snprintf(of, sizeof(of), "%s.jsonl", name);
	snprintf(copy, sizeof(copy), "all/%s", of);
	bool is = span_eq(text_of(test_path(copy)),
			  buf_span(test_read(fixture(of), &was)));
	buf_free(&was);
	return is;
}

/* Both ways to write a name fail; modes forbid them as well. */
static void check_refused(const char *path, int err)
{
	int for_root = geteuid() == 0 ? err : EACCES;
	CHECK_INT(write_with(0, path, SPAN("x")), for_root);
	CHECK_INT(put(path, "x\n"), for_root);
}

static void read_only(void)
{
	static const char *const claude[] = { "claude-basic" };
	test_file("lines.jsonl", "{'a':1}\n");
	mount_copies(claude, 1);
	CHECK_INT(stat_of("claude-basic/name").st_mode, S_IFREG | 0644);
	CHECK_INT(put("claude-basic/name", "x\n"), EROFS);
	CHECK(is_unchanged("claude-basic"));
	CHECK(!exists(test_path("all/claude-basic.sessfs.json")));
	test_file("all/no-header.jsonl", USER("00000001", "null", "one"));
	check_refused("no-header/name", EROFS);
	mkdir(test_path("lines"), 0755);
	mkdir(test_path("ro"), 0755);
	CHECK_INT(RUN(sessfs_program(), "-o", "dialect=lines",
		      test_path("lines.jsonl"), test_path("lines")),
		  0);
	check_refused(test_path("lines/name"), EROFS);
	CHECK_INT(RUN(sessfs_program(), "-o", "ro", fixture(BRANCHES),
		      test_path("ro")),
		  0);
	CHECK_INT(put(test_path("ro/name"), "x\n"), EROFS);
	CHECK(is_named(test_path("ro"), "Demo session"));
}

static void in_a_folder(void)
{
	static const char *const names[] = { "pi-v3-branches", "omp-v3-basic" };
	mount_copies(names, COUNT(names));
	CHECK(!exists("name"));
	CHECK_INT(put("pi-v3-branches/name", "first\n"), 0);
	CHECK_FILE("omp-v3-basic/name", "Über title\n");
	CHECK_INT(put("omp-v3-basic/name", "second\n"), 0);
	CHECK_FILE("pi-v3-branches/name", "first\n");
	CHECK_FILE("omp-v3-basic/name", "second\n");
}

static const struct mounts_test tests[] = {
	TEST("name is the agent's name of the session, and is listed",
	     is_listed),
	TEST("a name of any UTF-8, in pieces, from cp and tee, at the next "
	     "mount",
	     any_utf8),
	TEST("a name in pieces that end in blanks, or that its format cuts",
	     blanks_and_cuts),
	TEST("a name and labels that are written at once do not disturb each "
	     "other",
	     with_labels),
	TEST("it can't be removed, renamed, replaced or changed", stays),
	TEST("omp: the slot is overwritten in place, and an entry is appended",
	     omp_in_place),
	TEST("omp: a file without a slot is replaced by one that has it",
	     omp_without_slot),
	TEST("omp: while the agent holds its lock, EBUSY, and the slot stays",
	     omp_locked),
	TEST("omp: the slot changes while files of the mount are open",
	     omp_open_files),
	TEST("read-only formats, files without a header, and -o ro: EROFS",
	     read_only),
	TEST("each session of a folder has a name of its own", in_a_folder),
};
RUN_TESTS(tests)
