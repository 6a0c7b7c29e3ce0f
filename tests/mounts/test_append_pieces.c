/*
 * Lines that are written to append in pieces and in any size; tests/model has
 * many writers, and several open files.
 * What cp, tee, dd, sed, busybox and Python do is in tests/append-pieces.bats.
 */
#include "tests/mounts/mounts.h"

#include <signal.h>

#define BRANCHES "pi-v3-branches.jsonl"
#define SAYS(text) "{\"role\":\"user\",\"content\":\"" text "\"}\n"

/* The texts of the appended user messages, those with a random id, a newline
 * after each. */
static struct span texts(void)
{
	static struct buf b;
	cJSON *values = session_values(), *e;
	buf_clear(&b);
	for (e = children_of(values); e; e = e->next) {
		cJSON *message = cJSON_GetObjectItem(e, "message");
		const char *id =
			cJSON_GetStringValue(cJSON_GetObjectItem(e, "id"));
		const char *role = cJSON_GetStringValue(
			cJSON_GetObjectItem(message, "role"));
		const char *content = cJSON_GetStringValue(
			cJSON_GetObjectItem(message, "content"));
		if (!role || strcmp(role, "user") != 0 ||
		    strncmp(id + 2, "0000", 4) == 0)
			continue;
		buf_add(&b, span_of(content ? content : "no text"));
		buf_addc(&b, '\n');
	}
	cJSON_Delete(values);
	return buf_span(&b);
}

#define CHECK_TEXTS(want) CHECK_SPAN(texts(), span_of(want))

static int open_append(int flags)
{
	int fd = open("append", O_WRONLY | O_CLOEXEC | flags);
	test_need(fd >= 0, "append");
	return fd;
}

/* 0 if all was taken, -1 if not all, or an errno. */
static int write_to(int fd, struct span s)
{
	ssize_t n = write(fd, s.p, s.n);
	return n < 0 ? errno : n == (ssize_t)s.n ? 0 : -1;
}

static int says_to(int fd, const char *text)
{
	return write_to(fd, span_of(text));
}

/* Write so many bytes at a time to an open file. */
static int write_by(size_t size, int fd, struct span s)
{
	int err = 0;
	for (size_t at = 0; at < s.n && !err; at += size) {
		size_t n = s.n - at < size ? s.n - at : size;
		err = write_to(fd, (struct span){ s.p + at, n });
	}
	return err;
}

/* The same with one open(2). */
static int append_by(size_t size, struct span s)
{
	int fd = open_append(0), err = write_by(size, fd, s);
	return close(fd) < 0 && !err ? errno : err;
}

static void add_many(struct buf *b, char c, size_t n)
{
	char *to = buf_reserve(b, n);
	test_need(to != NULL, "memory");
	memset(to, c, n);
	b->len += n;
}

/* Rules: A4 */
static void any_size(void)
{
	static const char three[] =
		SAYS("one") SAYS("two") "\n  \n" SAYS("three");
	struct buf b = { 0 }, want = { 0 };
	mount_fixture(BRANCHES);
	CHECK_INT(append_by(1, SPAN(SAYS("byte by byte é \\ud83d\\ude00"))), 0);
	buf_add(&b, SPAN("{\"role\":\"user\",\"content\":\""));
	add_many(&b, 'x', 30000);
	buf_add(&b, SPAN("\"}\n"));
	CHECK_INT(append_by(4096, buf_span(&b)), 0);
	CHECK_INT(append_by(7, span_of(three)), 0);
	CHECK_INT(append_by(sizeof(three), span_of(three)), 0);
	CHECK(came(8, BRANCHES));
	buf_add(&want, SPAN("byte by byte é 😀\n"));
	add_many(&want, 'x', 30000);
	buf_add(&want, SPAN("\none\ntwo\nthree\none\ntwo\nthree\n"));
	CHECK_SPAN(texts(), buf_span(&want));
	buf_free(&b);
	buf_free(&want);
}

