#include "tests/mounts/mounts.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>

enum { TEST_SECONDS = 60 };

const char *mounts_session;
const char *mounts_at;
const char *mounts_second;
const char *mounts_root;

static const char *program; /* that is tested */
static const char *logs;    /* the sanitizers' */
static const char *mount_point;

bool is_set(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

/* Mounting. */

const char *sessfs_program(void)
{
	return program;
}

const char *fixture(const char *name)
{
	static char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s/tests/fixtures/%s", mounts_root, name);
	return path;
}

const char *in_second(const char *path)
{
	char name[512];
	snprintf(name, sizeof(name), "second/%s", path);
	return test_path(name);
}

static void mount_at(const char *source, const char *at, const char *options)
{
	int status = options ? RUN(program, "-o", options, source, at)
			     : RUN(program, source, at);
	test_need(status == 0, "mounting failed");
}

static void enter(const char *folder)
{
	test_need(chdir(folder) == 0, folder);
}

void mount_source(const char *source)
{
	mount_at(source, mounts_at, NULL);
	enter(mounts_at);
}

void mount_intercepted(const char *source, const char *const settings[])
{
	test_need(run_program(intercepted(settings,
					  COMMAND(source, mounts_at))) == 0,
		  "mounting failed");
	enter(mounts_at);
}

void mount_meeting(const char *what, const char *kinds)
{
	test_need(run_program(meeting(what, kinds,
				      COMMAND(mounts_session, mounts_at))) == 0,
		  "mounting failed");
	enter(mounts_at);
}

/* Mount the folder of the session beside it. */
static void mount_around(const char *options)
{
	static char at[300], session[340];
	const char *name = strrchr(mounts_session, '/') + 1;
	snprintf(at, sizeof(at), "%s.around", test_folder);
	snprintf(session, sizeof(session), "%s/%.*s", at,
		 (int)strcspn(name, "."), name);
	mkdir(at, 0755);
	mount_at(test_folder, at, options);
	mounts_at = session;
	enter(session);
}

void mount_with(const char *options)
{
	if (is_set("IN_FOLDER")) {
		mount_around(options);
		return;
	}
	mount_at(mounts_session, mounts_at, options);
	enter(mounts_at);
}

void mount_session(void)
{
	mount_with(NULL);
}

void mount_lines(const char *lines)
{
	test_file("session.jsonl", lines);
	mount_session();
}

void test_copy(const char *from, const char *to)
{
	struct buf b = { 0 };
	test_put(to, O_TRUNC, buf_span(test_read(from, &b)));
	buf_free(&b);
}

void mount_fixture(const char *name)
{
	test_copy(fixture(name), mounts_session);
	char sidecar[NAME_MAX];
	snprintf(sidecar, sizeof(sidecar), "%.*s.head.json",
		 (int)(strlen(name) - 6), name);
	if (access(fixture(sidecar), F_OK) == 0)
		test_copy(fixture(sidecar), test_path("session.head.json"));
	mount_session();
}

size_t times_mounted(const char *at)
{
	const char *path = filled(" %s ", at);
	size_t n = 0;
	for (struct span rest = text_of("/proc/self/mountinfo"); rest.n > 0;)
		n += span_has(span_next(&rest, '\n'), path);
	return n;
}

bool is_mounted(const char *at)
{
	return times_mounted(at) > 0;
}

/* Add a path as mountinfo has it, with blanks and such as \040. */
static void add_mount(struct buf *b, struct span at)
{
	while (at.n > 0) {
		struct span part = span_next(&at, '\\');
		bool escaped = part.p + part.n < at.p && at.n >= 3;
		char digits[] = "000";
		buf_add(b, part);
		if (!escaped)
			continue;
		memcpy(digits, at.p, 3);
		buf_addc(b, (char)strtol(digits, NULL, 8));
		at.p += 3;
		at.n -= 3;
	}
}

/* Unmount everything in the test's folder and beside it, the last mount first.
 * With `force` those that are busy, too; for root what waits for them
 * fails. */
static bool unmount_all(bool force)
{
	static const char lazily[] = "-uz";
	struct buf table = { 0 }, found = { 0 };
	bool done = true;
	buf_add(&table, text_of("/proc/self/mountinfo"));
	for (struct span rest = buf_span(&table); rest.n > 0;) {
		struct span line = span_next(&rest, '\n'), at = line;
		for (int i = 0; i < 5; i++)
			at = span_next(&line, ' ');
		if (!span_starts(at, span_of(test_folder)))
			continue;
		add_mount(&found, at);
		buf_addc(&found, '\0');
	}
	while (found.len > 0) {
		found.len--;
		while (found.len > 0 && found.data[found.len - 1] != '\0')
			found.len--;
		const char *at = found.data + found.len;
		done &= geteuid() == 0
				? umount2(at, force ? MNT_FORCE | MNT_DETACH
						    : 0) == 0
				: RUN("fusermount3", force ? lazily : "-u",
				      at) == 0;
	}
	buf_free(&table);
	buf_free(&found);
	return done;
}

/* A daemon that a sanitizer ends has written a report. One of libfuse's leaks
 * is excused. */
static void check_ended(int status)
{
	if (status == 0)
		return;
	CHECK(WIFEXITED(status));
	char command[2 * PATH_MAX];
	snprintf(command, sizeof(command), "%s/tests/lib/reports %s >&2",
		 mounts_root, logs);
	CHECK_INT(is_set("SAN") && RUN("sh", "-c", command) == 0 ? 0 : status,
		  0);
}

void unmount(void)
{
	int status;
	test_need(chdir("/") == 0, "/");
	mounts_at = mount_point;
	CHECK(unmount_all(false));
	while (waitpid(-1, &status, 0) > 0)
		check_ended(status);
	rmdir(mounts_second);
}

void unmount_at(const char *at)
{
	int status;
	CHECK_INT(RUN("fusermount3", "-u", at), 0);
	test_need(waitpid(-1, &status, 0) > 0, at);
	check_ended(status);
}

pid_t daemon_pid(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	struct span s = text_of(path), first = span_next(&s, ' ');
	test_need(first.n > 0, "there is no daemon");
	return (pid_t)strtol(first.p, NULL, 10);
}

/* Running the tests. */

/* Leave nothing of a test behind for the next one. */
static void clear_folder(void)
{
	unmount();
	test_remove();
	test_need(mkdir(test_folder, 0755) == 0 &&
			  mkdir(mount_point, 0755) == 0 &&
			  mkdir(logs, 01777) == 0,
		  test_folder);
}

/* In the child. Its exit status. */
static int run_all(const char *name, const struct mounts_test *tests, size_t n,
		   const char **title)
{
	const char *chosen = getenv("ONLY");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < n; i++) {
		if (chosen ? !strstr(tests[i].title, chosen)
			   : (tests[i].flags & MOUNTS_FULL) && !is_set("FULL"))
			continue;
		if ((tests[i].flags & MOUNTS_ROOT) && geteuid() != 0) {
			printf("ok %s: %s # skip this test needs root\n", name,
			       tests[i].title);
			continue;
		}
		unsigned failed = test_failures;
		test_row = NULL;
		*title = tests[i].title;
		alarm(TEST_SECONDS * (is_set("SAN") ? 10 : 1));
		tests[i].run();
		clear_folder();
		printf("%s %s: %s\n", test_failures > failed ? "not ok" : "ok",
		       name, tests[i].title);
		fflush(stdout);
	}
	fflush(stdout);
	return test_failures > 0;
}

