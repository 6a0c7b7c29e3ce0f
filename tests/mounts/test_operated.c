/*
 * Signals to daemons, and auto_unmount. The rest is in
 * tests/commands/operated.md.
 */
#include "tests/mounts/mounts.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#define BRANCHES "pi-v3-branches.jsonl"

enum { NOBODY = 65534 };

static void go_to(const char *folder)
{
	test_need(chdir(folder) == 0, folder);
}

/* Process ids of this one's children. */
static struct span children(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	return text_of(path);
}

/* The daemon, beside the fusermount3 that auto_unmount keeps. */
static pid_t find_daemon(void)
{
	for (struct span rest = children(); rest.n > 0;) {
		char path[64];
		struct span s = span_next(&rest, ' ');
		int pid = (int)strtol(s.p, NULL, 10);
		snprintf(path, sizeof(path), "/proc/%d/exe", pid);
		if (span_eq(link_at(path), span_of(sessfs_program())))
			return pid;
	}
	test_need(false, "there is no daemon");
	return -1;
}

/* Wait for what is left to end: fusermount3. */
static void reap(void)
{
	int status;
	while (waitpid(-1, &status, 0) > 0)
		;
}

/* Read a file until that fails, in a process of its own. */
static pid_t keep_reading(const char *path)
{
	char byte;
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid > 0)
		return pid;
	for (ssize_t n = 1; n > 0;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, &byte, 1);
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

/* Killed during requests, too: fusermount3 checks only once whether the mount
 * is dead. */
static void auto_unmount(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	for (int i = 0; i < 20; i++) {
		mount_with("auto_unmount");
		CHECK_HEAD("by-id/aa000025");
		go_to("/");
		pid_t pid = find_daemon();
		pid_t reader = keep_reading(join(mounts_at, "info"));
		CHECK_INT(ERRNO(kill(pid, SIGKILL)), 0);
		CHECK_INT(wait_program(pid), -1);
		CHECK_INT(wait_program(reader), 0);
		WAIT_UNTIL(!is_mounted(mounts_at));
		reap();
	}
	mount_with("auto_unmount");
	go_to("/");
	pid_t pid = find_daemon();
	CHECK_INT(RUN("fusermount3", "-u", mounts_at), 0);
	CHECK_INT(wait_program(pid), 0);
	reap();
}

static int mount_as_user(void)
{
	return RUN("setpriv", "--reuid=65534", "--regid=65534",
		   "--clear-groups", sessfs_program(), "-o",
		   "auto_unmount,allow_other", mounts_session, mounts_at);
}

/* In a process and a mount namespace of its own: fuse.conf is the machine's. */
static int unmounted_for_user(void)
{
	unsigned failed = test_failures;
	test_need(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 &&
			  unshare(CLONE_NEWNS) == 0 &&
			  mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) ==
				  0 &&
			  mount(test_path("fuse.conf"), "/etc/fuse.conf", NULL,
				MS_BIND, NULL) == 0,
		  "/etc/fuse.conf");
	CHECK_INT(mount_as_user(), 0);
	CHECK_LINK(join(mounts_at, "HEAD"), "by-id/aa000025");
	pid_t pid = find_daemon();
	CHECK_INT(ERRNO(kill(pid, SIGKILL)), 0);
	CHECK_INT(wait_program(pid), -1);
	WAIT_UNTIL(!is_mounted(mounts_at));
	reap();
	CHECK_INT(mount_as_user(), 0);
	CHECK_INT(times_mounted(mounts_at), 1);
	pid = find_daemon();
	CHECK_INT(RUN("fusermount3", "-u", mounts_at), 0);
	CHECK_INT(wait_program(pid), 0);
	reap();
	return test_failures > failed;
}

static void auto_unmount_of_user(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	test_file("fuse.conf", "user_allow_other\n");
	CHECK_INT(ERRNO(chown(mounts_session, NOBODY, (gid_t)-1)), 0);
	CHECK_INT(ERRNO(chown(mounts_at, NOBODY, (gid_t)-1)), 0);
	fflush(stdout);
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0)
		_exit(unmounted_for_user());
	CHECK_INT(wait_program(pid), 0);
}

/* Be this user from now on; 0 is who it is already. */
static void become(int user)
{
	uid_t id = (uid_t)user;
	if (user != 0 &&
	    (setgroups(0, NULL) != 0 || setresgid(id, id, id) != 0 ||
	     setresuid(id, id, id) != 0))
		_exit(126);
}

static pid_t start_daemon(int user)
{
	pid_t pid = start_prepared(
		become, user,
		PIECES(sessfs_program(), "-f", mounts_session, mounts_at));
	WAIT_UNTIL(is_mounted(mounts_at));
	return pid;
}

