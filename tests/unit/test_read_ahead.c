#include "core/session/read_ahead.h"

#include "core/base/hash.h"
#include "tests/unit/test.h"

#define MIB ((size_t)1 << 20)

/* What lines came to, and at which of them to stop. */
struct taken {
	uint64_t hash; /* of all that is known of them */
	size_t lines;
	size_t stop;
	const char *cut; /* a file to empty at the first */
};

static int take(void *data, const struct scanned *line)
{
	struct taken *t = data;
	bool ok = line->err == 0;
	const uint64_t known[] = {
		line->offset,
		line->text.n,
		line->digest,
		(uint64_t)line->err,
		ok ? (uint64_t)(line->json.raw.p - line->text.p) : 0,
		ok ? line->json.raw.n : 0,
	};
	t->hash = hash_bytes(t->hash, line->text);
	t->hash = hash_bytes(
		t->hash, (struct span){ (const char *)known, sizeof(known) });
	if (t->cut)
		test_need(truncate(t->cut, 0) == 0, t->cut);
	t->cut = NULL;
	for (size_t i = 0; ok && i < line->ends.n; i++) {
		const struct scan_end *e = &line->ends.list[i];
		const char *end = line->text.p + line->text.n;
		if (line->json.ends != &line->ends ||
		    scan_past_value(e->start, end) != e->start + e->n)
			CHECK(false);
	}
	return ++t->lines == t->stop ? 42 : 0;
}

/* The same from one line after the other. */
static int take_fed(void *data, struct span text, uint64_t offset)
{
	struct scanned line;
	ahead_scan(text, offset, &line);
	CHECK(line.digest == hash_line(text, offset));
	return take(data, &line);
}

static void open_with(struct log *log, const struct buf *text)
{
	test_put(test_path("f"), O_TRUNC, buf_span(text));
	CHECK_INT(log_open(log, NULL, test_path("f")), 0);
}

/* Lines that are read ahead are those that are fed, and so is the rest. */
static void check_same(const char *what, const struct buf *text, uint64_t from,
		       uint64_t size, size_t stop)
{
	struct log log;
	struct feed f = { .offset = from };
	struct feed g = { .offset = from };
	struct taken fed = { .stop = stop };
	struct taken got = { .stop = stop };
	test_row = what;
	open_with(&log, text);
	int err = feed_file(&log, &f, size, take_fed, &fed);
	CHECK_INT(err, fed.lines > 0 && fed.lines == stop ? 42 : 0);
	CHECK_INT(ahead_file(&log, &g, size, take, &got, NULL, true), err);
	CHECK_INT(got.lines, fed.lines);
	CHECK(got.hash == fed.hash);
	if (!err) {
		CHECK_INT(g.offset, f.offset);
		CHECK(span_eq(g.rest, f.rest));
	}
	buf_free(&f.chunk);
	buf_free(&g.chunk);
	log_close(&log);
	test_row = NULL;
}

static void add_line(struct buf *text, size_t n)
{
	static const char *const starts[] = {
		"{\"a\":[{\"b\":[{}]}],\"c\":[[],[1],{},[],[],[]],\"d\":\"",
		"{\"a\":\"",
		" [{},{\"k\":[]},\"",
		"no JSON",
		"",
	};
	size_t kind = test_random() % COUNT(starts);
	buf_adds(text, starts[kind]);
	buf_fill(text, 'x', n);
	buf_adds(text, kind < 2 ? "\"}" : kind == 2 ? "\"] " : "");
	buf_adds(text, test_random() % 9 ? "\n" : "\r\n");
}

/* Lines of all lengths: most are short, some longer than a chunk. */
static void add_lines(struct buf *text, size_t bytes)
{
	while (text->len < bytes) {
		size_t most = test_random() % 500 == 0 ? MIB : 3000;
		add_line(text, test_random() % most);
	}
}

