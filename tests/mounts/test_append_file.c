/* The file append itself, and the session file that its lines go to. */
#include "tests/mounts/mounts.h"

#include <sys/mount.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define SAYS(text) "{'role':'user','content':'" text "'}"

/* Write all bytes in as many calls as it takes, as cat does; 0 or errno. */
static int write_all(int fd, struct span bytes)
{
	while (bytes.n > 0) {
		ssize_t n = write(fd, bytes.p, bytes.n);
		if (n < 0)
			return errno;
		bytes.p += n;
		bytes.n -= (size_t)n;
	}
	return 0;
}

/* A line of the session, the first is 1. */
static struct span nth_line(size_t n)
{
	struct span rest = text_of(mounts_session), line = { "", 0 };
	while (n-- > 0)
		line = span_next(&rest, '\n');
	return line;
}

/* How many lines of the session are JSON? */
static size_t json_lines(void)
{
	size_t n = 0;
	for (struct span rest = text_of(mounts_session); rest.n > 0;) {
		struct span line = span_next(&rest, '\n');
		cJSON *json = cJSON_ParseWithLength(line.p, line.n);
		n += json != NULL;
		cJSON_Delete(json);
	}
	return n;
}

/* Is the text of the last line's message this? */
static bool last_says(const char *text)
{
	cJSON *line = last_line();
	const char *said = cJSON_GetStringValue(cJSON_GetObjectItem(
		cJSON_GetObjectItem(line, "message"), "content"));
	bool is = said && strcmp(said, text) == 0;
	cJSON_Delete(line);
	return is;
}

static size_t listed;

/* For nftw(3): in the root no name may have it in it. */
static int count_append(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	const char *name = path + ftw->base;
	(void)st;
	(void)type;
	listed += ftw->level == 1 ? strstr(name, "append") != NULL
				  : strcmp(name, "append") == 0;
	return 0;
}

static void no_size(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	CHECK_INT(ERRNO(chmod(mounts_session, 0640)), 0);
	mount_session();
	struct stat st = stat_of("append"), session = stat_of(mounts_session);
	CHECK_INT(st.st_mode, S_IFREG | 0200);
	CHECK_INT(st.st_size, 0);
	CHECK_INT(st.st_nlink, 1);
	CHECK_INT(st.st_uid, session.st_uid);
	CHECK_INT(st.st_gid, session.st_gid);
	CHECK_INT(put("append", "{\"role\":\"user\""), 0);
	CHECK_INT(say(SAYS("x")), 0);
	CHECK_INT(stat_of("append").st_ino, st.st_ino);
	CHECK_INT(stat_of("append").st_size, 0);
	CHECK_INT(ERRNO(access("append", W_OK)), 0);
	listed = 0;
	CHECK_INT(ERRNO(nftw(".", count_append, 16, FTW_PHYS)), 0);
	CHECK_INT(listed, 0);
	CHECK_FILE("append", geteuid() == 0 ? "" : strerror(EACCES));
	CHECK_INT(ERRNO(chmod(mounts_session, 0600)), 0);
	CHECK_INT(stat_of("append").st_mode, S_IFREG | 0200);
	unmount();
	mount_session();
	CHECK_INT(stat_of("append").st_ino, st.st_ino);
}

static void stays(void)
{
	const char *line = test_file("line", SAYS("x") "\n");
	mount_fixture(BRANCHES);
	keep_session();
	CHECK_INT(put("append", ""), 0);
	CHECK_INT(write_with(O_CREAT | O_APPEND, "append", SPAN("")), 0);
	CHECK_INT(ERRNO(truncate("append", 0)), 0);
	CHECK_INT(ERRNO(unlink("append")), EPERM);
	CHECK_INT(ERRNO(rename("append", "x")), EPERM);
	CHECK_INT(ERRNO(rename("append", "HEAD")), EPERM);
	/* Where mv(1) moves it, for HEAD leads to a folder. */
	CHECK_INT(ERRNO(rename("append", "HEAD/append")), EPERM);
	CHECK_INT(ERRNO(chmod("append", 0600)), EPERM);
	CHECK_INT(ERRNO(chown("append", 1, (gid_t)-1)), EPERM);
	CHECK_INT(ERRNO(link("append", "x")), EPERM);
	CHECK_INT(ERRNO(mkdir("append", 0755)), EEXIST);
	CHECK_INT(ERRNO(symlink("by-id/aa000004", "append")), EEXIST);
	CHECK_INT(ERRNO(rename(line, "append")), EXDEV);
	CHECK_KEPT();
}