/* A process that stands in the mount, and has a file open there. */
static pid_t stand_inside(int user)
{
	int ends[2];
	char byte = 0;
	test_need(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		become(user);
		if (chdir(join(mounts_at, "HEAD")) == 0 &&
		    open("content", O_RDONLY | O_CLOEXEC) >= 0 &&
		    write(ends[1], "i", 1) == 1)
			pause();
		_exit(1);
	}
	close(ends[1]);
	CHECK_INT(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	return pid;
}

static void ends_while_busy(int user)
{
	int status;
	pid_t pid = start_daemon(user), inside = stand_inside(user);
	CHECK_INT(ERRNO(kill(pid, SIGTERM)), 0);
	CHECK_INT(wait_program(pid), 0);
	CHECK(!is_mounted(mounts_at));
	CHECK_INT(waitpid(inside, &status, WNOHANG), 0);
	CHECK_INT(ERRNO(kill(inside, SIGKILL)), 0);
	CHECK_INT(wait_program(inside), -1);
}

static void ended_while_busy(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	ends_while_busy(0);
}

/* The first signal ends the mount, which waits for a lock to clear a label. The
 * others would have ended the daemon without that, and left a dead mount. */
static void many_signals(void)
{
	test_copy(fixture(BRANCHES), mounts_session);
	pid_t pid = start_daemon(0);
	const char *label = join(mounts_at, "HEAD/label");
	CHECK_INT(put(label, "gone"), 0);
	int held = open(mounts_session, O_RDONLY | O_CLOEXEC);
	CHECK_INT(put(label, ""), 0);
	CHECK_INT(ERRNO(flock(held, LOCK_EX)), 0);
	for (int i = 0; i < 20; i++) {
		CHECK_INT(ERRNO(kill(pid, SIGTERM)), 0);
		/* For it to wait in between. */
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	close(held);
	CHECK_INT(wait_program(pid), 0);
	CHECK(!is_mounted(mounts_at));
	CHECK_LAST("type", "label");
	CHECK_LAST("label", "-");
}

static void ended_while_busy_of_user(void)
{
	const char *const theirs[] = { mounts_session, mounts_at, test_folder };
	test_copy(fixture(BRANCHES), mounts_session);
	for (size_t i = 0; i < COUNT(theirs); i++)
		CHECK_INT(ERRNO(chown(theirs[i], NOBODY, (gid_t)-1)), 0);
	ends_while_busy(NOBODY);
}

/* Its daemon is killed where it would tell that the kernel has opened the
 * connection, or that the first request has come. */
static void ended_before_a_request(void)
{
	static const char *const nth[] = { "CALL_NTH=1", "CALL_NTH=2" };
	const char *const met = test_path("met"), *const said =
							  test_path("said");
	test_copy(fixture(BRANCHES), mounts_session);
	for (size_t i = 0; i < COUNT(nth); i++) {
		test_row = nth[i];
		pid_t pid = start_program(
			intercepted(PIECES("CALL_KINDS=write", nth[i],
					   "CALL_DO=stop",
					   filled("CALL_WHILE=%s", test_folder),
					   filled("CALL_REPORT=%s", met)),
				    COMMAND(mounts_session, mounts_at)),
			said);
		WAIT_UNTIL(exists(met));
		struct span rest = text_of(filled("/proc/%d/task/%d/children",
						  (int)pid, (int)pid));
		pid_t daemon = (pid_t)strtol(span_next(&rest, ' ').p, NULL, 10);
		test_need(daemon > 0, "daemon");
		CHECK_INT(ERRNO(kill(daemon, SIGKILL)), 0);
		CHECK_INT(wait_program(pid), 1);
		CHECK_INT(wait_program(daemon), -1);
		CHECK_FILE(said, "sessfs: the daemon ended before the mount "
				 "answered\n");
		CHECK_INT(RUN("fusermount3", "-u", mounts_at), 0);
		CHECK_INT(ERRNO(unlink(met)), 0);
	}
	test_row = NULL;
}

static const struct mounts_test tests[] = {
	ROOT_TEST("auto_unmount: the mount goes when the daemon is killed",
		  auto_unmount),
	ROOT_TEST("auto_unmount of a user's, with allow_other",
		  auto_unmount_of_user),
	TEST("SIGTERM while a shell stands inside and a file is open: status "
	     "0, unmounted",
	     ended_while_busy),
	TEST("SIGTERM several times: status 0, unmounted, and a label that was "
	     "emptied is",
	     many_signals),
	ROOT_TEST("the same of a user's, for whom fusermount3 unmounts",
		  ended_while_busy_of_user),
	TEST("a mount that ends before its first request has failed",
	     ended_before_a_request),
};
RUN_TESTS(tests)
