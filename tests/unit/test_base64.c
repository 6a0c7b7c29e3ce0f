#include "core/base/base64.h"
#include "tests/unit/tables.h"

/* Buffer.from(text, 'base64'), by Node; appended. */
static void check_decoded(struct row *r, struct buf *made)
{
	struct buf b = { 0 };
	buf_adds(&b, "x");
	base64_decode(&b, row_field(r, 0));
	buf_add(made, (struct span){ b.data + 1, b.len - 1 });
	buf_free(&b);
}

static void check_encoded(struct row *r, struct buf *made)
{
	base64_encode(made, row_field(r, 0));
}

static void check_strict(struct row *r, struct buf *made)
{
	buf_adds(made, base64_is_strict(row_field(r, 0)) ? "strict" : "-");
}

/* What is encoded is decoded. */
static void check_encode(void)
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

int main(void)
{
	rows_check("base64/decoded", check_decoded);
	rows_check("base64/encoded", check_encoded);
	rows_check("base64/strict", check_strict);
	check_encode();
	return test_done("base64");
}
