#include "core/show/lines.h"

#include <pthread.h>

#include "tests/unit/test.h"

/* The lines as they are to be, made the slow way. */
static void add_slowly(const struct session *s, uint32_t entry, struct buf *out)
{
	struct buf text = { 0 };
	unsigned number = 1;
	CHECK_INT(content_add(s, entry, &text), 0);
	for (size_t i = 0; i < text.len; i++) {
		if (i == 0 || text.data[i - 1] == '\n') {
			buf_adds(out, "by-id/");
			index_add_name(&s->now.index, out, entry);
			buf_addf(out, "/content:%u:", number++);
		}
		buf_addc(out, text.data[i]);
	}
	buf_free(&text);
}

static void check_entry(const struct session *s, uint32_t entry)
{
	struct buf got = { 0 };
	struct buf want = { 0 };
	buf_adds(&got, "before\n");
	buf_adds(&want, "before\n");
	CHECK_INT(lines_add(s, entry, &got), 0);
	add_slowly(s, entry, &want);
	CHECK_SPAN(buf_span(&got), buf_span(&want));
	buf_free(&got);
	buf_free(&want);
}

static void check_size(const struct session *s, uint32_t entry)
{
	struct buf lines = { 0 };
	uint64_t size = 0;
	CHECK_INT(lines_size(s, entry, &size), 0);
	CHECK_INT(lines_add(s, entry, &lines), 0);
	CHECK_INT(size, lines.len);
	CHECK_INT(lines_size(s, entry, &size), 0);
	CHECK_INT(size, lines.len);
	buf_free(&lines);
}

static void check_all(const char *text)
{
	struct session *s = test_session(text);
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		check_size(s, i);
		check_entry(s, i);
	}
	test_close(s);
}

TEST(check_example)
{
	struct buf b = { 0 };
	struct session *s =
		test_session(HEADER USER("a", "null", "one\\n\\nthree")
				     USER("b/\\n", "'a'", "x\\u0000y"));
	CHECK_INT(lines_add(s, 0, &b), 0);
	CHECK_INT(lines_add(s, 1, &b), 0);
	CHECK_SPAN(buf_span(&b), SPAN("by-id/a/content:1:one\n"
				      "by-id/a/content:2:\n"
				      "by-id/a/content:3:three\n"
				      "by-id/b%2F%0A/content:1:x\0y\n"));
	test_close(s);
	buf_free(&b);
}

/* Each number of lines at which another digit begins, and those beside it. */
TEST(check_numbers)
{
	static const unsigned counts[] = { 1,	  2,	 8,	9,    10,
					   11,	  98,	 99,	100,  101,
					   998,	  999,	 1000,	1001, 9999,
					   10000, 10001, 123456 };
	for (size_t i = 0; i < COUNT(counts); i++) {
		struct buf text = { 0 };
		buf_adds(&text,
			 HEADER "{'type':'message','id':'a','parentId':"
				"null,'message':{'role':'user','content':'");
		for (unsigned k = 0; k < counts[i]; k++)
			buf_adds(&text, k % 3 ? "x\\n" : "\\n");
		buf_adds(&text, "'}}\n");
		check_all(buf_cstr(&text));
		buf_free(&text);
	}
}

/* Each byte of all lines is found in its entry. */
static void check_offsets(const struct session *s)
{
	struct buf all = { 0 };
	uint32_t entry;
	uint64_t start;
	uint64_t size = 0;
	for (uint32_t i = 0; i < s->now.index.n; i++) {
		size_t from = all.len;
		CHECK_INT(lines_add(s, i, &all), 0);
		for (size_t at = from; at < all.len; at += 7) {
			CHECK_INT(lines_find(s, at, &entry, &start), 0);
			CHECK_INT(entry, i);
			CHECK_INT(start, from);
		}
	}
	CHECK_INT(lines_find(s, UINT64_MAX, &entry, &size), 0);
	CHECK_INT(size, all.len);
	CHECK_INT(lines_find(s, size, &entry, &start), 0);
	CHECK_INT(entry, s->now.index.n);
	CHECK_INT(start, size);
	buf_free(&all);
}

/* Across checkpoints, empty contents and appended lines. */
TEST(check_growth)
{
	struct session *s = test_session(HEADER);
	char line[256];
	check_offsets(s);
	for (unsigned i = 0; i < 300; i++) {
		session_leave(s);
		snprintf(line, sizeof(line), USER("e%u", "null", "%.*s"), i,
			 (int)(i % 40),
			 "0123456789012345678901234567890123456789");
		test_append("s.jsonl", line);
		CHECK_INT(session_enter(s), 0);
		if (i % 37 == 0)
			check_offsets(s);
	}
	check_offsets(s);
	session_leave(s);
	test_append("s.jsonl", USER("e3", "null", "another content"));
	CHECK_INT(session_enter(s), 0);
	check_offsets(s);
	test_close(s);
}

/* Another thread that measures the content has read other bytes of the file. */
struct changing {
	uint32_t *lines;
	bool stop;
};

static void *change(void *data)
{
	struct changing *c = data;
	for (uint32_t n = 0; !__atomic_load_n(&c->stop, __ATOMIC_RELAXED); n++)
		__atomic_store_n(c->lines, 1 + n % 6, __ATOMIC_RELAXED);
	return NULL;
}

/* The file is rewritten in place while it is read. */
TEST(check_changed)
{
	struct session *s = test_session(HEADER USER("a", "null", "1\\n2\\n3"));
	struct changing c = { &s->now.index.entries[0].content_lines, false };
	struct buf b = { 0 };
	pthread_t thread;
	test_need(pthread_create(&thread, NULL, change, &c) == 0, "thread");
	for (int i = 0; i < 5000; i++) {
		buf_clear(&b);
		int err = lines_add(s, 0, &b);
		CHECK_INT(err == 0 || err == -ESTALE, true);
		CHECK_INT(err || span_eq(buf_span(&b),
					 SPAN("by-id/a/content:1:1\n"
					      "by-id/a/content:2:2\n"
					      "by-id/a/content:3:3\n")),
			  true);
	}
	__atomic_store_n(&c.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	buf_free(&b);
	test_close(s);
}

TEST(tear_down)
{
	check_all(HEADER USER("a", "null", "") USER("b", "'a'", "\\n\\n") USER(
		"c", "'b'", "no end") USER("%", "'c'", "\xFF")
			  ENTRY("label", "d", "'c'", ",'targetId':'c'"));
	check_all(HEADER);
}

RUN_TESTS("lines")
