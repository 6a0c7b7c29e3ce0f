#include "core/base/base64.h"
#include "tests/unit/tables.h"

/* Buffer.from(text, 'base64'), by Node; appended. */
TABLE(check_decoded, "base64/decoded")
{
	struct buf b = { 0 };
	buf_adds(&b, "x");
	base64_decode(&b, row_field(r, 0));
	buf_add(made, (struct span){ b.data + 1, b.len - 1 });
	buf_free(&b);
}

TABLE(check_encoded, "base64/encoded")
{
	base64_encode(made, row_field(r, 0));
}

TABLE(check_strict, "base64/strict")
{
	buf_adds(made, base64_is_strict(row_field(r, 0)) ? "strict" : "-");
}

/* What is encoded is decoded. */
TEST(check_encode)
{
	struct buf b = { 0 };
	struct buf bytes = { 0 };
	struct buf back = { 0 };
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

RUN_TESTS("base64")
