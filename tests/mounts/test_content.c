/* Sizes of content before it is read, and pictures. What content and meta have
 * are cases of the corpus. */
#include "core/base/text.h"
#include "tests/mounts/mounts.h"

#define ONE "by-id/00000001/content"

/* An assistant's message that only calls a tool. */
#define CALLS(name, arguments)                                          \
	MESSAGE("00000001", "null", "assistant",                        \
		",'content':[{'type':'toolCall','id':'c','name':'" name \
		"','arguments':{" arguments "}}]")

static size_t count(struct span s, char c)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* The size is requested first, for arguments that are wide and deep. */
static void size_before_reading(void)
{
	enum { WIDE = 100000, DEEP = 50000, KEY = 300 };
	struct buf arguments = { 0 }, session = { 0 }, want = { 0 };
	buf_adds(&arguments, "'wide':[");
	for (int i = 0; i < WIDE; i++)
		buf_adds(&arguments, i > 0 ? ",'\\u00e9\\n'" : "'\\u00e9\\n'");
	buf_adds(&arguments, "],'deep':");
	buf_fill(&arguments, '[', DEEP);
	buf_fill(&arguments, ']', DEEP);
	buf_adds(&arguments, ",'odd':{'");
	buf_fill(&arguments, 'k', KEY);
	buf_adds(&arguments, "':{'in':['#']}}");
	buf_addc(&arguments, '\0');
	buf_addf(&session, HEADER CALLS("t", "%s"), buf_cstr(&arguments));
	buf_addc(&session, '\0');
	mount_lines(session.data);
	buf_free(&arguments);
	buf_free(&session);

	off_t size = stat_of(ONE).st_size;
	struct span text = text_of(ONE), deep = SPAN("");
	CHECK_INT(text.n, size);
	CHECK(text_is_utf8(text));
	CHECK(span_has(text, "\nwide[0]:\n  é\n"));
	CHECK(span_has(text, "\nwide[99999]:\n  é\n"));
	for (struct span rest = text; rest.n > 0 && deep.n == 0;) {
		struct span line = span_next_line(&rest);
		if (span_starts(line, SPAN("deep[0]")))
			deep = line;
	}
	CHECK_INT(count(deep, '['), DEEP);
	CHECK_INT(count(deep, ']'), DEEP);
	CHECK(deep.n < 2 * DEEP + 256);
	buf_adds(&want, "\nodd.");
	buf_fill(&want, 'k', KEY);
	buf_adds(&want, ": {\"in\":[\"#\"]}\n");
	CHECK(memmem(text.p, text.n, want.data, want.len));
	buf_free(&want);
}

#define PNG                                                                  \
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDw" \
	"ADhgGAWjR9awAAAABJRU5ErkJggg=="

static void pictures(void)
{
	static const unsigned char png[] = {
		0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00,
		0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01,
		0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f,
		0x15, 0xc4, 0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41,
		0x54, 0x78, 0xda, 0x63, 0x64, 0xf8, 0xcf, 0x50, 0x0f, 0x00,
		0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d, 0x6b, 0x00, 0x00,
		0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
	};
	const struct span bytes = { (const char *)png, sizeof(png) };
	mount_lines(HEADER MESSAGE(
		"00000001", "null", "user",
		",'content':[{'type':'image','data':'" PNG
		"','mimeType':'image/png'},{'type':'text','text':'and'},"
		"{'type':'image','data':'/9j/','mimeType':'image/jpeg'},"
		"{'type':'image','data':'PHN2Zy8+',"
		"'mimeType':'image/svg+xml'},"
		"{'type':'image','data':'AAEC'}]"));
	CHECK_NAMES("by-id/00000001",
		    "1.png 2.jpg 3.svg 4.bin content label meta ");
	CHECK_SPAN(text_of("by-id/00000001/1.png"), bytes);
	CHECK_SPAN(text_of("tree/00000001/1.png"), bytes);
	CHECK_FILE("by-id/00000001/3.svg", "<svg/>");
	CHECK_FILE(ONE, "[image/png 70 bytes: 1.png]\n"
			"\n"
			"and\n"
			"\n"
			"[image/jpeg 3 bytes: 2.jpg]\n"
			"\n"
			"[image/svg+xml 6 bytes: 3.svg]\n"
			"\n"
			"[image 3 bytes: 4.bin]\n");
	CHECK_FILE("by-id/00000001/5.png", strerror(ENOENT));
	CHECK_FILE("by-id/00000001/1.jpg", strerror(ENOENT));
}

/* Picture N, for each N, is N dots; they are png and jpeg by turns. */
static void many_pictures(void)
{
	enum { N = 4000 };
	static const char *const ends[] = { "png", "jpg" }, *const types[] = {
		"png", "jpeg"
	};
	struct buf b = { 0 }, dots = { 0 };
	struct stat st;
	buf_adds(&b, "[");
	for (int i = 1; i <= N; i++) {
		buf_adds(&b, i > 1 ? ",{'type':'image','data':'"
				   : "{'type':'image','data':'");
		for (int k = 0; k < i / 3; k++)
			buf_adds(&b, "Li4u");
		buf_adds(&b, i % 3 == 1 ? "Lg==" : i % 3 == 2 ? "Li4=" : "");
		buf_addf(&b, "','mimeType':'image/%s'}", types[i % 2]);
	}
	buf_adds(&b, "]");
	buf_addc(&b, '\0');
	struct buf session = { 0 };
	buf_addf(&session,
		 HEADER MESSAGE("00000001", "null", "toolResult",
				",'toolName':'t','content':%s"),
		 b.data);
	buf_addc(&session, '\0');
	mount_lines(session.data);
	buf_free(&session);
	buf_free(&b);
	buf_fill(&dots, '.', N);
	for (int i = 1; i <= N; i++) {
		char path[64];
		snprintf(path, sizeof(path), "by-id/00000001/%d.%s", i,
			 ends[i % 2]);
		test_row = path;
		CHECK_INT(stat_of(path).st_size, i);
		CHECK_SPAN(text_of(path),
			   ((struct span){ dots.data, (size_t)i }));
		test_row = NULL;
	}
	buf_free(&dots);
	/* All are listed, and nothing else but these three files. */
	CHECK_INT(test_count_names("by-id/00000001", ""), N + 3);
	CHECK_INT(ERRNO(stat("by-id/00000001/1.png", &st)), ENOENT);
	CHECK_INT(ERRNO(stat("by-id/00000001/4001.jpg", &st)), ENOENT);
	CHECK_HAS(ONE, "\n[image/png 4000 bytes: 4000.png]\n");
}

static const struct mounts_test tests[] = {
	TEST("the size of flattened arguments is exact before the first read",
	     size_before_reading),
	TEST("pictures are files of their own, decoded", pictures),
	FULL_TEST("thousands of pictures in one message: names, sizes and "
		  "bytes",
		  many_pictures),
};
RUN_TESTS(tests)
