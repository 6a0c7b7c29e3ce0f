#include "core/session/fingerprint.h"

#include "core/base/hash.h"
#include "core/file/feed.h"
#include "tests/unit/test.h"

static int add_line(void *data, struct span line, uint64_t offset)
{
	fingerprint_add(data, (struct span){ line.p, line.n + 1 },
			hash_line(line, offset));
	return 0;
}

/* Read a log to its end, as contents.c does. */
static uint64_t read_log(struct fingerprint *f, struct log *log)
{
	struct feed feed = { 0 };
	uint64_t length = (uint64_t)log->st.st_size;
	CHECK_INT(feed_file(log, &feed, length, add_line, f), 0);
	if (feed.rest.n > 0)
		fingerprint_add(f, feed.rest,
				hash_line(feed.rest, feed.offset));
	buf_free(&feed.chunk);
	return length;
}

/* Over a byte at an offset, another one. */
static void overwrite(const char *path, off_t offset)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	test_need(fd >= 0 && pwrite(fd, "#", 1, offset) == 1, path);
	close(fd);
}

static void check(size_t line, off_t changed, bool ends, bool all)
{
	struct fingerprint f = { 0 };
	struct buf text = { 0 };
	struct log log;
	for (char c = 'a'; c <= 'd'; c++) {
		buf_fill(&text, c, line);
		buf_addc(&text, '\n');
	}
	const char *path = test_file("log", buf_cstr(&text));
	CHECK_INT(log_open(&log, NULL, path), 0);
	uint64_t length = read_log(&f, &log);
	CHECK(fingerprint_ends_match(&f, &log, length));
	CHECK(fingerprint_matches(&f, &log, length));
	test_append("log", "more\n");
	if (changed >= 0)
		overwrite(path, changed);
	CHECK_INT(fingerprint_ends_match(&f, &log, length), ends);
	CHECK_INT(fingerprint_matches(&f, &log, length), all);
	log_close(&log);
	buf_free(&text);
}

static void check_truncated(void)
{
	struct fingerprint f = { 0 };
	struct log log;
	const char *path = test_file("log", "one\ntwo\n");
	CHECK_INT(log_open(&log, NULL, path), 0);
	uint64_t length = read_log(&f, &log);
	test_need(truncate(path, 4) == 0, path);
	CHECK(!fingerprint_ends_match(&f, &log, length));
	CHECK(!fingerprint_matches(&f, &log, length));
	log_close(&log);
}

int main(void)
{
	/* Short logs are compared as a whole. */
	check(0, -1, true, true);
	check(10, -1, true, true);
	check(10, 15, false, false);
	check(1000, -1, true, true);
	check(1000, 0, false, false);
	check(1000, 4003, false, false);
	/* In the middle only the digest notices. */
	check(1000, 2000, true, false);
	check_truncated();
	return test_done("fingerprint");
}
