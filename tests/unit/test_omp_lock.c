#include "core/dialects/omp/lock.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/tables.h"

/* Looked up each time: test_path() has but a few to give. */
#define SESSION test_path("s.jsonl")
#define LOCK test_path(".s.jsonl.lock")

static long clock_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void sleep_ms(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };
	nanosleep(&t, NULL);
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

/* Bind the name as another process would; -1 if it is taken. */
static int bind_gate(const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	test_need(fd >= 0, "socket");
	memcpy(a.sun_path + 1, name, strlen(name));
	if (bind(fd, (struct sockaddr *)&a,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     strlen(name))) == 0)
		return fd;
	CHECK_INT(errno, EADDRINUSE);
	close(fd);
	return -1;
}

static bool gate_is_free(const char *name)
{
	int fd = bind_gate(name);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A process that is no more. */
static int dead_pid(void)
{
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0)
		_exit(0);
	test_need(waitpid(pid, NULL, 0) == pid, "waitpid");
	return (int)pid;
}

/* What the real omp binds for these, as /proc/net/unix has it. */
static void check_gate_names(void)
{
	static const struct {
		const char *path;
		const char *name;
	} rows[] = {
		{ "/none/s.jsonl",
		  "omp-file-lock-6d9a8b8333c09bd1481cc2685fc2347c" },
		{ "/nonexistent/2026-03-01T10-00-00_0198f000.jsonl",
		  "omp-file-lock-c875237a1b525fe21b9d3985f240e5a4" },
		{ "/nonexistent/Gr\xC3\xB6\xC3\x9F"
		  "e \xE6\x97\xA5\xE6\x9C\xAC.jsonl",
		  "omp-file-lock-844aa95946cb3effb0950d3c925d6321" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct omp_lock l;
		test_row = rows[i].path;
		CHECK_INT(omp_lock_acquire(&l, rows[i].path), -ENOENT);
		CHECK_SPAN(span_of(l.address.sun_path + 1),
			   span_of(rows[i].name));
	}
	test_row = NULL;
}

/* Both are there while they are held, and no longer. */
static void check_take(void)
{
	struct omp_lock l;
	struct stat st;
	struct buf b = { 0 };
	const char *path = test_file("s.jsonl", "one\n");
	int pid = 0;
	long long ms = 0;
	int end = 0;
	for (int i = 0; i < 2; i++) {
		CHECK_INT(omp_lock_acquire(&l, path), 0);
		CHECK(!gate_is_free(l.address.sun_path + 1));
		test_read(LOCK, &b);
		CHECK_INT(sscanf(buf_cstr(&b), "%d:%lld%n", &pid, &ms, &end),
			  2);
		CHECK_INT(pid, getpid());
		CHECK(llabs(ms / 1000 - time(NULL)) < 5);
		CHECK_SPAN(span_of(b.data + end), SPAN("\n"));
		CHECK(fcntl(l.gate, F_GETFD) & FD_CLOEXEC);
		CHECK(fcntl(l.file, F_GETFD) & FD_CLOEXEC);
		CHECK(fcntl(l.folder, F_GETFD) & FD_CLOEXEC);
		omp_lock_release(&l);
		CHECK(gate_is_free(l.address.sun_path + 1));
		CHECK(!exists(LOCK));
	}
	CHECK(stat(path, &st) == 0 && st.st_size == 4);
	buf_free(&b);
}

/* -EBUSY after the time that omp waits, and everything as before. */
static void check_busy(bool lock_stays)
{
	struct omp_lock l;
	size_t fds = test_count_names("/proc/self/fd", "");
	long start = clock_ms();
	CHECK_INT(omp_lock_acquire(&l, SESSION), -EBUSY);
	long waited = clock_ms() - start;
	CHECK(waited >= 499 && waited < 1500);
	CHECK_INT(exists(LOCK), lock_stays);
	CHECK_INT(test_count_names("/proc/self/fd", ""), fds);
}

static void check_held_gate(void)
{
	struct omp_lock l;
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	omp_lock_release(&l);
	int gate = bind_gate(l.address.sun_path + 1);
	CHECK(gate >= 0);
	check_busy(false);
	close(gate);
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	omp_lock_release(&l);
}

/* Put a lock file there that was last written so long ago. */
static void put_lock(struct span text, long age_ms)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	long long ns =
		now.tv_sec * 1000000000LL + now.tv_nsec - age_ms * 1000000LL;
	struct timespec t = { .tv_sec = ns / 1000000000,
			      .tv_nsec = ns % 1000000000 };
	struct timespec times[2] = { t, t };
	test_put(LOCK, O_TRUNC, text);
	test_need(utimensat(AT_FDCWD, LOCK, times, 0) == 0, LOCK);
}

