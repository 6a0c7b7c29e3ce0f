#include "core/dialects/kit/ids.h"

#include "core/dialects/pi/pi.h"
#include "tests/unit/test.h"

static const char *const names[] = { "1", "2", "branch x" };

/* The same each time, and as in a session that keeps its name space. */
TEST(check_derived)
{
	struct session *s = test_session(HEADER USER("a", "null", "x"));
	const struct id_space parsed = ids_space(s);
	const struct id_space kept = pi_id_space(s);
	CHECK_INT(memcmp(parsed.uuid, kept.uuid, sizeof(parsed.uuid)), 0);
	for (size_t i = 0; i < COUNT(names); i++) {
		struct buf brief = { 0 };
		struct buf whole = { 0 };
		ids_derive(s, &kept, &brief, span_of(names[i]));
		ids_derive_uuid(&kept, &whole, span_of(names[i]));
		CHECK_INT(brief.len, 8);
		CHECK_INT(whole.len, 36);
		CHECK(span_starts(buf_span(&whole), buf_span(&brief)));
		/* Name-based, by SHA-1. */
		CHECK(whole.len > 14 && whole.data[14] == '5');
		buf_free(&brief);
		buf_free(&whole);
	}
	test_close(s);
}

/* The first eight digits are an entry's: the id is the whole UUID. */
TEST(check_used)
{
	struct session *s = test_session(HEADER USER("a", "null", "x"));
	const struct id_space space = ids_space(s);
	struct buf brief = { 0 };
	struct buf line = { 0 };
	ids_derive(s, &space, &brief, SPAN("1"));
	buf_addf(&line, HEADER "{'type':'message','id':'%s','parentId':null}\n",
		 buf_cstr(&brief));
	test_close(s);
	s = test_session(buf_cstr(&line));
	buf_clear(&brief);
	ids_derive(s, &space, &brief, SPAN("1"));
	CHECK_INT(brief.len, 36);
	test_close(s);
	buf_free(&brief);
	buf_free(&line);
}

TEST(check_no_uuid)
{
	struct session *s =
		test_session("{'type':'session','version':3,'id':'no "
			     "uuid','timestamp':'t','cwd':'/'}\n");
	const struct id_space a = ids_space(s);
	test_close(s);
	s = test_session("{'type':'session','version':3,'id':'another','"
			 "timestamp':'t','cwd':'/'}\n");
	const struct id_space b = ids_space(s);
	CHECK(memcmp(a.uuid, b.uuid, sizeof(a.uuid)) != 0);
	test_close(s);
}

TEST(check_new)
{
	struct session *s = test_session(HEADER USER("a", "null", "x"));
	struct buf a = { 0 };
	struct buf b = { 0 };
	ids_new(s, &a);
	ids_new_uuid(s, &b);
	CHECK_INT(a.len, 8);
	CHECK_INT(b.len, 36);
	buf_free(&a);
	buf_free(&b);
	test_close(s);
}

RUN_TESTS("ids")
