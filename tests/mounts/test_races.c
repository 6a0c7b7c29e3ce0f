/*
 * Two things at once, in orders that no other file tries: tests/crash/README.md
 * has the table of all.
 */
#include "tests/mounts/mounts.h"

#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>

#define TWO                                    \
	HEADER USER("00000001", "null", "one") \
		USER("00000002", "'00000001'", "two")
#define THREE "{\"role\":\"user\",\"content\":\"three\"}\n"

extern char **environ;

/* A move of HEAD to the first entry, by another thread. */
static struct moving {
	pthread_t thread;
	char from[PATH_MAX]; /* the link that is made */
	char to[PATH_MAX];   /* HEAD */
	int err;
} moving;

static void *move_it(void *data)
{
	struct moving *m = data;
	m->err = ERRNO(rename(m->from, m->to));
	return NULL;
}

/* Mount the session, lock it, and begin the move. Returns when that has found
 * the lock, and is held up until go_on(). */
static int move_locked(void)
{
	test_file("session.jsonl", TWO);
	keep_session();
	mount_meeting("hold", "sleep");
	int fd = open(mounts_session, O_RDWR | O_CLOEXEC);
	test_need(fd >= 0 && flock(fd, LOCK_EX) == 0, "flock");
	moving = (struct moving){ .err = -1 };
	snprintf(moving.from, sizeof(moving.from), "%s/HEAD.new", mounts_at);
	snprintf(moving.to, sizeof(moving.to), "%s/HEAD", mounts_at);
	CHECK_INT(ERRNO(symlink("by-id/00000001", moving.from)), 0);
	test_file("while", "");
	test_need(pthread_create(&moving.thread, NULL, move_it, &moving) == 0,
		  "pthread_create");
	WAIT_UNTIL(has(test_path("met"), "met nanosleep\n"));
	return fd;
}

/* Let the lock go: what has come of the move. */
static int go_on(int lock)
{
	close(lock);
	CHECK_INT(ERRNO(unlink(test_path("while"))), 0);
	CHECK_INT(pthread_join(moving.thread, NULL), 0);
	return moving.err;
}

static void removed(void)
{
	int lock = move_locked();
	CHECK_INT(ERRNO(unlink(mounts_session)), 0);
	CHECK_INT(go_on(lock), ENOENT);
	CHECK(!exists(mounts_session));
	/* Nor later, and a new file is a new session. */
	test_file("session.jsonl", HEADER USER("00000003", "null", "three"));
	WAIT_UNTIL(span_eq(link_at("HEAD"), SPAN("by-id/00000003")));
}

static void ended(void)
{
	int lock = move_locked();
	CHECK(is_mounted(mounts_at));
	CHECK_INT(ERRNO(kill(daemon_pid(), SIGTERM)), 0);
	/* A test that stands inside would not see whether it is unmounted. */
	CHECK_INT(ERRNO(chdir("/")), 0);
	int err = go_on(lock);
	WAIT_UNTIL(!is_mounted(mounts_at));
	unmount();
	if (err) {
		CHECK_KEPT();
		return;
	}
	mount_session();
	CHECK_HEAD("by-id/00000001");
}