/* A process that ends writes to a file that it shares with this one. */
static void child_writes(int fd, struct span s)
{
	int status;
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0)
		_exit(write_to(fd, s) != 0 || close(fd) != 0);
	test_need(waitpid(pid, &status, 0) == pid, "waitpid");
	CHECK_INT(status, 0);
}

static void shared_by_processes(void)
{
	struct buf numbers = { 0 }, escaped = { 0 };
	mount_fixture(BRANCHES);
	for (int i = 1; i <= 3000; i++) {
		char line[16];
		snprintf(line, sizeof(line), "%d\n", i);
		buf_add(&numbers, span_of(line));
		snprintf(line, sizeof(line), "%d\\n", i);
		buf_add(&escaped, span_of(line));
	}
	int fd = open_append(O_APPEND);
	CHECK_INT(says_to(fd, "{\"role\":\"user\","), 0);
	child_writes(fd, SPAN("\"content\":"));
	child_writes(fd, SPAN("\""));
	child_writes(fd, buf_span(&escaped));
	child_writes(fd, SPAN("\" }"));
	CHECK_INT(says_to(fd, "\n"), 0);
	CHECK_INT(says_to(fd, SAYS("second")), 0);
	CHECK_INT(ERRNO(close(fd)), 0);
	CHECK(came(2, BRANCHES));
	CHECK_SPAN(text_of("HEAD/parent/content"), buf_span(&numbers));
	CHECK_FILE("HEAD/content", "second\n");
	buf_free(&numbers);
	buf_free(&escaped);
}

/* A process that begins a line, and is killed. */
static pid_t begin_a_line(void)
{
	int ready[2];
	char c;
	test_need(pipe(ready) == 0, "pipe");
	pid_t pid = fork();
	test_need(pid >= 0, "fork");
	if (pid == 0) {
		int fd = open("append", O_WRONLY | O_CLOEXEC);
		close(ready[0]);
		if (says_to(fd, "{\"role\":\"user\",\"content\":\"kil") == 0 &&
		    write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void abandoned(void)
{
	int status;
	mount_fixture(BRANCHES);
	CHECK_INT(append("{\"role\":\"user\",\"content\":\"ha"), 0);
	CHECK_INT(append(SAYS("whole")), 0);
	CHECK(is_refused("lf'}\n", ""));
	/* The writer is killed while another one has append open. */
	pid_t writer = begin_a_line();
	CHECK_INT(append(SAYS("meanwhile")), 0);
	CHECK_INT(ERRNO(kill(writer, SIGKILL)), 0);
	test_need(waitpid(writer, &status, 0) == writer, "waitpid");
	CHECK(WIFSIGNALED(status));
	CHECK_INT(append(SAYS("after")), 0);
	CHECK_TEXTS("whole\nmeanwhile\nafter\n");
	CHECK(came(3, BRANCHES));
}

static void twenty_megabytes(void)
{
	struct buf line = { 0 }, text = { 0 };
	mount_fixture(BRANCHES);
	buf_add(&line, SPAN("{\"role\":\"user\",\"content\":\""));
	for (int i = 0; i < 1600000; i++) {
		buf_add(&line, SPAN("0123456789é\\n"));
		buf_add(&text, SPAN("0123456789é\n"));
	}
	buf_add(&line, SPAN("\"}\n"));
	CHECK(line.len > 20000000);
	CHECK_INT(append_by(128 * 1024, buf_span(&line)), 0);
	CHECK_SPAN(text_of("HEAD/content"), buf_span(&text));
	CHECK_INT(write_with(O_TRUNC, "append", buf_span(&line)), 0);
	CHECK_SPAN(text_of("HEAD/content"), buf_span(&text));
	CHECK_SPAN(text_of("HEAD/parent/content"), buf_span(&text));
	CHECK_LINK("HEAD/parent/parent", "../aa000025");
	buf_free(&line);
	buf_free(&text);
}

static const struct mounts_test tests[] = {
	TEST("a line in pieces of any size is one entry", any_size),
	TEST("several processes that share the open file write one line",
	     shared_by_processes),
	TEST("an abandoned half line is not put before the next line",
	     abandoned),
	TEST("a line of 20 MB", twenty_megabytes),
};
RUN_TESTS(tests)