/* Wait for the tests, or for a signal that ends them. */
static int wait_for(pid_t child, const sigset_t *signals)
{
	int status, sig;
	for (;;) {
		test_need(sigwait(signals, &sig) == 0, "sigwait");
		if (sig != SIGCHLD)
			kill(child, SIGKILL);
		if (waitpid(child, &status, sig == SIGCHLD ? WNOHANG : 0) ==
		    child)
			return sig == SIGCHLD ? status : sig;
	}
}

static void clear_away(void)
{
	char around[300];
	snprintf(around, sizeof(around), "%s.around", test_folder);
	if (!unmount_all(true))
		fprintf(stderr, "%s has a mount that can't be unmounted\n",
			test_folder);
	rmdir(around);
}

static void settle(void)
{
	static char at[PATH_MAX], of_program[PATH_MAX];
	test_need(getcwd(at, sizeof(at)) != NULL, "getcwd");
	mounts_root = getenv("ROOT") ? getenv("ROOT") : at;
	const char *named =
		getenv("SESSFS") ? getenv("SESSFS") : "build/sessfs";
	test_need(realpath(named, of_program) != NULL, named);
	program = of_program;
	setenv("SESSFS", program, 1);
	umask(022);
	/* Nothing is written to the real user's cache. */
	setenv("XDG_CACHE_HOME", test_path("cache"), 1);
	/* Other processes' copies of the machine's mounts would keep daemons
	 * alive. */
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0)
		mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL);
	mount_point = strdup(test_path("mnt"));
	mounts_at = mount_point;
	mounts_second = strdup(test_path("second"));
	mounts_session = strdup(test_path("session.jsonl"));
	logs = strdup(test_path("logs"));
	test_need(mounts_at && mounts_second && mounts_session && logs,
		  "memory");
	char options[PATH_MAX + 64];
	snprintf(options, sizeof(options), "log_path=%s/asan", logs);
	setenv("ASAN_OPTIONS", options, 1);
	snprintf(options, sizeof(options),
		 "log_path=%s/ubsan:print_stacktrace=1", logs);
	setenv("UBSAN_OPTIONS", options, 1);
}

/* Why no test can run here; NULL if they can. */
static const char *hindered(void)
{
	char can_mount[PATH_MAX + 32];
	snprintf(can_mount, sizeof(can_mount), "%s/tests/can-mount",
		 mounts_root);
	if (HEAR(can_mount) == 0)
		return NULL;
	buf_addc(&mounts_output, '\0');
	return mounts_output.data;
}

int mounts_run(const char *file, const struct mounts_test *tests, size_t n)
{
	char name[64];
	snprintf(name, sizeof(name), "%s",
		 strrchr(file, '/') + 1 + strlen("test_"));
	*strchr(name, '.') = '\0';
	settle();
	const char *why = hindered();
	if (why) {
		printf("%s %s: %s", is_set("MAY_SKIP") ? "skipped" : "not ok",
		       name, why);
		return !is_set("MAY_SKIP");
	}
	/* The title is shared with the child. */
	const char **title = mmap(NULL, sizeof(*title), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_need(title != MAP_FAILED, "mmap");
	sigset_t signals, before;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &before);
	pid_t child = fork();
	test_need(child >= 0, "fork");
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		clear_folder();
		_exit(run_all(name, tests, n, title));
	}
	int status = wait_for(child, &signals);
	clear_away();
	if (WIFSIGNALED(status))
		printf("not ok %s: %s (%s)\n", name, *title ? *title : "",
		       WTERMSIG(status) == SIGALRM
			       ? "it hangs"
			       : strsignal(WTERMSIG(status)));
	return status != 0;
}