/* Neither a shell's > nor its >> writes anything. */
static void check_read_only(int err)
{
	keep_session();
	CHECK_INT(say(SAYS("x")), err);
	CHECK_INT(write_with(O_APPEND | O_CREAT, "append",
			     SPAN("{\"role\":\"user\",\"content\":\"x\"}\n")),
		  err);
	CHECK_KEPT();
}

static void read_only(void)
{
	static const char *const fixtures[] = { "claude-basic.jsonl",
						"claude-compact.jsonl" };
	int for_root = geteuid() == 0 ? EROFS : EACCES;
	struct buf raw = { 0 };
	for (size_t i = 0; i < COUNT(fixtures); i++) {
		test_row = fixtures[i];
		mount_fixture(fixtures[i]);
		CHECK_INT(stat_of("append").st_mode, S_IFREG | 0200);
		CHECK_VALUE("info", "writable", "HEAD and labels");
		check_read_only(EROFS);
		buf_clear(&raw);
		buf_add(&raw, text_of("HEAD/raw.json"));
		CHECK(span_ends(buf_span(&raw), SPAN("}\n")));
		CHECK_INT(write_with(O_APPEND | O_CREAT, "append",
				     buf_span(&raw)),
			  EROFS);
		CHECK(value_in("info", "last-refused").n > 0);
		CHECK_KEPT();
		CHECK(!exists(test_path("session.sessfs.json")));
		unmount();
	}
	buf_free(&raw);
	test_row = "lines";
	test_file("session.jsonl", "{'a':1}\n");
	mount_with("dialect=lines");
	check_read_only(for_root);
	unmount();
	test_row = "no header";
	mount_lines(USER("00000001", "null", "one"));
	check_read_only(for_root);
	unmount();
	test_row = "-o ro";
	test_copy(fixture(BRANCHES), mounts_session);
	mount_with("ro");
	check_read_only(EROFS);
}

#define V1 "pi-v1-linear.jsonl"

static void migrated(void)
{
	struct buf leaf = { 0 }, old = { 0 };
	mount_fixture(V1);
	buf_add(&leaf, link_at("HEAD"));
	CHECK(span_starts(buf_span(&leaf), SPAN("by-id/")));
	CHECK_INT(say(SAYS("six")), 0);
	test_read(fixture(V1), &old);
	CHECK_SPAN(text_of(test_path("session.jsonl.v1.bak")), buf_span(&old));
	struct span first = nth_line(1);
	cJSON *header = cJSON_ParseWithLength(first.p, first.n);
	const cJSON *version = cJSON_GetObjectItem(header, "version");
	CHECK(cJSON_IsNumber(version) && version->valuedouble == 3);
	cJSON_Delete(header);
	struct span id = buf_span(&leaf);
	id.p += strlen("by-id/");
	id.n -= strlen("by-id/");
	CHECK_SPAN(last("parentId"), id);
	CHECK(are_made(-1));
	CHECK_FILE("HEAD/content", "six\n");
	struct span parent = link_at("HEAD/parent");
	CHECK(span_starts(parent, SPAN("../")));
	CHECK(span_ends(parent, id) && parent.n == strlen("../") + id.n);
	CHECK_VALUE("info", "version", "3");
	buf_free(&leaf);
	buf_free(&old);
}

/* A line is refused, and info has why. */
static void check_refused(const char *line)
{
	keep_session();
	CHECK_INT(say(line), EINVAL);
	CHECK_KEPT();
	CHECK(value_in("info", "last-refused").n > 0);
}

static void not_migrated(void)
{
	mount_fixture(V1);
	CHECK_INT(value_in("info", "last-refused").n, 0);
	check_refused("{'role':'user'}");
	check_refused("{'type':'custom','customType':'x','parentId':"
		      "'nowhere'}");
	CHECK(!exists(test_path("session.jsonl.v1.bak")));
	struct buf old = { 0 };
	test_read(fixture(V1), &old);
	CHECK_SPAN(text_of(mounts_session), buf_span(&old));
	buf_free(&old);
}

static void *say_durable(void *err)
{
	*(int *)err = say(SAYS("durable"));
	return NULL;
}

