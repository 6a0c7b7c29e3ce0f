#include "core/dialects/omp/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/json/js.h"

struct span omp_trim_start(struct span s)
{
	size_t run = omp_space_run(s);
	return (struct span){ s.p + run, s.n - run };
}

struct span omp_trim_end(struct span s)
{
	struct span inner = text_trim(s);
	size_t n = inner.n > 0 ? (size_t)(inner.p - s.p) + inner.n : 0;
	return (struct span){ s.p, n };
}

bool omp_is_blank(struct span s)
{
	return text_trim(s).n == 0;
}

size_t omp_space_run(struct span s)
{
	size_t run = 0;
	while (run < s.n) {
		struct span rest = { s.p + run, s.n - run };
		size_t len;
		text_code_point(rest, &len);
		if (!omp_is_blank((struct span){ rest.p, len }))
			break;
		run += len;
	}
	return run;
}

/* The length of the line terminator that s starts with, or 0. */
static size_t terminator(struct span s)
{
	if (s.n > 0 && (s.p[0] == '\n' || s.p[0] == '\r'))
		return 1;
	return span_starts(s, SPAN("\xE2\x80\xA8")) ||
			       span_starts(s, SPAN("\xE2\x80\xA9"))
		       ? 3
		       : 0;
}

bool omp_has_terminator(struct span s)
{
	for (; s.n > 0; s.p++, s.n--) {
		if (terminator(s) > 0)
			return true;
	}
	return false;
}

size_t omp_units(struct span s)
{
	size_t units = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		/* The first byte of a character: two units beyond the BMP. */
		if ((c & 0xC0) != 0x80)
			units += c >= 0xF0 ? 2 : 1;
	}
	return units;
}

static double number_of_text(struct span text)
{
	struct span s = text_trim(text);
	struct json v;
	if (s.n == 0)
		return 0;
	return json_check(s, &v) == 0 ? json_number(v) : NAN;
}

double omp_number(struct json v)
{
	switch (json_type(v)) {
	case JSON_NUMBER:
		return json_number(v);
	case JSON_NULL:
	case JSON_FALSE:
		return 0;
	case JSON_TRUE:
		return 1;
	case JSON_STRING: {
		struct buf text = { 0 };
		json_decode(&text, v);
		double d = number_of_text(buf_span(&text));
		buf_free(&text);
		return d;
	}
	default:
		return NAN;
	}
}

/*
 * Round to one digit, ties away from zero: 0.25 is 0.3, as in JavaScript and
 * unlike printf(). The product is exact in a long double.
 */
static long double to_tenths(double d)
{
	long double scaled = (long double)fabs(d) * 10;
	long double whole = floorl(scaled);
	if (scaled - whole >= 0.5L)
		whole += 1;
	return (d < 0 ? -whole : whole) / 10;
}

void omp_add_fixed(struct buf *out, double d)
{
	if (!isfinite(d) || fabs(d) >= 1e21)
		js_add_number(out, d);
	else
		buf_addf(out, "%.1Lf", to_tenths(d));
}

/* The digits of a number from 1e21 up, which is printed with an exponent. */
static void add_large(struct buf *out, double d)
{
	struct buf number = { 0 };
	js_add_number(&number, d);
	const char *p = buf_cstr(&number);
	long n = 0;
	for (; p && *p != 'e'; p++) {
		if (*p != '.') {
			buf_addc(out, *p);
			n++;
		}
	}
	if (p)
		buf_fill(out, '0', (size_t)(strtol(p + 1, NULL, 10) + 1 - n));
	buf_free_into(&number, out);
}

/*
 * Round a number below 2^53 to three digits after the point. The digits are
 * rounded, ties up: 1.0005 is 1.001, although its double is a little less.
 */
static void round_digits(struct buf *digits, size_t point)
{
	uint64_t thousandths = 0;
	for (size_t i = 0; i < point + 4; i++) {
		char c = i < digits->len ? digits->data[i] : '0';
		if (i != point)
			thousandths = thousandths * 10 + (uint64_t)(c - '0');
	}
	thousandths +=
		digits->len > point + 4 && digits->data[point + 4] >= '5';
	buf_clear(digits);
	buf_addf(digits, "%" PRIu64 ".%03u", thousandths / 1000,
		 (unsigned)(thousandths % 1000));
	while (digits->len > 0 && digits->data[digits->len - 1] == '0')
		digits->len--;
	if (digits->len > 0 && digits->data[digits->len - 1] == '.')
		digits->len--;
}

void omp_add_grouped(struct buf *out, double d)
{
	struct buf digits = { 0 };
	double size = fabs(d);
	if (!isfinite(d)) {
		buf_adds(out, isnan(d) ? "NaN" : d < 0 ? "-∞" : "∞");
		return;
	}
	if (size >= 1e21)
		add_large(&digits, size);
	else
		js_add_number(&digits, size < 1e-6 ? 0 : size);
	const char *point = memchr(buf_span(&digits).p, '.', digits.len);
	if (point)
		round_digits(&digits, (size_t)(point - digits.data));
	struct span s = buf_span(&digits);
	point = memchr(s.p, '.', s.n);
	size_t whole = point ? (size_t)(point - s.p) : s.n;
	buf_adds(out, signbit(d) ? "-" : "");
	for (size_t i = 0; i < s.n; i++) {
		if (i > 0 && i < whole && (whole - i) % 3 == 0)
			buf_addc(out, ',');
		buf_addc(out, s.p[i]);
	}
	buf_free_into(&digits, out);
}
