/* One session's lock, slow file or dead server holds up that session alone. */
#include "tests/mounts/mounts.h"

#include <sys/xattr.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define EIGHT "held/by-id/aa000008/label" /* "good" */

static const char *held; /* the file of the session of that name */

/* Mount two sessions in a folder, near and held, which has two labels. */
static void mount_both(void)
{
	static char path[PATH_MAX];
	test_need(mkdir(test_path("all"), 0755) == 0, "all");
	snprintf(path, sizeof(path), "%s", test_path("all/held.jsonl"));
	held = path;
	test_copy(fixture(BRANCHES), held);
	test_copy(fixture(BRANCHES), test_path("all/near.jsonl"));
	mount_source(test_path("all"));
}

#define CHECK_HELD() CHECK_SPAN(text_of(held), buf_span(&mounts_kept))

/* What was appended to it since. */
static struct span added(void)
{
	struct span s = text_of(held);
	CHECK(span_starts(s, buf_span(&mounts_kept)));
	s.p += mounts_kept.len;
	s.n -= mounts_kept.len;
	return s;
}

static bool was_added(const char *text)
{
	struct span s = added();
	return s.n > 0 && memmem(s.p, s.n, text, strlen(text));
}

/* Truncate a file of held, and lock the session before sessfs has written that,
 * as another process. Closing the descriptor lets it go. */
static int truncate_and_lock(const char *path)
{
	int fd = open(held, O_RDWR | O_CLOEXEC);
	test_need(fd >= 0, held);
	/* Within a tenth of a second: try again where that was too slow. */
	for (int i = 0; i < 100; i++) {
		char again[32];
		snprintf(again, sizeof(again), "again %d\n", i);
		if (i > 0)
			CHECK_INT(put(path, again), 0);
		test_read(held, &mounts_kept);
		CHECK_INT(put(path, ""), 0);
		test_need(flock(fd, LOCK_EX) == 0, "flock");
		if (span_eq(text_of(held), buf_span(&mounts_kept)))
			return fd;
		test_need(flock(fd, LOCK_UN) == 0, "flock");
	}
	CHECK(!"sessfs is always faster");
	return fd;
}

/* As ls -l. */
static void list_all(const char *folder)
{
	const struct dirent *d;
	DIR *dir = opendir(folder);
	unsigned n = 0;
	test_need(dir != NULL, folder);
	while ((d = readdir(dir))) {
		char path[PATH_MAX];
		struct stat st;
		snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		CHECK_INT(ERRNO(lstat(path, &st)), 0);
		(void)lgetxattr(path, "security.selinux", NULL, 0);
		n += d->d_name[0] != '.';
	}
	closedir(dir);
	CHECK(n > 1);
}

/* A request that waited would fail the test by its time. */
static void another_session(void)
{
	mount_both();
	int lock = truncate_and_lock(EIGHT);
	CHECK_FILE("near/by-id/aa000008/label", "good\n");
	CHECK(number_in("near/info", "entries") > 0);
	list_all(".");
	list_all("near");
	CHECK_INT(put("near/by-id/aa000004/label", "fine\n"), 0);
	CHECK_INT(ERRNO(chdir("near")), 0);
	CHECK_INT(move_head("by-id/aa000004"), 0);
	CHECK_INT(ERRNO(chdir(mounts_at)), 0);
	CHECK_HELD();
	close(lock);
	/* It was not lost: had one of these waited, it would have been in vain.
	 */
	WAIT_UNTIL(was_added("\"targetId\":\"aa000008\"}\n"));
	CHECK_FILE(EIGHT, "");
}

/* The paths in sessions.txt, in the order of their bytes. */
static void check_two_sessions(void)
{
	struct span rest = text_of("sessions.txt"), paths[2];
	for (int i = 0; i < 2; i++) {
		struct span line = span_next(&rest, '\n');
		span_next(&line, '\t');
		paths[i] = span_next(&line, '\t');
	}
	int first = span_compare(paths[0], paths[1]) > 0;
	CHECK_INT(rest.n, 0);
	CHECK_SPAN(paths[first], SPAN("held"));
	CHECK_SPAN(paths[!first], SPAN("near"));
}

static void sessions_txt(void)
{
	mount_both();
	int lock = truncate_and_lock("held/name");
	check_two_sessions();
	CHECK_HELD();
	close(lock);
	WAIT_UNTIL(added().n > 0);
	struct span line = added();
	CHECK(memmem(line.p, line.n, "\"type\":\"session_info\"", 21));
	CHECK(memchr(line.p, '\n', line.n) == line.p + line.n - 1);
}

static void emptied_name(void)
{
	mount_both();
	CHECK_INT(put("held/name", "of before\n"), 0);
	CHECK_HAS("sessions.txt", "of before");
	CHECK_INT(put("held/name", ""), 0);
	CHECK(!has("sessions.txt", "of before"));
	check_two_sessions();
}

/* Does a folder that is open list the name? No other request is made. */
static bool lists(DIR *dir, const char *name)
{
	const struct dirent *d;
	bool found = false;
	rewinddir(dir);
	while ((d = readdir(dir)))
		found |= strcmp(d->d_name, name) == 0;
	return found;
}

static void in_another_folder(void)
{
	mount_both();
	int lock = truncate_and_lock(EIGHT);
	DIR *dir = opendir("near/by-id/aa000004");
	test_need(dir != NULL, "near/by-id/aa000004");
	CHECK(lists(dir, "aa000005"));
	CHECK(!lists(dir, "bb000001"));
	test_append("all/near.jsonl", USER("bb000001", "'aa000004'", "new"));
	WAIT_UNTIL(lists(dir, "bb000001"));
	closedir(dir);
	CHECK_HELD();
	close(lock);
	WAIT_UNTIL(was_added("\"targetId\":\"aa000008\"}\n"));
}

static void *read_labels(void *labels)
{
	*(long long *)labels = number_in("held/info", "labels");
	return NULL;
}

static void itself(void)
{
	pthread_t reader;
	struct timespec until;
	long long labels = -1;
	mount_both();
	int lock = truncate_and_lock(EIGHT);
	test_need(pthread_create(&reader, NULL, read_labels, &labels) == 0,
		  "pthread_create");
	/* It must not be answered now: there is nothing to wait for. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	int joined = pthread_timedjoin_np(reader, NULL, &until);
	CHECK_INT(joined, ETIMEDOUT);
	close(lock);
	if (joined != 0)
		CHECK_INT(pthread_join(reader, NULL), 0);
	CHECK_INT(labels, 1);
}

static const struct mounts_test tests[] = {
	TEST("a request of another session does not wait for a lock",
	     another_session),
	TEST("nor does sessions.txt, which has the name of after the lock",
	     sessions_txt),
	TEST("sessions.txt has no name that was emptied just before",
	     emptied_name),
	TEST("a program in another session's folder sees its new entries "
	     "meanwhile",
	     in_another_folder),
	TEST("a request of the session itself waits, and sees what was written",
	     itself),
};
RUN_TESTS(tests)
