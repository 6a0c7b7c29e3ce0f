#include "core/session/pictures.h"

#include "tests/unit/test.h"

/* A table of n pictures, which are as large as their line says. */
static void keep(struct pictures *p, uint64_t line, unsigned n, uint64_t size)
{
	struct buf table = { 0 };
	for (unsigned i = 1; i <= n; i++) {
		const struct picture one = { .size = size, .at = i };
		buf_add(&table,
			(struct span){ (const char *)&one, sizeof(one) });
	}
	CHECK_INT(buf_error(&table), 0);
	pictures_keep(p, line, &table);
	CHECK_INT(table.len, 0);
	buf_free(&table);
}

static bool is_kept(struct pictures *p, uint64_t line)
{
	struct picture one;
	int err = pictures_find(p, line, 1, &one);
	CHECK(err == 0 || err == -EAGAIN);
	return err == 0;
}

static void check_found(void)
{
	struct pictures *p = pictures_new();
	struct picture one = { 0 };
	test_need(p != NULL, "pictures_new");
	CHECK_INT(pictures_find(p, 7, 1, &one), -EAGAIN);
	keep(p, 7, 3, 10);
	keep(p, 8, 0, 10);
	CHECK_INT(pictures_find(p, 8, 1, &one), -EAGAIN);
	CHECK_INT(pictures_find(p, 7, 3, &one), 0);
	CHECK_INT(one.at, 3);
	CHECK_INT(one.size, 10);
	static const unsigned none[] = { 0, 4, UINT_MAX };
	for (size_t i = 0; i < COUNT(none); i++)
		CHECK_INT(pictures_find(p, 7, none[i], &one), -ENOENT);
	/* The later table counts. */
	keep(p, 7, 2, 20);
	CHECK_INT(pictures_find(p, 7, 2, &one), 0);
	CHECK_INT(one.size, 20);
	CHECK_INT(pictures_find(p, 7, 3, &one), -ENOENT);
	pictures_forget(p);
	CHECK_INT(pictures_find(p, 7, 1, &one), -EAGAIN);
	pictures_free(p);
}

/* What was used longest ago goes. */
static void check_slots(void)
{
	struct pictures *p = pictures_new();
	test_need(p != NULL, "pictures_new");
	for (uint64_t line = 0; line < PICTURES_SLOTS; line++)
		keep(p, line, 1, line);
	CHECK(is_kept(p, 0));
	keep(p, PICTURES_SLOTS, 1, 1);
	CHECK(is_kept(p, 0));
	CHECK(!is_kept(p, 1));
	for (uint64_t line = 2; line <= PICTURES_SLOTS; line++)
		CHECK(is_kept(p, line));
	pictures_free(p);
}

/* Large tables push others out; the newest stays whatever it takes. */
static void check_bytes(void)
{
	const unsigned half = PICTURES_BYTES / sizeof(struct picture) / 2;
	struct pictures *p = pictures_new();
	test_need(p != NULL, "pictures_new");
	keep(p, 1, 1, 1);
	keep(p, 2, half / 2, 1);
	CHECK(is_kept(p, 1));
	keep(p, 3, half * 4, 1);
	CHECK(is_kept(p, 3));
	CHECK(!is_kept(p, 1));
	CHECK(!is_kept(p, 2));
	keep(p, 4, 1, 1);
	CHECK(is_kept(p, 4));
	CHECK(!is_kept(p, 3));
	pictures_free(p);
}

int main(void)
{
	check_found();
	check_slots();
	check_bytes();
	pictures_free(NULL);
	return test_done("pictures");
}
