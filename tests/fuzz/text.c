/* What is done to text that a session holds: any bytes. */
#include <errno.h>
#include <stdlib.h>

#include "core/base/base64.h"
#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/dialects/omp/omp.h"
#include "core/json/js.h"
#include "tests/fuzz/fuzz.h"

static void check_utf8(struct span bytes)
{
	struct buf text = { 0 };
	struct buf again = { 0 };
	text_add_utf8(&text, bytes);
	fuzz_check_text(&text);
	if (text_is_utf8(bytes))
		fuzz_check_same("UTF-8", bytes, buf_span(&text));
	text_add_utf8(&again, buf_span(&text));
	fuzz_check_same("UTF-8, again", buf_span(&text), buf_span(&again));
	buf_free(&text);
	buf_free(&again);
}

static void check_base64(struct span bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	struct buf text = { 0 };
	struct buf again = { 0 };
	for (size_t i = 0; i < bytes.n; i += 3) {
		uint32_t bits = 0;
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 |
			       (k < n ? (unsigned char)bytes.p[i + k] : 0);
		for (size_t k = 0; k <= n; k++)
			buf_addc(&text, digits[bits >> (18 - 6 * k) & 63]);
	}
	base64_decode(&again, buf_span(&text));
	fuzz_check_same("base64", bytes, buf_span(&again));
	buf_clear(&again);
	base64_decode(&again, bytes);
	FUZZ_CHECK(!again.failed && again.len <= bytes.n);
	buf_free(&text);
	buf_free(&again);
}

static bool is_within(struct span part, struct span s)
{
	return part.n == 0 || (part.p >= s.p && part.p + part.n <= s.p + s.n);
}

static void check_one_line(struct span text)
{
	struct buf line = { 0 };
	text_add_one_line(&line, text);
	fuzz_check_text(&line);
	for (size_t i = 0; i < line.len; i++) {
		unsigned char ch = (unsigned char)line.data[i];
		FUZZ_CHECK(ch >= 0x20 && ch != 0x7F);
	}
	struct span fit = columns_fit(buf_span(&line), 40);
	FUZZ_CHECK(fit.n <= line.len && columns_of(fit) <= 40);
	FUZZ_CHECK(text_is_utf8(fit));
	buf_free(&line);
}

/* The text as a JSON string's value, which is WTF-8. */
static void check_wtf8(struct span text)
{
	struct buf out = { 0 };
	FUZZ_CHECK(is_within(text_trim(text), text));
	FUZZ_CHECK(is_within(text_trim_end(text), text));
	FUZZ_CHECK(omp_space_run(text) <= text.n);
	omp_add_without_data_urls(&out, text);
	text_finish(&out, 0);
	fuzz_check_text(&out);
	buf_clear(&out);
	buf_add(&out, text);
	text_finish(&out, 0);
	fuzz_check_text(&out);
	check_one_line(buf_span(&out));
	buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = fuzz_input(data, size);
	struct buf json = { 0 };
	struct buf text = { 0 };
	struct json v;
	check_utf8(bytes);
	check_base64(bytes);
	buf_addc(&json, '"');
	buf_add(&json, bytes);
	buf_addc(&json, '"');
	if (json_check(buf_span(&json), &v) == 0) {
		json_decode(&text, v);
		check_wtf8(buf_span(&text));
		double number = strtod(buf_cstr(&text), NULL);
		js_add_number(&text, number);
		omp_add_fixed(&text, number);
		omp_add_grouped(&text, number);
		FUZZ_CHECK(buf_error(&text) == 0);
	}
	buf_free(&json);
	buf_free(&text);
	return 0;
}