static void check_sizes(void)
{
	struct buf text = { 0 };
	add_lines(&text, 10 * MIB);
	buf_adds(&text, "{\"rest\":");
	uint64_t size = text.len;
	check_same("all", &text, 0, size, 0);
	check_same("from within", &text, 12345, size, 0);
	check_same("up to within", &text, 0, size - 54321, 0);
	check_same("nothing", &text, size, size, 0);
	check_same("behind it all", &text, size, 0, 0);
	/* Just not worth a thread, and just worth one. */
	for (size_t n = 4 * MIB - 1; n <= 4 * MIB + 1; n++) {
		check_same("a thread's worth", &text, 0, n, 0);
		check_same("a thread's worth", &text, size - n, size, 0);
	}
	buf_addc(&text, '\n');
	check_same("ended", &text, 0, text.len, 0);
	buf_free(&text);
}

/* Whoever takes the lines wants no more: in any batch, and at its end. */
static void check_stops(void)
{
	struct buf text = { 0 };
	while (text.len < 5 * MIB) {
		buf_fill(&text, 'y', 1023);
		buf_addc(&text, '\n');
	}
	/* A chunk has 256 of them. */
	static const size_t stops[] = { 1,    2,    255,	  256,	    257,
					258,  511,  512,	  513,	    768,
					1000, 2560, 5 * 1024 - 1, 5 * 1024, 0 };
	for (size_t i = 0; i < COUNT(stops); i++)
		check_same("stopped", &text, 0, text.len, stops[i]);
	text.len = 2 * MIB;
	for (size_t i = 0; i < COUNT(stops); i++)
		check_same("stopped alone", &text, 0, text.len, stops[i]);
	buf_free(&text);
}

/* What is longer than a chunk, as long, or as short as can be. */
static void check_shapes(void)
{
	struct buf text = { 0 };
	buf_fill(&text, 'x', 6 * MIB);
	check_same("no line", &text, 0, text.len, 0);
	buf_addc(&text, '\n');
	check_same("one line", &text, 0, text.len, 0);
	buf_adds(&text, "[]\n");
	buf_fill(&text, ' ', 5 * MIB);
	buf_adds(&text, "[]\n\n");
	buf_fill(&text, '1', 3 * MIB);
	check_same("long lines", &text, 0, text.len, 0);

	buf_clear(&text);
	buf_fill(&text, '\n', 5 * MIB);
	check_same("empty lines", &text, 0, text.len, 0);

	buf_clear(&text);
	while (text.len < 5 * MIB)
		buf_adds(&text, "[{}]\n");
	check_same("tiny lines", &text, 0, text.len, 0);

	/* Around the length of a chunk, so that ends fall on its ends. */
	for (size_t n = MIB / 4 - 2; n <= MIB / 4 + 1; n++) {
		buf_clear(&text);
		while (text.len < 5 * MIB) {
			buf_fill(&text, '7', n);
			buf_addc(&text, '\n');
		}
		check_same("lines like chunks", &text, 0, text.len, 0);
	}
	buf_free(&text);
}

/* A file that gets shorter while it is read, and one that can't be read. */
static void check_errors(size_t bytes)
{
	struct log log;
	struct buf text = { 0 };
	struct feed f = { 0 };
	struct taken got = { 0 };
	add_lines(&text, bytes);
	open_with(&log, &text);
	got.cut = log.path;
	CHECK_INT(ahead_file(&log, &f, text.len, take, &got, NULL, true),
		  -ESTALE);
	CHECK(got.lines > 0 && f.offset < text.len);
	buf_free(&f.chunk);

	/* The lines before are those that were there. */
	struct taken fed = { .stop = got.lines };
	f = (struct feed){ 0 };
	test_put(log.path, O_TRUNC, buf_span(&text));
	CHECK_INT(feed_file(&log, &f, text.len, take_fed, &fed), 42);
	CHECK(got.hash == fed.hash);
	buf_free(&f.chunk);

	got = (struct taken){ 0 };
	f = (struct feed){ 0 };
	test_evict(log.file);
	test_need(unlink(log.path) == 0, log.path);
	CHECK_INT(ahead_file(&log, &f, text.len, take, &got, NULL, true),
		  -ESTALE);
	CHECK_INT(got.lines, 0);
	buf_free(&f.chunk);
	log_close(&log);
	buf_free(&text);
}

int main(void)
{
	check_sizes();
	check_stops();
	check_shapes();
	check_errors(MIB);
	check_errors(20 * MIB);
	return test_done("read_ahead");
}