/* It is removed, and at once. */
static void check_broken(void)
{
	struct omp_lock l;
	long start = clock_ms();
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	CHECK(clock_ms() - start < 400);
	omp_lock_release(&l);
	CHECK(!exists(LOCK));
}

static void add_pid(struct buf *out, struct span text, const char *who, int pid)
{
	const char *at = memmem(text.p, text.n, who, strlen(who));
	size_t before = at ? (size_t)(at - text.p) : text.n;
	buf_add(out, (struct span){ text.p, before });
	if (!at)
		return;
	buf_addf(out, "%d", pid);
	before += strlen(who);
	buf_add(out, (struct span){ text.p + before, text.n - before });
}

/* Lock files that somebody else made. */
static void check_found(struct row *r, struct buf *made)
{
	struct buf some = { 0 };
	struct buf before = { 0 };
	struct buf after = { 0 };
	add_pid(&some, row_field(r, 1), "DEAD", dead_pid());
	add_pid(&before, buf_span(&some), "WE", getpid());
	put_lock(buf_span(&before), atol(row_text(r, 2)));
	if (row_is(r, 3, "broken")) {
		check_broken();
	} else {
		check_busy(true);
		CHECK_SPAN(buf_span(test_read(LOCK, &after)),
			   buf_span(&before));
		unlink(LOCK);
	}
	buf_add(made, row_field(r, 3));
	buf_free(&some);
	buf_free(&before);
	buf_free(&after);
}

/* A file without a pid may be one that its owner is about to fill. */
static void check_young_file(void)
{
	struct omp_lock l;
	put_lock(SPAN(""), 300);
	long start = clock_ms();
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	CHECK(clock_ms() - start >= 150);
	omp_lock_release(&l);
	CHECK(!exists(LOCK));
}

/* What is no regular file is neither followed, waited for nor removed. */
static void check_other_kinds(void)
{
	struct buf b = { 0 };

	buf_addf(&b, "%d:1\n", dead_pid());
	test_put(test_path("target"), O_TRUNC, buf_span(&b));
	test_need(symlink("target", LOCK) == 0, LOCK);
	check_busy(true);
	CHECK(exists(test_path("target")));
	unlink(LOCK);
	test_need(mkfifo(LOCK, 0600) == 0, LOCK);
	check_busy(true);
	unlink(LOCK);
	test_need(mkdir(LOCK, 0700) == 0, LOCK);
	check_busy(true);
	rmdir(LOCK);
	buf_free(&b);
}

/* A process that holds the locks, for that long or until it is killed. */
static pid_t start_holder(long ms)
{
	struct omp_lock l;
	int ready[2];
	char c;
	test_need(pipe(ready) == 0, "pipe");
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		if (omp_lock_acquire(&l, SESSION) < 0 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		if (ms < 0)
			pause();
		sleep_ms(ms);
		omp_lock_release(&l);
		_exit(0);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &c, 1), 1);
	CHECK(exists(LOCK));
	close(ready[0]);
	return pid;
}

