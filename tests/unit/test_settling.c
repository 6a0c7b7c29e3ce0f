/*
 * Session files that change within one tick of the kernel's clock, so that
 * neither size nor times show it. Newer kernels have finer times: here all
 * files have the time of a tick.
 */
#include "core/session/session.h"
#include "tests/unit/fake_clock.h"
#include "tests/unit/test.h"

/* When all files were last written to, in ms. */
static int64_t tick;

static int with_tick(int err, struct stat *st)
{
	st->st_mtim = fake_time(tick);
	st->st_ctim = st->st_mtim;
	return err;
}

int fstat(int fd, struct stat *st)
{
	return with_tick(fstatat(fd, "", st, AT_EMPTY_PATH), st);
}

int lstat(const char *path, struct stat *st)
{
	return with_tick(fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW), st);
}

static void check_first_id(struct session *s, const char *want)
{
	if (CHECK_INT(session_enter(s), 0)) {
		CHECK_ID(s, 0, want);
		session_leave(s);
	}
}

static bool is_fresh(struct session *s)
{
	bool is = session_enter_if_fresh(s);
	if (is)
		session_leave(s);
	return is;
}

/*
 * As many bytes in the place of others, while the file may still change. A
 * write sets the file's time before it copies the bytes, so those too may come
 * under a time that was seen.
 */
static void check_written_over(int64_t written, int64_t settling)
{
	tick = fake_now = written;
	struct session *s =
		test_open(test_file("s.jsonl", HEADER USER("a", "null", "x")));
	test_file("s.jsonl", HEADER USER("b", "null", "x"));
	CHECK(!is_fresh(s));
	check_first_id(s, "b");
	fake_now = written + settling - 1;
	test_file("s.jsonl", HEADER USER("c", "null", "x"));
	check_first_id(s, "c");
	CHECK(!is_fresh(s));

	/* Compared once more; then the file has settled. */
	fake_now = written + settling;
	test_file("s.jsonl", HEADER USER("d", "null", "x"));
	check_first_id(s, "d");
	CHECK(is_fresh(s));
	session_free(s);
}

/* An agent appends, and writes over the first line right after that. */
static void check_appended(void)
{
	tick = fake_now = 1000001;
	struct session *s =
		test_open(test_file("s.jsonl", HEADER USER("a", "null", "x")));
	fake_now += 5000;
	check_first_id(s, "a");
	CHECK(is_fresh(s));
	tick = fake_now;
	test_append("s.jsonl", USER("b", "'a'", "y"));
	check_first_id(s, "a");
	CHECK(!is_fresh(s));
	test_file("s.jsonl",
		  HEADER USER("z", "null", "x") USER("b", "'z'", "y"));
	check_first_id(s, "z");
	session_free(s);
}

int main(void)
{
	check_written_over(1000001, 100);
	/* A filesystem that has whole seconds alone. */
	check_written_over(2000000, 1100);
	check_appended();
	return test_done("settling");
}
