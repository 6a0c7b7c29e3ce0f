#include "fs/edit/append_stream.h"

#include <sys/file.h>
#include <sys/syscall.h>

#include "tests/unit/fake_clock.h"
#include "tests/unit/tree_test.h"

/* A user's message, in two parts. */
#define START "{'type':'message','message':{'role':'user','content':'"
#define END "','timestamp':7}}"
#define LINE(text) START text END

/* Write text in which ' stands for ", as tests/unit/test.h has it. */
static void write_to(struct tree_test *t, uint64_t ino, const char *text,
		     size_t left, int want)
{
	struct buf b = test_quoted(text);
	size_t consumed = 0;
	test_row = text;
	CHECK_INT(append_stream_write(&t->edit, ino, buf_span(&b), &consumed),
		  want);
	if (!want)
		CHECK_INT(b.len - consumed, left);
	test_row = NULL;
	buf_free(&b);
}

/* What the message says that was appended last. */
static void check_last(struct tree_test *t, const char *text)
{
	struct buf path = { 0 };
	CHECK_INT(tree_test_read(t, "HEAD", &path), 0);
	buf_adds(&path, "/content");
	CHECK_FILE(t, buf_cstr(&path), text);
	buf_free(&path);
}

static void check_entries(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, "append");
	write_to(t, ino, LINE("1") "\n" LINE("2") "\n", 0, 0);
	check_last(t, "2\n");
	/* Short: the second line is refused. */
	write_to(t, ino, LINE("3") "\n{}\n", 3, 0);
	check_last(t, "3\n");
	write_to(t, ino, "{}\n", 0, -EINVAL);
	check_last(t, "3\n");
}

/* The pieces of two openings do not mix. */
static void check_openings(struct tree_test *t)
{
	uint64_t a = tree_test_find(t, "append");
	uint64_t b = tree_test_find(t, "append");
	write_to(t, a, START "4 and ", 0, 0);
	write_to(t, b, START "5 and ", 0, 0);
	CHECK_INT(t->edit.streams.n, 2);
	write_to(t, a, "a" END, 0, 0);
	check_last(t, "4 and a\n");
	write_to(t, b, "b" END "\n", 0, 0);
	check_last(t, "5 and b\n");
	CHECK_INT(t->edit.streams.n, 0);
}

/* What the kernel forgets is dropped. */
static void check_forget(struct tree_test *t)
{
	uint64_t a = tree_test_find(t, "append");
	write_to(t, a, "{'type':", 0, 0);
	CHECK_INT(t->edit.streams.n, 1);
	CHECK_INT(t->edit.streams.bytes, 8);
	append_stream_forget(&t->edit.streams, tree_test_find(t, "info"));
	append_stream_forget(&t->edit.streams, tree_test_find(t, "append"));
	CHECK_INT(t->edit.streams.n, 1);
	append_stream_forget(&t->edit.streams, a);
	CHECK_INT(t->edit.streams.n, 0);
	CHECK_INT(t->edit.streams.bytes, 0);
}

static int64_t write_ms;	/* how long a write takes */
static unsigned locks;		/* how often a file was locked */
static struct tree_test *other; /* is written to during the next write */

/* libc's */
ssize_t write(int fd, const void *bytes, size_t n)
{
	struct tree_test *t = other;
	other = NULL;
	if (t)
		write_to(t, tree_test_find(t, "append"), "{", 0, -ENOBUFS);
	fake_now += write_ms;
	return syscall(SYS_write, fd, bytes, n);
}

/* Only so many beginnings of lines are kept. */
static void check_limit(struct tree_test *t)
{
	uint64_t ino = 0;
	for (int i = 0; i < APPEND_STREAMS_MAX; i++) {
		ino = tree_test_find(t, "append");
		write_to(t, ino, "{", 0, 0);
	}
	/* The one that is written to counts, too. */
	other = t;
	write_to(t, ino,
		 "'type':'message','message':{'role':'user','content':'5',"
		 "'timestamp':7}}\n{",
		 0, 0);
	CHECK(!other);
	check_last(t, "5\n");
	CHECK_INT(t->edit.streams.n, APPEND_STREAMS_MAX);
	CHECK_INT(t->edit.streams.bytes, APPEND_STREAMS_MAX);

	ino = tree_test_find(t, "append");
	write_to(t, ino, "{", 0, -ENOBUFS);
	write_to(t, ino, LINE("6"), 0, 0);
	check_last(t, "6\n");
	CHECK_INT(t->edit.streams.n, APPEND_STREAMS_MAX);
}

int flock(int fd, int operation)
{
	locks += (operation & LOCK_EX) != 0;
	return (int)syscall(SYS_flock, fd, operation);
}

/* Agents wait for the lock: many lines let it go after each tenth second. */
static void check_slices(struct tree_test *t)
{
	uint64_t ino = tree_test_find(t, "append");
	struct buf lines = { 0 };
	for (int i = 0; i < 10; i++)
		buf_adds(&lines, LINE("x") "\n");
	locks = 0;
	write_to(t, ino, buf_cstr(&lines), 0, 0);
	CHECK_INT(locks, 1);
	write_ms = 60;
	write_to(t, ino, buf_cstr(&lines), 0, 0);
	CHECK_INT(locks, 1 + 5);
	write_ms = 0;
	buf_free(&lines);
}

int main(void)
{
	struct tree_test t;
	tree_test_open(&t, test_file("s.jsonl", TREE_SESSION));
	check_entries(&t);
	check_openings(&t);
	check_forget(&t);
	check_limit(&t);
	check_slices(&t);
	tree_test_close(&t);
	return test_done("append_stream");
}
