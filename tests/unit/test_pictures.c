#include "core/show/pictures.h"

#include "tests/unit/test.h"

/* A table of n pictures, which are as large as their line says. */
static void keep(struct session *s, uint64_t line, unsigned n, uint64_t size)
{
	struct buf table = { 0 };
	for (unsigned i = 1; i <= n; i++) {
		const struct picture one = { .size = size, .at = i };
		buf_add(&table,
			(struct span){ (const char *)&one, sizeof(one) });
	}
	CHECK_INT(buf_error(&table), 0);
	pictures_keep(s, line, &table);
	CHECK_INT(table.len, 0);
	buf_free(&table);
}

static bool is_kept(struct session *s, uint64_t line)
{
	struct picture one;
	int err = pictures_find(s, line, 1, &one);
	CHECK(err == 0 || err == -EAGAIN);
	return err == 0;
}

TEST(check_found)
{
	struct session *s = test_session("");
	struct picture one = { 0 };
	CHECK_INT(pictures_find(s, 7, 1, &one), -EAGAIN);
	keep(s, 7, 3, 10);
	keep(s, 8, 0, 10);
	CHECK_INT(pictures_find(s, 8, 1, &one), -EAGAIN);
	CHECK_INT(pictures_find(s, 7, 3, &one), 0);
	CHECK_INT(one.at, 3);
	CHECK_INT(one.size, 10);
	static const unsigned none[] = { 0, 4, UINT_MAX };
	for (size_t i = 0; i < COUNT(none); i++)
		CHECK_INT(pictures_find(s, 7, none[i], &one), -ENOENT);
	/* The later table counts. */
	keep(s, 7, 2, 20);
	CHECK_INT(pictures_find(s, 7, 2, &one), 0);
	CHECK_INT(one.size, 20);
	CHECK_INT(pictures_find(s, 7, 3, &one), -ENOENT);
	pictures_forget(s);
	CHECK_INT(pictures_find(s, 7, 1, &one), -EAGAIN);
	test_close(s);
}

/* What was used longest ago goes. */
TEST(check_slots)
{
	struct session *s = test_session("");
	for (uint64_t line = 0; line < PICTURES_SLOTS; line++)
		keep(s, line, 1, line);
	CHECK(is_kept(s, 0));
	keep(s, PICTURES_SLOTS, 1, 1);
	CHECK(is_kept(s, 0));
	CHECK(!is_kept(s, 1));
	for (uint64_t line = 2; line <= PICTURES_SLOTS; line++)
		CHECK(is_kept(s, line));
	test_close(s);
}

/* Large tables push others out; the newest stays whatever it takes. */
TEST(check_bytes)
{
	const unsigned half = PICTURES_BYTES / sizeof(struct picture) / 2;
	struct session *s = test_session("");
	keep(s, 1, 1, 1);
	keep(s, 2, half / 2, 1);
	CHECK(is_kept(s, 1));
	keep(s, 3, half * 4, 1);
	CHECK(is_kept(s, 3));
	CHECK(!is_kept(s, 1));
	CHECK(!is_kept(s, 2));
	keep(s, 4, 1, 1);
	CHECK(is_kept(s, 4));
	CHECK(!is_kept(s, 3));
	test_close(s);
}

RUN_TESTS("pictures")