/* In a folder, so that it has its new name. */
static void renamed(void)
{
	bool was_set = is_set("IN_FOLDER");
	char new[PATH_MAX];
	snprintf(new, sizeof(new), "%s", test_path("renamed.jsonl"));
	setenv("IN_FOLDER", "yes", 1);
	mount_lines(TWO);
	if (!was_set)
		unsetenv("IN_FOLDER");
	CHECK_INT(ERRNO(chdir("..")), 0);
	keep_session();
	int fd = open("session/append", O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_INT(ERRNO(rename(mounts_session, new)), 0);
	/* A line for a session that is gone is not taken. */
	int err = ERRNO(write(fd, THREE, strlen(THREE)));
	CHECK(err == ESTALE || err == ENOENT);
	CHECK(!exists(mounts_session));
	close(fd);
	CHECK_SPAN(text_of(new), buf_span(&mounts_kept));
	CHECK_INT(put("renamed/append", THREE), 0);
	CHECK_FILE("renamed/HEAD/content", "three\n");
	CHECK_INT(ERRNO(rename(new, mounts_session)), 0);
	CHECK_FILE("session/HEAD/content", "three\n");
}

/* An agent that appends messages until it has done enough. */
static void *append_on(void *enough)
{
	int fd = open(mounts_session, O_WRONLY | O_APPEND | O_CLOEXEC);
	test_need(fd >= 0, mounts_session);
	for (unsigned i = 3; !__atomic_load_n((bool *)enough, __ATOMIC_ACQUIRE);
	     i++) {
		char line[512];
		snprintf(line, sizeof(line),
			 USER("%08u", "'%08u'", "message %u"), i, i - 1, i);
		struct buf b = test_quoted(line);
		test_need(write(fd, b.data, b.len) == (ssize_t)b.len,
			  mounts_session);
		buf_free(&b);
		/* As fast as a shell would. */
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
	close(fd);
	return NULL;
}

/* Start sessfs in the foreground, with its stderr in this file. */
static void start_daemon(const char *errors)
{
	const char *const argv[] = { sessfs_program(), "-f", mounts_session,
				     mounts_at, NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;
	test_need(posix_spawn_file_actions_init(&files) == 0 &&
			  posix_spawn_file_actions_addopen(
				  &files, STDERR_FILENO, errors,
				  O_WRONLY | O_CREAT | O_TRUNC, 0600) == 0 &&
			  posix_spawn(&pid, argv[0], &files, NULL,
				      (char **)argv, environ) == 0,
		  argv[0]);
	posix_spawn_file_actions_destroy(&files);
}

static size_t count_entries(void)
{
	size_t n = 0;
	for (struct span names = listed_in("by-id"); names.n > 0; n++)
		span_next(&names, ' ');
	return n;
}

/* Notifications are under way at each unmounting, and the first requests of
 * each mount come while the file grows. */
static void again_and_again(void)
{
	pthread_t agent;
	bool enough = false;
	char errors[PATH_MAX], says[32];
	size_t lines;
	snprintf(errors, sizeof(errors), "%s", test_path("err"));
	test_file("session.jsonl", TWO);
	test_need(pthread_create(&agent, NULL, append_on, &enough) == 0,
		  "pthread_create");
	for (int i = 0; i < 8; i++) {
		start_daemon(errors);
		WAIT_UNTIL(is_mounted(mounts_at));
		CHECK_INT(ERRNO(chdir(mounts_at)), 0);
		lines = session_lines();
		CHECK(count_entries() >= lines - 1);
		/* It ends with status 0, and says nothing. */
		unmount();
		CHECK_FILE(errors, "");
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELEASE);
	CHECK_INT(pthread_join(agent, NULL), 0);
	mount_session();
	lines = session_lines();
	CHECK(lines > 3);
	CHECK_INT(count_entries(), lines - 1);
	snprintf(says, sizeof(says), "message %zu\n", lines - 1);
	CHECK_FILE("HEAD/content", says);
}

/* A session is deleted between two pieces of a listing of links. */
static void deleted_while_listed(void)
{
	enum { SESSIONS = 60, OTHERS = 1 };
	char room[512], late[NAME_MAX + 1] = "";
	make_home();
	make_folder(test_path("all"));
	make_folder(test_path("other"));
	for (int i = 1; i <= SESSIONS; i++)
		test_file(filled("all/s%d.jsonl", i),
			  filled("%s" USER("00000001", "null", "I am %d"),
				 HEADER, i));
	test_copy(fixture("pi-v3-branches.jsonl"),
		  test_path("other/one.jsonl"));
	CHECK_INT(RUN(sessfs_program(), test_path("all"), test_path("other"),
		      mounts_at),
		  0);
	CHECK_INT(ERRNO(chdir(mounts_at)), 0);
	/* One that is listed late. */
	DIR *dir = opendir("by-project/demo");
	test_need(dir != NULL, "by-project/demo");
	for (const struct dirent *d; (d = readdir(dir));) {
		struct span to =
			link_at(filled("by-project/demo/%s", d->d_name));
		if (span_starts(to, SPAN("../../all/")))
			snprintf(late, sizeof(late), "%.*s", (int)to.n - 10,
				 to.p + 10);
	}
	closedir(dir);
	int fd = open("by-project/demo", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	test_need(fd >= 0, "by-project/demo");
	size_t listed = 0;
	long got;
	while ((got = syscall(SYS_getdents64, fd, room, sizeof(room))) > 0) {
		if (listed == 0) {
			/* Listing its folder finds that it is gone. */
			CHECK_INT(ERRNO(unlink(test_path(
					  filled("all/%s.jsonl", late)))),
				  0);
			CHECK_INT(test_count_names("all", "s"), SESSIONS - 1);
		}
		for (long at = 0; at < got; listed++) {
			const struct dirent64 *d = (void *)(room + at);
			at += d->d_reclen;
		}
	}
	CHECK_INT(got, 0);
	close(fd);
	/* With "." and ".."; it may have been listed before it was missed. */
	listed -= 2;
	CHECK(listed == SESSIONS + OTHERS || listed == SESSIONS + OTHERS - 1);
}

static const struct mounts_test tests[] = {
	TEST("a session is removed while a write waits for its lock: the write "
	     "fails, and makes no file",
	     removed),
	TEST("SIGTERM while a write waits for a lock: it is written whole, or "
	     "refused",
	     ended),
	TEST("a session is renamed while a program has its append open: no "
	     "line goes astray",
	     renamed),
	TEST("a session is mounted and unmounted again and again while its "
	     "agent appends",
	     again_and_again),
	TEST("a session is deleted while the links to it are listed: the "
	     "others are",
	     deleted_while_listed),
};
RUN_TESTS(tests)
