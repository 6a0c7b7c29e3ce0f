#include "core/base/buf.h"

#include <stdint.h>

#include "tests/unit/test.h"

TEST(check_append)
{
	struct buf b = { 0 };
	CHECK_SPAN(buf_span(&b), SPAN(""));
	buf_adds(&b, "one");
	buf_addc(&b, ' ');
	buf_add(&b, SPAN("t\0wo"));
	buf_addf(&b, " %d %s", 3, "four");
	buf_fill(&b, '.', 2);
	buf_fill(&b, '.', 0);
	CHECK_SPAN(buf_span(&b), SPAN("one t\0wo 3 four.."));
	CHECK_INT(strlen(buf_cstr(&b)), 5);
	CHECK_INT(b.data[b.len], '\0');
	CHECK_INT(buf_error(&b), 0);
	buf_free(&b);
	CHECK(!b.data && b.len == 0);
}

TEST(check_end_line)
{
	struct buf b = { 0 };
	buf_end_line(&b);
	CHECK_BUF(&b, "");
	buf_adds(&b, "a");
	buf_end_line(&b);
	buf_end_line(&b);
	CHECK_BUF(&b, "a\n");
	buf_free(&b);
}

/* After a failure nothing is appended, up to buf_reset(). */
TEST(check_failed)
{
	struct buf b = { 0 };
	buf_adds(&b, "kept");
	CHECK(!buf_reserve(&b, SIZE_MAX));
	CHECK_INT(buf_error(&b), -ENOMEM);
	buf_adds(&b, "lost");
	buf_addf(&b, "%d", 1);
	CHECK(!buf_cstr(&b));
	CHECK_SPAN(buf_span(&b), SPAN("kept"));
	buf_clear(&b);
	CHECK(buf_error(&b) == -ENOMEM);
	buf_reset(&b);
	CHECK_INT(buf_error(&b), 0);
	buf_adds(&b, "new");
	CHECK_BUF(&b, "new");
	buf_free(&b);
}

/* A buffer fails with those that are to be in it, at once. */
TEST(check_into)
{
	struct buf whole = { 0 };
	{
		struct buf part BUF_SCOPED = BUF_INTO(&whole);
		struct buf piece BUF_SCOPED = BUF_INTO(&part);
		buf_adds(&piece, "kept");
		CHECK_INT(buf_error(&whole), 0);
		CHECK(!buf_reserve(&piece, SIZE_MAX));
		CHECK_INT(buf_error(&part), -ENOMEM);
		CHECK_INT(buf_error(&whole), -ENOMEM);
	}
	buf_reset(&whole);
	{
		struct buf part BUF_SCOPED = BUF_INTO(&whole);
		part.failed = true;
	}
	CHECK_INT(buf_error(&whole), -ENOMEM);
	buf_reset(&whole);
	struct buf again = BUF_INTO(&whole);
	buf_free(&again);
	CHECK_INT(buf_error(&whole), 0);
	buf_fail(&again);
	CHECK_INT(buf_error(&whole), -ENOMEM);
}

/* What is taken is the caller's, and the buffer can be used again. */
TEST(check_take)
{
	struct buf b = { 0 };
	char *empty = buf_take(&b);
	CHECK(empty && !*empty);
	buf_adds(&b, "taken");
	char *text = buf_take(&b);
	CHECK(text && strcmp(text, "taken") == 0);
	CHECK(!b.data && b.len == 0);
	buf_adds(&b, "lost");
	buf_fail(&b);
	CHECK(!buf_take(&b) && !b.failed);
	free(empty);
	free(text);
}

/* Large enough for huge pages. */
TEST(check_large)
{
	struct buf b = { 0 };
	size_t wrong = 0;
	for (size_t i = 0; i < (size_t)5 << 20; i++)
		buf_addc(&b, (char)(i % 251));
	for (size_t i = 0; i < b.len; i++)
		wrong += (unsigned char)b.data[i] != i % 251;
	CHECK_INT(b.len, 5 << 20);
	CHECK_INT(wrong, 0);
	buf_free(&b);
}

RUN_TESTS("buf")
