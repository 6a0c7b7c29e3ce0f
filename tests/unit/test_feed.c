#include "core/file/feed.h"

#include "tests/unit/test.h"

/* The lines as they come, each with its offset in front; ends at "stop". */
static int note(void *data, struct span line, uint64_t offset)
{
	struct buf *out = data;
	buf_addf(out, "%llu:", (unsigned long long)offset);
	buf_add(out, line);
	buf_addc(out, ' ');
	return span_eq(line, SPAN("stop")) ? 42 : 0;
}

static void check(const char *text, uint64_t from, int status, const char *want,
		  const char *rest)
{
	struct log log;
	struct buf got = { 0 };
	struct feed f = { .offset = from };
	test_row = text;
	CHECK_INT(log_open(&log, NULL, test_file("f", text)), 0);
	CHECK_INT(feed_file(&log, &f, (uint64_t)log.st.st_size, note, &got),
		  status);
	CHECK_BUF(&got, want);
	CHECK_SPAN(f.rest, span_of(rest));
	buf_free(&f.chunk);
	buf_free(&got);
	log_close(&log);
	test_row = NULL;
}

struct count {
	size_t lines;
	size_t bytes;
};

static int count(void *data, struct span line, uint64_t offset)
{
	struct count *c = data;
	(void)offset;
	c->lines++;
	c->bytes += line.n;
	return 0;
}

/* Lines that are longer than a chunk, and ends that fall between two. */
static void check_long(size_t step)
{
	struct log log;
	struct buf text = { 0 };
	struct feed f = { .step = step };
	struct count c = { 0 };
	const size_t sizes[] = { (3 << 20) + 5, (1 << 20) - 1, 0, 1, 1 << 20 };
	size_t bytes = 0;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		buf_fill(&text, 'x', sizes[i]);
		buf_addc(&text, '\n');
		bytes += sizes[i];
	}
	buf_adds(&text, "rest");
	test_put(test_path("long"), O_TRUNC, buf_span(&text));
	CHECK_INT(log_open(&log, NULL, test_path("long")), 0);
	CHECK_INT(feed_file(&log, &f, text.len, count, &c), 0);
	CHECK_INT(c.lines, COUNT(sizes));
	CHECK_INT(c.bytes, bytes);
	CHECK_SPAN(f.rest, SPAN("rest"));
	CHECK_INT(f.offset, text.len - 4);
	buf_free(&f.chunk);
	buf_free(&text);
	log_close(&log);
}

int main(void)
{
	check("", 0, 0, "", "");
	check("a", 0, 0, "", "a");
	check("a\n\nbc\n", 0, 0, "0:a 2: 3:bc ", "");
	check("a\r\nb", 0, 0, "0:a\r ", "b");
	check("a\nstop\nb\n", 0, 42, "0:a 2:stop ", "b\n");
	check("a\nbc\nd\n", 2, 0, "2:bc 5:d ", "");
	check_long(0);
	check_long(1000);
	return test_done("feed");
}
