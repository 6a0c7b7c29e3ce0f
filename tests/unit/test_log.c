#include "core/file/log_write.h"

#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/unit/test.h"

TEST(check_open)
{
	struct log log;
	CHECK_INT(log_open(&log, NULL, test_path("none")), -ENOENT);
	log_close(&log);
	test_need(mkdir(test_path("folder"), 0755) == 0, "mkdir");
	CHECK_INT(log_open(&log, NULL, test_path("folder")), -EISDIR);
	log_close(&log);
	/* Not waited for. */
	test_need(mkfifo(test_path("fifo"), 0644) == 0, "mkfifo");
	CHECK_INT(log_open(&log, NULL, test_path("fifo")), -EINVAL);
	log_close(&log);

	/* No symlink is followed. */
	const char *path = test_file("a", "one\n");
	test_need(symlink("a", test_path("link")) == 0, "symlink");
	CHECK_INT(log_open(&log, NULL, test_path("link")), -ELOOP);
	log_close(&log);
	CHECK_INT(log_open(&log, NULL, path), 0);
	char c[4];
	CHECK_INT(log_read(&log, 0, c, 4), 0);
	CHECK_SPAN(((struct span){ c, 4 }), SPAN("one\n"));
	CHECK_INT(log_read(&log, 2, c, 2), 0);
	CHECK_INT(log_read(&log, 4, c, 0), 0);
	CHECK_INT(log_read(&log, 2, c, 3), -ESTALE);
	log_close(&log);
}

TEST(check_news)
{
	struct log log;
	const char *path = test_file("b", "one\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	CHECK(!log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_SAME);

	test_append("b", "two\n");
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_GREW);
	CHECK_INT(log.st.st_size, 8);
	CHECK(!log_is_stale(&log));

	test_need(truncate(path, 3) == 0, path);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);

	/* Other bytes, of the same size. */
	test_file("b", "xyz");
	test_set_time(path, 1000);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);

	/* Another file, of the same size and time. */
	test_file("c", "abc");
	test_set_time(test_path("c"), 1000);
	test_need(rename(test_path("c"), path) == 0, path);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);
	char c[3];
	CHECK_INT(log_read(&log, 0, c, 3), 0);
	CHECK_SPAN(((struct span){ c, 3 }), SPAN("abc"));

	/* The mode, which is shown. */
	test_need(chmod(path, 0600) == 0, path);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);
	CHECK_INT(log.st.st_mode & 0777, 0600);

	test_need(unlink(path) == 0, path);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_DELETED);
	CHECK(!log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	/* No file, a folder in its place, and a file again. */
	test_need(mkdir(path, 0755) == 0, path);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	test_need(rmdir(path) == 0, path);
	test_file("b", "new\n");
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);
	CHECK_INT(log.st.st_size, 4);
	/* A symlink in its place is not followed. */
	test_need(rename(path, test_path("d")) == 0, path);
	test_need(symlink("d", path) == 0, path);
	CHECK_INT(log_refresh(&log), VERSION_DELETED);
	log_close(&log);
}

/* Other bytes of the same size, and the mtime put back. */
TEST(check_put_back)
{
	struct log log;
	const char *path = test_file("t", "abc");
	test_set_time(path, 1000);
	CHECK_INT(log_open(&log, NULL, path), 0);
	test_file("t", "xyz");
	/* Until the clock has ticked. */
	do
		test_set_time(path, 1000);
	while (!log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	log_close(&log);
}

/* What is told of a file whose descriptor was closed meanwhile. */
TEST(check_evicted)
{
	struct log log;
	char c[3];
	const char *path = test_file("p", "one");
	test_set_time(path, 1000);
	CHECK_INT(log_open(&log, NULL, path), 0);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	CHECK(!log.reopened);
	test_evict(log.file);
	CHECK(!log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	CHECK(log.reopened);
	CHECK_INT(log_read(&log, 0, c, 3), 0);
	CHECK_SPAN(((struct span){ c, 3 }), SPAN("one"));
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	CHECK(log.reopened);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	CHECK(!log.reopened);

	/* Another file at the path is not read. */
	test_evict(log.file);
	test_need(rename(path, test_path("q")) == 0, path);
	CHECK_INT(log_read(&log, 0, c, 3), -ESTALE);
	test_file("p", "two");
	CHECK_INT(log_read(&log, 0, c, 3), -ESTALE);
	test_need(rename(test_path("q"), path) == 0, path);
	CHECK_INT(log_read(&log, 0, c, 3), 0);

	/* Another file may have its number, its size and its time. */
	test_evict(log.file);
	test_file("p", "two");
	test_set_time(path, 1000);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);
	test_evict(log.file);
	test_append("p", "more");
	CHECK_INT(log_refresh(&log), VERSION_GREW);
	test_evict(log.file);
	test_file("q", "twomore");
	test_need(rename(test_path("q"), path) == 0, path);
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);
	test_evict(log.file);
	test_need(unlink(path) == 0, path);
	CHECK_INT(log_refresh(&log), VERSION_DELETED);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	log_close(&log);
}

