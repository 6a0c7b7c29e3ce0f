#include "core/base/base64.h"
#include "tests/unit/test.h"

/* Buffer.from(text, 'base64'), by Node. */
static const struct {
	const char *text;
	struct span bytes;
} rows[] = {
	{ "", SPAN("") },
	{ "YWJj", SPAN("abc") },
	{ "YWI=", SPAN("ab") },
	{ "YQ==", SPAN("a") },
	{ "YWI", SPAN("ab") },
	{ "YQ", SPAN("a") },
	{ "Y", SPAN("") },
	{ "YWJjZA", SPAN("abcd") },
	{ "AAAA", SPAN("\0\0\0") },
	{ "+/+/", SPAN("\xFB\xFF\xBF") },
	{ "-_-_", SPAN("\xFB\xFF\xBF") },
	{ "YW Jj\r\n", SPAN("abc") },
	{ "YW*J\xC3\x84j", SPAN("abc") },
	{ "YQ==YQ==", SPAN("a") },
	{ "YQ=YQ", SPAN("a") },
	{ "====", SPAN("") },
	{ "iVBORw0KGgo=", SPAN("\x89PNG\r\n\x1A\n") },
};

/* RFC 4648's examples, and every digit; what is encoded is decoded. */
static void check_encode(void)
{
	static const char *const pairs[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "\xFB\xFF\xBF", "+/+/" },
	};
	struct buf b = { 0 };
	struct buf bytes = { 0 };
	struct buf back = { 0 };
	for (size_t i = 0; i < COUNT(pairs); i++) {
		base64_encode(&b, span_of(pairs[i][0]));
		CHECK_BUF(&b, pairs[i][1]);
	}
	for (int i = 0; i < 1000; i++) {
		base64_encode(&b, buf_span(&bytes));
		CHECK_INT(b.len, (bytes.len + 2) / 3 * 4);
		base64_decode(&back, buf_span(&b));
		CHECK_SPAN(buf_span(&back), buf_span(&bytes));
		buf_clear(&b);
		buf_clear(&back);
		buf_addc(&bytes, (char)test_random());
	}
	buf_free(&b);
	buf_free(&bytes);
	buf_free(&back);
}

static void check_strict(void)
{
	static const struct {
		const char *text;
		bool is;
	} texts[] = {
		{ "YWJj", true },      { "YWI=", true },   { "YQ==", true },
		{ "+/+/", true },      { "", false },	   { "YWI", false },
		{ "YQ=", false },      { "Y===", false },  { "====", false },
		{ "-_-_", false },     { "YW Jj", false }, { "YWJj\n", false },
		{ "YQ==YQ==", false }, { "YWJ=", false },  { "YR==", false },
		{ "%%%=", false },
	};
	for (size_t i = 0; i < COUNT(texts); i++) {
		test_row = texts[i].text;
		CHECK_INT(base64_is_strict(span_of(texts[i].text)),
			  texts[i].is);
	}
	test_row = NULL;
}

int main(void)
{
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		base64_decode(&b, span_of(rows[i].text));
		CHECK_SPAN(buf_span(&b), rows[i].bytes);
		buf_clear(&b);
	}
	test_row = NULL;
	/* It appends. */
	buf_adds(&b, "x");
	base64_decode(&b, SPAN("YQ=="));
	CHECK_BUF(&b, "xa");
	check_encode();
	check_strict();
	buf_free(&b);
	return test_done("base64");
}