/* Rules: A1 */
static void durable(void)
{
	pthread_t writer;
	int err = -1;
	struct timespec until;
	test_copy(fixture(BRANCHES), mounts_session);
	mount_meeting("hold", "sync");
	keep_session();
	test_file("while", "");
	test_need(pthread_create(&writer, NULL, say_durable, &err) == 0,
		  "pthread_create");
	WAIT_UNTIL(has(test_path("met"), "met fdatasync\n"));
	CHECK(has(mounts_session, "\"durable\""));
	/* The write must not return now: there is nothing to wait for. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 300000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	int joined = pthread_timedjoin_np(writer, NULL, &until);
	CHECK_INT(joined, ETIMEDOUT);
	CHECK_INT(ERRNO(unlink(test_path("while"))), 0);
	if (joined != 0)
		CHECK_INT(pthread_join(writer, NULL), 0);
	CHECK_INT(err, 0);
	CHECK(have_come(1));
}

/* The session is in a file system of 256 KiB. */
static void on_a_full_disk(void)
{
	struct buf line = { 0 };
	buf_adds(&line, "{\"role\":\"user\",\"content\":\"");
	buf_fill(&line, '0', 400000);
	buf_adds(&line, "\"}\n");
	test_copy(fixture(BRANCHES), mounts_session);
	mount_source(mounts_session);
	keep_session();
	int fd = open("append", O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_INT(write_all(fd, buf_span(&line)), ENOSPC);
	close(fd);
	buf_free(&line);
	CHECK_KEPT();
	CHECK_INT(say(SAYS("small")), 0);
	CHECK_FILE("HEAD/content", "small\n");
	CHECK(have_come(1));
}

static void full_disk(void)
{
	char small[PATH_MAX], session[PATH_MAX];
	const char *own = mounts_session;
	snprintf(small, sizeof(small), "%s", test_path("small"));
	snprintf(session, sizeof(session), "%s",
		 test_path("small/session.jsonl"));
	CHECK_INT(ERRNO(mkdir(small, 0755)), 0);
	int err = ERRNO(mount("tmpfs", small, "tmpfs", 0, "size=256k"));
	CHECK_INT(err, 0);
	if (err)
		return;
	mounts_session = session;
	on_a_full_disk();
	mounts_session = own;
	/* The daemon has a file of it open until it ends. */
	CHECK_INT(ERRNO(umount2(small, MNT_DETACH)), 0);
}

static void locked(void)
{
	mount_fixture(BRANCHES);
	keep_session();
	int fd = open(mounts_session, O_RDWR | O_CLOEXEC);
	test_need(flock(fd, LOCK_EX) == 0, "flock");
	CHECK_INT(say(SAYS("x")), EBUSY);
	CHECK_KEPT();
	close(fd);
	CHECK_INT(say(SAYS("later")), 0);
	CHECK_FILE("HEAD/content", "later\n");
	CHECK(have_come(1));
}

static void replaced(void)
{
	static const char end[] = "tent\":\"after\"}\n";
	const char *old = test_path("old"), *new = test_path("new");
	mount_fixture(BRANCHES);
	CHECK_INT(ERRNO(link(mounts_session, old)), 0);
	test_copy(fixture("pi-v3-compaction.jsonl"), new);
	int fd = open("append", O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_INT(
		write_all(fd,
			  SPAN("{\"role\":\"user\",\"content\":\"before\"}\n")),
		0);
	CHECK_INT(write_all(fd, SPAN("{\"role\":\"user\",\"con")), 0);
	keep_session();
	CHECK_INT(ERRNO(rename(new, mounts_session)), 0);
	/* The line goes to the current session, or fails with ESTALE, but never
	 * to the old file. */
	int err = write_all(fd, span_of(end));
	CHECK(err == 0 || err == ESTALE);
	close(fd);
	CHECK_INT(say(SAYS("then")), 0);
	CHECK_SPAN(text_of(old), buf_span(&mounts_kept));
	struct span at = buf_span(&mounts_kept);
	size_t n = 0;
	for (; at.n > 0; n++)
		span_next(&at, '\n');
	CHECK_INT(n, 26);
	test_read(fixture("pi-v3-compaction.jsonl"), &mounts_kept);
	CHECK(have_come(err ? 1 : 2));
	CHECK_INT(json_lines(), session_lines());
	CHECK(last_says("then"));
	struct span before = nth_line(session_lines() - 1);
	cJSON *json = cJSON_ParseWithLength(before.p, before.n);
	const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(json, "id"));
	CHECK_SPAN(last("parentId"), span_of(id ? id : "-"));
	cJSON_Delete(json);
	CHECK_FILE("HEAD/content", "then\n");
}

/* Write a line to each of three sessions, six bytes at a time in turn. */
static void write_in_turn(const int files[3], const char *const names[3],
			  int number)
{
	char lines[3][64];
	for (int i = 0; i < 3; i++)
		snprintf(lines[i], sizeof(lines[i]),
			 "{\"role\":\"user\",\"content\":\"%s %d\"}\n",
			 names[i], number);
	for (size_t at = 0; at < 60; at += 6)
		for (int i = 0; i < 3; i++) {
			size_t n = strlen(lines[i]);
			if (at >= n)
				continue;
			n = n - at < 6 ? n - at : 6;
			CHECK_INT(write(files[i], lines[i] + at, n), n);
		}
}

static void own_append(void)
{
	static const char *const names[] = { "one", "two", "below/three" };
	int files[3];
	char path[64], text[512];
	test_need(mkdir(test_path("all"), 0755) == 0 &&
			  mkdir(test_path("all/below"), 0755) == 0,
		  "all");
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "all/%s.jsonl", names[i]);
		snprintf(text, sizeof(text),
			 HEADER USER("00000001", "null", "%s"), names[i]);
		test_file(path, text);
	}
	test_copy(fixture("claude-basic.jsonl"), test_path("all/c.jsonl"));
	/* Only one session is kept in memory. */
	test_need(RUN(sessfs_program(), "-o", "keep=1", test_path("all"),
		      mounts_at) == 0 &&
			  chdir(mounts_at) == 0,
		  "mounting failed");
	CHECK(!exists("append"));
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/append", names[i]);
		files[i] = open(path, O_WRONLY | O_CLOEXEC);
		CHECK(files[i] >= 0);
	}
	for (int number = 0; number < 3; number++)
		write_in_turn(files, names, number);
	for (int i = 0; i < 3; i++)
		CHECK_INT(ERRNO(close(files[i])), 0);
	for (int i = 0; i < 3; i++) {
		const char *name = test_row = names[i];
		snprintf(path, sizeof(path), "%s/context.txt", name);
		snprintf(text, sizeof(text),
			 "[User]: %s\n\n[User]: %s 0\n\n[User]: %s 1\n\n"
			 "[User]: %s 2\n",
			 name, name, name, name);
		CHECK_FILE(path, text);
		snprintf(path, sizeof(path), "all/%s.jsonl", name);
		size_t n = 0;
		for (struct span s = text_of(test_path(path)); s.n > 0; n++)
			span_next(&s, '\n');
		CHECK_INT(n, 5);
	}
	test_row = NULL;
	CHECK(stat_of("one/append").st_ino != stat_of("two/append").st_ino);
	CHECK_INT(write_with(O_APPEND | O_CREAT, "c/append",
			     SPAN("{\"role\":\"user\",\"content\":\"x\"}\n")),
		  EROFS);
	test_read(test_path("all/one.jsonl"), &mounts_kept);
	CHECK_INT(put("one/append", "{}\n"), EINVAL);
	CHECK_SPAN(text_of(test_path("all/one.jsonl")), buf_span(&mounts_kept));
	CHECK(value_in("one/info", "last-refused").n > 0);
	CHECK_HAS("two/info", "\nwritable: yes\n");
	CHECK_INT(value_in("two/info", "last-refused").n, 0);
}

static const struct mounts_test tests[] = {
	TEST("append has no size, is not read, and is not listed", no_size),
	TEST("append can't be removed, renamed, replaced or changed; "
	     "truncating does nothing",
	     stays),
	TEST("read-only formats, files without a header, and -o ro: EROFS",
	     read_only),
	TEST("a session of version 1 is migrated first", migrated),
	TEST("a refused line does not migrate a session of version 1",
	     not_migrated),
	TEST("a line is on the disk before write returns", durable),
	ROOT_TEST("a full disk: the line is not there, not even a part of it",
		  full_disk),
	TEST("a lock that is not let go: EBUSY, and the line can be written "
	     "later",
	     locked),
	TEST("the session is replaced while a writer has append open",
	     replaced),
	TEST("each session of a folder has an append of its own", own_append),
};
RUN_TESTS(tests)
