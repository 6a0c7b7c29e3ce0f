#include <sys/resource.h>

#include "core/file/log.h"

#include "tests/unit/test.h"

static void read_all(const struct log *log, struct buf *out)
{
	size_t n = (size_t)log_size(log);
	buf_clear(out);
	char *to = buf_reserve(out, n + 1);
	test_need(to != NULL, "reserve");
	CHECK_INT(log_read(log, 0, to, n), 0);
	out->len = n;
}

/* The newest is added first, and the oldest read first. */
TEST(check_read)
{
	static const char whole[] = "one\ntwo\nfour\nsix\n";
	struct log log;
	struct buf all = { 0 };
	test_file("old", "one\ntwo\nthree\n");
	test_file("middle", "four\nfive\n");
	CHECK_INT(log_open(&log, NULL, test_file("new", "six\n")), 0);
	CHECK_INT(lineage_add(&log.before, test_path("middle"), 5), 0);
	CHECK_INT(lineage_add(&log.before, test_path("old"), 8), 0);
	CHECK_INT(log_size(&log), 17);
	read_all(&log, &all);
	CHECK_BUF(&all, whole);
	/* From every offset, of every length. */
	for (uint64_t at = 0; at < 17; at++) {
		for (size_t n = 0; at + n <= 17; n++) {
			char part[17];
			CHECK_INT(log_read(&log, at, part, n), 0);
			CHECK(memcmp(part, whole + at, n) == 0);
		}
	}
	char c;
	CHECK_INT(log_read(&log, 17, &c, 1), -ESTALE);
	log_close(&log);
	CHECK_INT(log.before.n, 0);
	buf_free(&all);
}

TEST(check_errors)
{
	struct lineage l = { 0 };
	const char *path = test_file("old", "one\n");
	CHECK_INT(lineage_add(&l, test_path("none"), 1), -ENOENT);
	CHECK_INT(lineage_add(&l, path, 5), -ENODATA);
	test_need(symlink("old", test_path("link")) == 0, "symlink");
	CHECK_INT(lineage_add(&l, test_path("link"), 4), -ELOOP);
	CHECK_INT(l.n, 0);
	for (int i = 0; i < LINEAGE_LIMIT; i++)
		CHECK_INT(lineage_add(&l, path, 4), 0);
	CHECK_INT(lineage_add(&l, path, 4), -EMLINK);
	CHECK_INT(l.size, 4 * LINEAGE_LIMIT);
	lineage_free(&l);
	l.size = INT64_MAX - 3;
	CHECK_INT(lineage_add(&l, path, 4), -EFBIG);
	lineage_free(&l);
}

/* What a refresh finds, which is forgotten then. */
static int news(struct lineage *l)
{
	CHECK_INT(lineage_refresh(l), 0);
	int change = (int)l->change;
	l->change = VERSION_SAME;
	return change;
}

/* Write bytes over those at an offset. */
static void overwrite(const char *path, off_t at, const char *bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = (ssize_t)strlen(bytes);
	test_need(fd >= 0 && pwrite(fd, bytes, (size_t)n, at) == n, path);
	close(fd);
}

/* Growth after the cut is no change; other bytes, or another file, are. */
TEST(check_refresh)
{
	struct lineage l = { 0 };
	struct buf text = { 0 };
	char c[4];
	size_t got;
	buf_fill(&text, 'x', 2000);
	buf_adds(&text, "\ntwo\n");
	const char *path = test_file("old", buf_cstr(&text));
	CHECK_INT(lineage_add(&l, path, 2001), 0);
	CHECK(!lineage_is_stale(&l));
	CHECK(lineage_is_whole(&l));
	test_append("old", "three\n");
	CHECK(lineage_is_stale(&l));
	CHECK(lineage_is_whole(&l));
	CHECK_INT(news(&l), VERSION_SAME);
	CHECK(!lineage_is_stale(&l));

	/* All bytes have to be compared. */
	overwrite(path, 500, "y");
	CHECK(lineage_is_stale(&l));
	CHECK(!lineage_is_whole(&l));
	CHECK_INT(news(&l), VERSION_TOUCHED);
	CHECK(lineage_is_whole(&l));

	test_evict(l.list[0].file);
	CHECK(!lineage_is_stale(&l));
	CHECK_INT(news(&l), VERSION_SAME);
	CHECK_INT(lineage_read(&l, 0, c, 4, &got), 0);
	CHECK_INT(got, 4);
	/* It may be another file by now. */
	test_evict(l.list[0].file);
	test_append("old", "four\n");
	CHECK_INT(news(&l), VERSION_TOUCHED);

	/* At the cut. */
	overwrite(path, 1999, "y");
	test_append("old", "five\n");
	CHECK_INT(news(&l), VERSION_REPLACED);
	CHECK_INT(news(&l), VERSION_REPLACED);
	lineage_free(&l);

	CHECK_INT(lineage_add(&l, path, 4), 0);
	test_need(rename(path, test_path("moved")) == 0, "rename");
	CHECK(lineage_is_stale(&l));
	CHECK(!lineage_is_whole(&l));
	CHECK_INT(news(&l), VERSION_REPLACED);
	lineage_free(&l);
	buf_free(&text);
}

