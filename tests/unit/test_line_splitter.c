#include "fs/edit/line_splitter.h"

#include <stdint.h>

#include "tests/unit/test.h"

/* Gets lines, separated by "|"; or refuses those that contain "bad". */
struct sink_test {
	struct buf lines;
	int err; /* for refused lines */
};

static int add(void *data, struct span line)
{
	struct sink_test *t = data;
	if (memmem(line.p, line.n, "bad", 3))
		return t->err;
	buf_add(&t->lines, line);
	buf_addc(&t->lines, '|');
	return 0;
}

/* Feed text; `want` are the lines that result, `left` the bytes left over. */
static void feed(struct line_splitter *s, int err, const char *text,
		 const char *want, size_t left, int want_err)
{
	struct sink_test t = { .err = err };
	const struct line_sink sink = { add, &t };
	size_t consumed;
	struct span data = span_of(text);
	test_row = text;
	CHECK_INT(line_splitter_feed(s, data, true, &sink, &consumed),
		  want_err);
	CHECK_INT(data.n - consumed, left);
	CHECK_BUF(&t.lines, want);
	buf_free(&t.lines);
	test_row = NULL;
}

TEST(check_lines)
{
	struct line_splitter s = { 0 };
	CHECK(line_splitter_is_idle(&s));
	feed(&s, 0, "", "", 0, 0);
	feed(&s, 0, "{}\n", "{}\n|", 0, 0);
	feed(&s, 0, "{}\n{\"a\":1}\n", "{}\n|{\"a\":1}\n|", 0, 0);
	feed(&s, 0, "\n \t\r\n{}\n\n", "{}\n|", 0, 0);
	CHECK(line_splitter_is_idle(&s));
	/* Without a newline. */
	feed(&s, 0, "{\"a\":[{}]}", "{\"a\":[{}]}|", 0, 0);
	feed(&s, 0, "\n", "", 0, 0);
	CHECK(line_splitter_is_idle(&s));
	/* In pieces; brackets and quotes in strings do not count. */
	feed(&s, 0, "{\"a", "", 0, 0);
	CHECK(!line_splitter_is_idle(&s));
	CHECK_INT(line_splitter_size(&s), 3);
	feed(&s, 0, "}\\\"}\\", "", 0, 0);
	feed(&s, 0, "\\\":[", "", 0, 0);
	feed(&s, 0, "]", "", 0, 0);
	feed(&s, 0, "}", "{\"a}\\\"}\\\\\":[]}|", 0, 0);
	CHECK(line_splitter_is_idle(&s));
	/* No object: only a newline ends it. */
	feed(&s, 0, "1", "", 0, 0);
	feed(&s, 0, "2\n3", "12\n|", 0, 0);
	line_splitter_free(&s);
}

TEST(check_refused)
{
	struct line_splitter s = { 0 };
	/* The lines before it are accepted, and nothing of it is kept. */
	feed(&s, -EINVAL, "{}\n{\"bad\":1}\n{}\n", "{}\n|", 13, -EINVAL);
	CHECK(line_splitter_is_idle(&s));
	feed(&s, -EINVAL, "{}\n", "{}\n|", 0, 0);
	/* In pieces: its tail is refused as often as it is sent. */
	feed(&s, -ELOOP, "{\"ba", "", 0, 0);
	feed(&s, -ELOOP, "d\":1}\n", "", 6, -ELOOP);
	feed(&s, -ELOOP, "d\":1}\n", "", 6, -ELOOP);
	CHECK(!line_splitter_is_idle(&s));
	feed(&s, -ELOOP, "{}\n", "{}\n|", 0, 0);
	CHECK(line_splitter_is_idle(&s));
	/* After another errno the same bytes may come again. */
	feed(&s, 0, "{\"ba", "", 0, 0);
	feed(&s, -EBUSY, "d\":1}", "", 5, -EBUSY);
	CHECK_INT(line_splitter_size(&s), 4);
	feed(&s, -EBUSY, "x\":1}", "{\"bax\":1}|", 0, 0);
	line_splitter_free(&s);
}

/* No room to keep the beginning of a line. */
TEST(check_no_room)
{
	struct line_splitter s = { 0 };
	struct sink_test t = { 0 };
	const struct line_sink sink = { add, &t };
	size_t consumed;
	CHECK_INT(line_splitter_feed(&s, SPAN("{}\n{\"a\""), false, &sink,
				     &consumed),
		  -ENOBUFS);
	CHECK_INT(consumed, 3);
	CHECK_INT(line_splitter_size(&s), 0);
	CHECK_INT(line_splitter_feed(&s, SPAN("{\"a\":1}"), false, &sink,
				     &consumed),
		  0);
	CHECK_BUF(&t.lines, "{}\n|{\"a\":1}|");
	buf_free(&t.lines);
	line_splitter_free(&s);
}

TEST(check_too_long)
{
	struct line_splitter s = { 0 };
	struct sink_test t = { 0 };
	const struct line_sink sink = { add, &t };
	size_t consumed;
	feed(&s, 0, "{", "", 0, 0);
	s.too_long = true;
	CHECK_INT(line_splitter_feed(&s, SPAN("x"), true, &sink, &consumed),
		  -EFBIG);
	CHECK_INT(consumed, 0);
	CHECK_INT(line_splitter_size(&s), 0);
	feed(&s, 0, "rest\n", "", 5, -EFBIG);
	feed(&s, 0, "{}\n", "{}\n|", 0, 0);
	CHECK(line_splitter_is_idle(&s));
	line_splitter_free(&s);
}

/* The result does not depend on where the stream is cut. */
TEST(check_cuts)
{
	static const char text[] =
		"{\"a\":\"\\\\\\\"{\"}\n[1,[2]]\n{\"b\":{\"c\":[]}}\n7\n\n{}";
	for (unsigned round = 0; round < 2000; round++) {
		struct line_splitter s = { 0 };
		struct sink_test t = { 0 };
		const struct line_sink sink = { add, &t };
		size_t at = 0;
		while (at < sizeof(text) - 1) {
			size_t n = 1 + test_random() % 9;
			size_t consumed;
			if (n > sizeof(text) - 1 - at)
				n = sizeof(text) - 1 - at;
			CHECK_INT(line_splitter_feed(
					  &s, (struct span){ text + at, n },
					  true, &sink, &consumed),
				  0);
			CHECK_INT(consumed, n);
			at += n;
		}
		/* A newline may or may not belong to its line. */
		struct buf lines = { 0 };
		for (size_t i = 0; i < t.lines.len; i++) {
			if (t.lines.data[i] != '\n')
				buf_addc(&lines, t.lines.data[i]);
		}
		CHECK_BUF(&lines, "{\"a\":\"\\\\\\\"{\"}|[1,[2]]|"
				  "{\"b\":{\"c\":[]}}|7|{}|");
		CHECK(line_splitter_is_idle(&s));
		buf_free(&lines);
		buf_free(&t.lines);
		line_splitter_free(&s);
	}
}

RUN_TESTS("line_splitter")
