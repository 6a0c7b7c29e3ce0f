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
static void check_read(void)
{
	static const char whole[] = "one\ntwo\nfour\nsix\n";
	struct log log;
	struct buf all = { 0 };
	test_file("old", "one\ntwo\nthree\n");
	test_file("middle", "four\nfive\n");
	CHECK_INT(log_open(&log, test_file("new", "six\n")), 0);
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

static void check_errors(void)
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
}

/* Growth after the cut is no change; other bytes, or another file, are. */
static void check_refresh(void)
{
	struct lineage l = { 0 };
	const char *path = test_file("old", "one\ntwo\n");
	CHECK_INT(lineage_add(&l, path, 4), 0);
	CHECK(!lineage_is_stale(&l));
	test_append("old", "three\n");
	CHECK(lineage_is_stale(&l));
	CHECK_INT(lineage_refresh(&l), 0);
	CHECK(!lineage_is_stale(&l));

	lineage_park(&l);
	CHECK_INT(lineage_refresh(&l), 0);
	char c[4];
	size_t got;
	CHECK_INT(lineage_read(&l, 0, c, 4, &got), 0);
	CHECK_INT(got, 4);

	test_file("old", "eno\ntwo\n");
	CHECK(lineage_is_stale(&l));
	CHECK_INT(lineage_refresh(&l), 1);
	lineage_free(&l);

	CHECK_INT(lineage_add(&l, path, 4), 0);
	test_need(rename(path, test_path("moved")) == 0, "rename");
	CHECK(lineage_is_stale(&l));
	CHECK_INT(lineage_refresh(&l), 1);
	lineage_free(&l);
}

int main(void)
{
	check_read();
	check_errors();
	check_refresh();
	return test_done("lineage");
}