/* A log's news is that of all its files. */
TEST(check_log)
{
	struct log log;
	char c[8];
	const char *old = test_file("old", "one\ntwo\n");
	CHECK_INT(log_open(&log, NULL, test_file("new", "six\n")), 0);
	CHECK_INT(lineage_add(&log.before, old, 4), 0);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	test_append("old", "three\n");
	CHECK_INT(log_peek(&log), VERSION_SAME);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	test_append("new", "seven\n");
	CHECK_INT(log_refresh(&log), VERSION_GREW);
	overwrite(old, 5, "x");
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);
	overwrite(old, 6, "x");
	test_append("new", "eight\n");
	CHECK_INT(log_refresh(&log), VERSION_GREW_TOUCHED);
	test_evict(log.file);
	test_evict(log.before.list[0].file);
	CHECK_INT(log_refresh(&log), VERSION_SAME);
	CHECK_INT(log_read(&log, 0, c, 8), 0);
	CHECK_SPAN(((struct span){ c, 8 }), SPAN("one\nsix\n"));
	CHECK_INT(log_refresh(&log), VERSION_SAME);

	/* Without a descriptor no news is lost. */
	test_append("old", "four\n");
	test_append("new", "nine\n");
	test_limit_files(0);
	CHECK_INT(log_refresh(&log), -EMFILE);
	test_limit_files(-1);
	CHECK_INT(log_refresh(&log), VERSION_GREW);

	/* Nor that of the first of several files. */
	const char *older = test_file("older", "zero\n");
	CHECK_INT(lineage_add(&log.before, older, 5), 0);
	overwrite(old, 4, "y");
	test_append("older", "x\n");
	test_limit_files(0);
	CHECK_INT(log_refresh(&log), -EMFILE);
	test_limit_files(-1);
	CHECK(log_is_stale(&log));
	CHECK_INT(log_peek(&log), VERSION_REPLACED);
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);
	CHECK(!log_is_stale(&log));
	/* Once it was seen, it stays so until it is told. */
	log.before.change = VERSION_TOUCHED;
	CHECK(log_is_stale(&log));
	CHECK_INT(log_refresh(&log), VERSION_TOUCHED);

	test_need(unlink(old) == 0, old);
	CHECK_INT(log_refresh(&log), VERSION_REPLACED);
	log_close(&log);
}

/* What was kept of ancestors is of use as long as they only grow. */
TEST(check_packed)
{
	struct lineage l = { 0 };
	struct buf packed = { 0 };
	const char *path = test_file("a", "one\n");
	CHECK(lineage_is_as_packed(NULL, buf_span(&packed)));
	CHECK_INT(lineage_add(&l, test_file("b", "two\n"), 4), 0);
	CHECK_INT(lineage_add(&l, path, 4), 0);
	lineage_pack(&l, &packed);
	CHECK(lineage_is_as_packed(NULL, buf_span(&packed)));
	test_append("a", "more\n");
	CHECK(lineage_is_as_packed(NULL, buf_span(&packed)));
	for (size_t n = 1; n < packed.len; n++) {
		struct span part = { packed.data, n };
		CHECK(n == packed.len / 2 || !lineage_is_as_packed(NULL, part));
	}
	/* Written over, and larger. */
	test_file("a", "uno\nmore and more\n");
	CHECK(!lineage_is_as_packed(NULL, buf_span(&packed)));
	test_file("a", "one\n");
	CHECK(!lineage_is_as_packed(NULL, buf_span(&packed)));
	lineage_free(&l);
	buf_free(&packed);
}

RUN_TESTS("lineage")