/* As somebody who has just looked at the file. */
static int append(int lock, struct span line)
{
	struct stat seen;
	test_need(fstat(lock, &seen) == 0, "fstat");
	return log_append(lock, &seen, line);
}

/* What came since the file was looked at was not reckoned with. */
TEST(check_append_behind_news)
{
	struct log log;
	struct buf b = { 0 };
	const char *path = test_file("e", "old\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	test_append("e", "more\n");
	int lock = log_lock(&log, true);
	CHECK_INT(log_append(lock, &log.st, SPAN("new\n")), -EAGAIN);
	CHECK_BUF(test_read(path, &b), "old\nmore\n");
	CHECK_INT(log_refresh(&log), VERSION_GREW);
	CHECK_INT(log_append(lock, &log.st, SPAN("new\n")), 0);
	CHECK_BUF(test_read(path, &b), "old\nmore\nnew\n");
	log_unlock(lock);
	log_close(&log);
	buf_free(&b);
}

TEST(check_append)
{
	static const struct {
		const char *before;
		const char *after;
	} rows[] = {
		{ "", "new\n" },
		{ "old\n", "old\nnew\n" },
		{ "old", "old\nnew\n" },
		{ "old\r\n", "old\r\nnew\n" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct log log;
		test_row = rows[i].before;
		const char *path = test_file("e", rows[i].before);
		CHECK_INT(log_open(&log, NULL, path), 0);
		int lock = log_lock(&log, true);
		CHECK(lock >= 0);
		CHECK_INT(append(lock, SPAN("new\n")), 0);
		log_unlock(lock);
		CHECK_BUF(test_read(path, &b), rows[i].after);
		CHECK_INT(log_refresh(&log), VERSION_GREW);
		log_close(&log);
	}
	test_row = NULL;
	buf_free(&b);
}

/* The lock is an flock on the file, and is released. */
TEST(check_lock)
{
	struct log log;
	const char *path = test_file("f", "one\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	int lock = log_lock(&log, true);
	CHECK(lock >= 0);
	int other = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_INT(flock(other, LOCK_EX | LOCK_NB), -1);
	CHECK_INT(errno, EWOULDBLOCK);
	log_unlock(lock);
	CHECK_INT(flock(other, LOCK_EX | LOCK_NB), 0);
	close(other);
	test_need(unlink(path) == 0, path);
	CHECK_INT(log_lock(&log, true), -ENOENT);
	log_close(&log);
}

/* A replaced file is waited for, then the new one is locked. */
TEST(check_lock_of_replaced)
{
	struct log log;
	struct buf b = { 0 };
	const char *path = test_file("g", "one\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	int held = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_INT(flock(held, LOCK_EX), 0);
	test_file("g2", "two\n");
	pid_t pid = fork();
	if (pid == 0) {
		close(held);
		int lock = log_lock(&log, true);
		_exit(lock < 0 || append(lock, SPAN("new\n")) < 0);
	}
	/* The lock goes with the description, which the child has closed. */
	usleep(50000);
	test_need(rename(test_path("g2"), path) == 0, path);
	close(held);
	int status = 1;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
	CHECK_BUF(test_read(path, &b), "two\nnew\n");
	log_close(&log);
	buf_free(&b);
}

/* Writers beside each other: every line whole, none lost. */
TEST(check_many_writers)
{
	enum { WRITERS = 4, LINES = 25 };
	struct log log;
	struct buf b = { 0 };
	const char *path = test_file("h", "start\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	for (int w = 0; w < WRITERS; w++) {
		if (fork() != 0)
			continue;
		struct buf line = { 0 };
		buf_fill(&line, (char)('a' + w), 5000);
		buf_addc(&line, '\n');
		int err = 0;
		for (int i = 0; i < LINES && !err; i++) {
			int lock = log_lock(&log, true);
			err = lock < 0 ? lock : append(lock, buf_span(&line));
			if (lock >= 0)
				log_unlock(lock);
		}
		_exit(err != 0);
	}
	for (int w = 0; w < WRITERS; w++) {
		int status = 1;
		wait(&status);
		CHECK_INT(status, 0);
	}
	test_read(path, &b);
	CHECK_INT(b.len, 6 + WRITERS * LINES * 5001);
	for (size_t at = 6; at + 5000 < b.len; at += 5001)
		CHECK(b.data[at] == b.data[at + 4999] &&
		      b.data[at + 5000] == '\n');
	log_close(&log);
	buf_free(&b);
}

/* A write that fails, at once or half way, leaves the file as it was. */
TEST(check_failing_append)
{
	static const char *const before[] = { "0123456789\n", "0123456789" };
	struct buf b = { 0 };
	for (size_t row = 0; row < COUNT(before); row++) {
		for (rlim_t limit = strlen(before[row]); limit < 14; limit++) {
			struct log log;
			const char *path = test_file("i", before[row]);
			CHECK_INT(log_open(&log, NULL, path), 0);
			int lock = log_lock(&log, true);
			test_limit_size(limit);
			int err = append(lock, SPAN("{\"a\":1}\n"));
			test_limit_size(RLIM_INFINITY);
			CHECK_INT(err, -EFBIG);
			CHECK_BUF(test_read(path, &b), before[row]);
			log_unlock(lock);
			log_close(&log);
		}
	}
	buf_free(&b);
}

/* The file to which another process appends after the next write, or NULL. */
static const char *shared;

/* libc's. While a file is shared, the disk has only four bytes left. */
ssize_t write(int fd, const void *bytes, size_t n)
{
	const char *to = shared;
	shared = NULL;
	ssize_t done = syscall(SYS_write, fd, bytes, to && n > 4 ? 4 : n);
	if (to)
		test_append(to, "theirs\n");
	return done;
}

/* A short write is not undone if that would cut off another writer's line. */
TEST(check_failing_append_with_rival)
{
	struct log log;
	struct buf b = { 0 };
	const char *path = test_file("r", "old\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	int lock = log_lock(&log, true);
	shared = "r";
	CHECK_INT(append(lock, SPAN("ours, which is longer\n")), -ENOSPC);
	CHECK_BUF(test_read(path, &b), "old\nourstheirs\n");
	/* The next line begins on a line of its own. */
	CHECK_INT(append(lock, SPAN("next\n")), 0);
	CHECK_BUF(test_read(path, &b), "old\nourstheirs\nnext\n");
	log_unlock(lock);
	log_close(&log);
	buf_free(&b);
}

TEST(check_replace)
{
	struct log log;
	struct buf b = { 0 };
	const char *path = test_file("j", "old\n");
	test_file("j.bak", "mine\n");
	test_need(chmod(path, 0640) == 0, path);
	test_need(geteuid() != 0 || chown(path, 1234, 5678) == 0, path);
	CHECK_INT(log_open(&log, NULL, path), 0);
	struct stat old = log.st;
	int lock = log_lock(&log, true);

	test_limit_size(2);
	CHECK(log_replace(&log, lock, &log.st, SPAN("new\n"), ".bak") < 0);
	test_limit_size(RLIM_INFINITY);
	CHECK_BUF(test_read(path, &b), "old\n");
	CHECK_INT(test_count_names(test_path(""), "j"), 2);

	/* Somebody has appended since: that must not be lost. */
	test_append("j", "more\n");
	CHECK_INT(log_replace(&log, lock, &log.st, SPAN("new\n"), ".bak"),
		  -EAGAIN);
	CHECK_BUF(test_read(path, &b), "old\nmore\n");
	CHECK_INT(test_count_names(test_path(""), "j"), 2);
	CHECK_INT(log_refresh(&log), VERSION_GREW);

	CHECK_INT(log_replace(&log, lock, &log.st, SPAN("new\n"), ".bak"), 0);
	log_unlock(lock);
	CHECK_BUF(test_read(path, &b), "new\n");
	CHECK_BUF(test_read(test_path("j.bak"), &b), "mine\n");
	CHECK_BUF(test_read(test_path("j.bak.2"), &b), "old\nmore\n");
	CHECK_INT(test_count_names(test_path(""), "j"), 3);
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);
	CHECK_INT(log.st.st_mode, old.st_mode);
	CHECK_INT(log.st.st_uid, old.st_uid);
	CHECK_INT(log.st.st_gid, old.st_gid);
	log_close(&log);
	buf_free(&b);
}

RUN_TESTS("log")