static void check_waiting(void)
{
	struct omp_lock l;
	int status = 1;
	pid_t pid = start_holder(150);
	long start = clock_ms();
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	CHECK(clock_ms() - start >= 100);
	omp_lock_release(&l);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

static void check_killed_holder(void)
{
	pid_t pid = start_holder(-1);
	kill(pid, SIGKILL);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
	CHECK(exists(LOCK));
	check_broken();
}

/* Count up under the locks; a turn that is not alone gets lost. */
static int count_up(volatile int *shared, const char *path, int turns)
{
	struct omp_lock l;
	for (int i = 0; i < turns; i++) {
		int err;
		do
			err = omp_lock_acquire(&l, path);
		while (err == -EBUSY);
		if (err)
			return err;
		int seen = *shared;
		sleep_ms(1);
		*shared = seen + 1;
		omp_lock_release(&l);
	}
	return 0;
}

/*
 * Never two at a time: neither when each finds what a dead one left, nor when
 * they spell the path in two ways and have two gates.
 */
static void check_exclusion(bool two_gates)
{
	enum { WRITERS = 4, TURNS = 40 };
	struct buf b = { 0 };
	int *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_need(shared != MAP_FAILED, "mmap");
	buf_addf(&b, "%d:1\n", dead_pid());
	if (!two_gates)
		put_lock(buf_span(&b), 0);
	for (int w = 0; w < WRITERS; w++) {
		bool other = two_gates && w % 2;
		if (fork() == 0)
			_exit(count_up(shared,
				       other ? test_path("./s.jsonl") : SESSION,
				       TURNS) != 0);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status = 1;
		wait(&status);
		CHECK_INT(status, 0);
	}
	CHECK_INT(*shared, WRITERS * TURNS);
	CHECK(!exists(LOCK));
	munmap(shared, sizeof(*shared));
	buf_free(&b);
}

/* "/a/a/.../s.jsonl" under the folder, of that length in all. */
static void make_deep(char *path, size_t length)
{
	size_t n = strlen(test_path(""));
	memcpy(path, test_path(""), n);
	while (n + strlen("s.jsonl") < length) {
		size_t left = length - n - strlen("s.jsonl");
		size_t part = left > 200 ? 100 : left > 100 ? left - 50 : left;
		memset(path + n, 'a', part - 1);
		path[n + part - 1] = '/';
		path[n + part] = '\0';
		test_need(mkdir(path, 0755) == 0 || errno == EEXIST, path);
		n += part;
	}
	memcpy(path + n, "s.jsonl", sizeof("s.jsonl"));
}

static void check_lengths(void)
{
	struct omp_lock l;
	char name[NAME_MAX + 1];
	char path[PATH_MAX + 100];
	memset(name, 'n', sizeof(name) - 1);
	name[NAME_MAX] = '\0';
	CHECK_INT(omp_lock_acquire(&l, test_path(name)), -ENAMETOOLONG);
	name[NAME_MAX - 5] = '\0';
	CHECK_INT(omp_lock_acquire(&l, test_path(name)), -ENAMETOOLONG);
	name[NAME_MAX - 6] = '\0';
	CHECK_INT(omp_lock_acquire(&l, test_path(name)), 0);
	omp_lock_release(&l);

	/* With "/.s.jsonl.lock" and its NUL exactly PATH_MAX, and one more. */
	make_deep(path, PATH_MAX - 1 - strlen("..lock"));
	test_put(path, 0, SPAN(""));
	CHECK_INT(omp_lock_acquire(&l, path), 0);
	omp_lock_release(&l);
	make_deep(path, PATH_MAX - strlen("..lock"));
	test_put(path, 0, SPAN(""));
	CHECK_INT(omp_lock_acquire(&l, path), -ENAMETOOLONG);
	make_deep(path, PATH_MAX - 1);
	test_put(path, 0, SPAN(""));
	CHECK_INT(omp_lock_acquire(&l, path), -ENAMETOOLONG);
	memset(path, '/', sizeof(path) - 1);
	path[sizeof(path) - 2] = 'a';
	path[sizeof(path) - 1] = '\0';
	CHECK_INT(omp_lock_acquire(&l, path), -ENAMETOOLONG);

	CHECK_INT(omp_lock_acquire(&l, ""), -EINVAL);
	CHECK_INT(omp_lock_acquire(&l, "s.jsonl"), -EINVAL);
	CHECK_INT(omp_lock_acquire(&l, test_path("")), -EINVAL);
}

/* Root may do anything, so it is nobody who fails; root stays the saved id. */
static void become_nobody(void)
{
	test_need(geteuid() != 0 || setresuid(65534, 65534, 0) == 0,
		  "setresuid");
}

static void become_root_again(void)
{
	uid_t real;
	uid_t effective;
	uid_t saved;
	test_need(getresuid(&real, &effective, &saved) == 0 &&
			  (saved != 0 || setresuid(0, 0, 0) == 0),
		  "setresuid");
}

static void check_folders(void)
{
	struct omp_lock l;
	const char *folder = test_path("d");
	const char *path = test_path("d/s.jsonl");
	const char *lock = test_path("d/.s.jsonl.lock");
	struct stat st;
	CHECK_INT(omp_lock_acquire(&l, path), -ENOENT);
	test_file("d", "");
	CHECK_INT(omp_lock_acquire(&l, path), -ENOTDIR);
	unlink(folder);
	test_need(mkdir(folder, 0777) == 0 && chmod(folder, 0777) == 0 &&
			  chmod(test_path("."), 0755) == 0,
		  folder);
	test_file("d/s.jsonl", "");
	test_file("d/.s.jsonl.lock", "1:99999999999999\n");

	/* A process that may not be signalled is one. */
	become_nobody();
	CHECK_INT(omp_lock_acquire(&l, path), -EBUSY);
	CHECK(exists(lock));
	unlink(lock);

	CHECK_INT(omp_lock_acquire(&l, path), 0);
	become_root_again();
	test_need(chmod(folder, 0555) == 0, folder);
	become_nobody();
	/* It can't be removed now, but we no longer hold it. */
	omp_lock_release(&l);
	CHECK(stat(lock, &st) == 0 && st.st_size == 0);
	become_root_again();
	test_need(chmod(folder, 0755) == 0 && unlink(lock) == 0 &&
			  chmod(folder, 0555) == 0,
		  lock);
	become_nobody();
	CHECK_INT(omp_lock_acquire(&l, path), -EACCES);
	become_root_again();
	CHECK(gate_is_free(l.address.sun_path + 1));
	test_need(chmod(folder, 0755) == 0, folder);
}

/* A disk that is full: neither lock stays. */
static void check_failing_write(void)
{
	struct omp_lock l;
	size_t fds = test_count_names("/proc/self/fd", "");
	test_limit_size(0);
	CHECK_INT(omp_lock_acquire(&l, SESSION), -EFBIG);
	CHECK(!exists(LOCK));
	test_limit_size(5);
	CHECK_INT(omp_lock_acquire(&l, SESSION), -ENOSPC);
	test_limit_size(RLIM_INFINITY);
	CHECK(!exists(LOCK));
	CHECK(gate_is_free(l.address.sun_path + 1));
	CHECK_INT(test_count_names("/proc/self/fd", ""), fds);
}

/* Somebody took ours away and holds it now: theirs stays. */
static void check_stolen(void)
{
	struct omp_lock l;
	struct buf b = { 0 };
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	test_need(unlink(LOCK) == 0, LOCK);
	test_put(LOCK, O_EXCL, SPAN("1:99999999999999\n"));
	omp_lock_release(&l);
	CHECK_BUF(test_read(LOCK, &b), "1:99999999999999\n");
	test_need(unlink(LOCK) == 0, LOCK);
	CHECK_INT(omp_lock_acquire(&l, SESSION), 0);
	test_need(unlink(LOCK) == 0, LOCK);
	omp_lock_release(&l);
	buf_free(&b);
}

int main(void)
{
	check_gate_names();
	check_take();
	check_held_gate();
	rows_check("omp_lock", check_found);
	check_young_file();
	check_other_kinds();
	check_waiting();
	check_killed_holder();
	check_exclusion(false);
	check_exclusion(true);
	check_lengths();
	check_folders();
	check_failing_write();
	check_stolen();
	return test_done("omp_lock");
}
