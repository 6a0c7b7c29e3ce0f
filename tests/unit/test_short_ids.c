#include "core/session/short_ids.h"

#include "tests/unit/dialect_test.h"

/* Rules: K3 */
static void check(const char *lines, const char *want)
{
	struct buf all = { 0 };
	struct buf got = { 0 };
	struct short_ids ids;
	test_row = lines;
	buf_adds(&all, HEADER);
	buf_adds(&all, lines);
	struct session *s = test_session(buf_cstr(&all));
	const struct index *x = &s->now.index;
	CHECK_INT(short_ids_begin(&ids, x), 0);
	for (uint32_t i = 0; i < x->n; i++) {
		uint32_t found = INDEX_NONE;
		size_t from = got.len;
		short_ids_add(&ids, &got, i);
		struct span id = { got.data + from, got.len - from };
		CHECK(id.n <= ids.longest);
		/* The whole name of one may begin that of another. */
		if (index_find_name(x, id) != i) {
			CHECK_INT(index_find_prefix(x, id, &found), 0);
			CHECK_INT(found, i);
		}
		buf_addc(&got, ' ');
	}
	CHECK_BUF(&got, want);
	short_ids_end(&ids);
	test_close(s);
	buf_free(&all);
	buf_free(&got);
	test_row = NULL;
}

int main(void)
{
	check("", "");
	check(USER("a", "null", "") USER("00000001", "'a'", ""), "a 00000001 ");
	check(USER("0123456789", "null", "") USER("1123456789", "null", ""),
	      "01234567 11234567 ");
	check(USER("msg_01a2b3", "null", "") USER("msg_01a2c3", "null", "")
		      USER("msg_01a2b4", "null", "") USER("msg", "null", ""),
	      "msg_01a2b3 msg_01a2c msg_01a2b4 msg ");
	/* One is the start of another. */
	check(USER("0123456789", "null", "") USER("012345678", "null", ""),
	      "0123456789 012345678 ");
	/* Characters stay whole, and names are escaped. */
	check(USER("1234567\xC3\xA4x", "null", "")
		      USER("1234567\xC3\xB6x", "null", ""),
	      "1234567\xC3\xA4 1234567\xC3\xB6 ");
	check(USER("1234567/8", "null", "") USER("1234567/9", "null", ""),
	      "1234567%2F8 1234567%2F9 ");
	return test_done("short_ids");
}
