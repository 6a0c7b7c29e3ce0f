#include "core/json/timestamp.h"
#include "tests/unit/test.h"

#define NONE TIMESTAMP_NONE

static int64_t parse(const char *json)
{
	struct json v = { 0 };
	CHECK_INT(json_check(span_of(json), &v), 0);
	return timestamp_parse(v);
}

/* new Date(v).getTime(), by Node. */
static const struct {
	const char *text;
	int64_t ms;
} rows[] = {
	{ "\"2026-03-01T10:00:00.000Z\"", 1772359200000 },
	{ "\"2026-03-01\"", 1772323200000 },
	{ "\"2026-03\"", 1772323200000 },
	{ "\"2026\"", 1767225600000 },
	{ "\"2026-03-01T10:00Z\"", 1772359200000 },
	{ "\"2026-03-01T10:00:00Z\"", 1772359200000 },
	{ "\"2026-03-01T10:00:00.5Z\"", 1772359200500 },
	{ "\"2026-03-01T10:00:00.1239Z\"", 1772359200123 },
	{ "\"2026-03-01T10:00:00+01:30\"", 1772353800000 },
	{ "\"2026-03-01T10:00:00-0130\"", 1772364600000 },
	{ "\"2026-03-01T10:00:00.000+00:00\"", 1772359200000 },
	{ "\"2026-03-01T24:00:00Z\"", 1772409600000 },
	{ "\"2024-02-29\"", 1709164800000 },
	{ "\"2026-02-31\"", 1772496000000 },
	{ "\"1969-12-31T23:59:59.999Z\"", -1 },
	{ "\"0001-01-01T00:00:00Z\"", -62135596800000 },
	{ "\"-000001-01-01T00:00:00Z\"", -62198755200000 },
	{ "\"+275760-09-13T00:00:00.000Z\"", 8640000000000000 },
	/* An escape is what it stands for. */
	{ "\"2026\\u002d03-01T10:00:00.000Z\"", 1772359200000 },
	{ "\"-271821-04-20T00:00:00.000Z\"", -8640000000000000 },
	{ "\"-271821-04-19T23:59:59.999Z\"", NONE },
	{ "\"+275760-09-13T00:00:00.001Z\"", NONE },
	{ "\"-000000-01-01T00:00:00Z\"", NONE },
	{ "\"2026-13-01\"", NONE },
	{ "\"2026-00-01\"", NONE },
	{ "\"2026-01-00\"", NONE },
	{ "\"2026-01-32\"", NONE },
	{ "\"2026-03-01T24:00:01Z\"", NONE },
	{ "\"2026-03-01T23:60:00Z\"", NONE },
	{ "\"2026-03-01T23:59:60Z\"", NONE },
	{ "\"2026-03-01T25:00:00Z\"", NONE },
	{ "\"2026-03-01T10:00:00.Z\"", NONE },
	{ "\"2026-03-01T10:00:00+24:00\"", NONE },
	{ "\"2026-03-01T10Z\"", NONE },
	{ "\"2026-03-01T\"", NONE },
	{ "\"2026-03-01T10:00:00.000Zx\"", NONE },
	{ "\"x\"", NONE },
	{ "\"\"", NONE },
	{ "0", 0 },
	{ "1772359200000", 1772359200000 },
	{ "1.9", 1 },
	{ "-1.9", -1 },
	{ "8.64e15", 8640000000000000 },
	{ "8640000000000001", NONE },
	{ "1e400", NONE },
	{ "null", 0 },
	{ "false", 0 },
	{ "true", 1 },
	{ "{}", NONE },
};

/* A time without a zone is local. */
static void check_local(void)
{
	setenv("TZ", "TST-2", 1);
	tzset();
	CHECK_INT(parse("\"2026-03-01T10:00:00\""), 1772352000000);
	CHECK_INT(parse("\"2026-03-01T10:00\""), 1772352000000);
	CHECK_INT(parse("\"2026-03-01\""), 1772323200000);
	CHECK_INT(parse("\"2026-03-01T10:00:00Z\""), 1772359200000);
}

/* Date.prototype.toISOString(), by Node. */
static void check_add(void)
{
	static const struct {
		int64_t ms;
		const char *text;
	} times[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ 1772359200007, "2026-03-01T10:00:00.007Z" },
		{ -1, "1969-12-31T23:59:59.999Z" },
		{ 253402300799999, "9999-12-31T23:59:59.999Z" },
		{ 253402300800000, "+010000-01-01T00:00:00.000Z" },
		{ -62135596800000, "0001-01-01T00:00:00.000Z" },
		{ -62135596800001, "0000-12-31T23:59:59.999Z" },
		{ -62198755200000, "-000001-01-01T00:00:00.000Z" },
		{ 8640000000000000, "+275760-09-13T00:00:00.000Z" },
		{ NONE, "" },
	};
	struct buf b = { 0 };
	for (size_t i = 0; i < COUNT(times); i++) {
		timestamp_add(&b, times[i].ms);
		CHECK_BUF(&b, times[i].text);
	}
	int64_t now = timestamp_now();
	CHECK(now > 1700000000000 && now / 1000 <= (int64_t)time(NULL) + 1);
	buf_addc(&b, '"');
	timestamp_add(&b, now);
	buf_addc(&b, '"');
	CHECK_INT(parse(buf_cstr(&b)), now);
	buf_free(&b);
}

/* A date with a time is what timegm() makes of it. */
static void check_date(int year, int month, int day)
{
	struct tm tm = { .tm_year = year - 1900,
			 .tm_mon = month - 1,
			 .tm_mday = day,
			 .tm_hour = (int)(test_random() % 24),
			 .tm_min = (int)(test_random() % 60),
			 .tm_sec = (int)(test_random() % 60) };
	int ms = (int)(test_random() % 1000);
	bool four = year >= 0 && year <= 9999;
	struct buf text = { 0 };
	buf_addf(&text, four ? "\"%04d" : "\"%+07d", year);
	buf_addf(&text, "-%02d-%02dT%02d:%02d:%02d.%03dZ\"", month, day,
		 tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
	test_row = buf_cstr(&text);
	int64_t want = (int64_t)timegm(&tm) * 1000 + ms;
	bool in_range = want >= -8640000000000000 && want <= 8640000000000000;
	int64_t got = parse(test_row);
	CHECK_INT(got, in_range ? want : NONE);
	/* And back, as long as that month has that day. */
	if (in_range && tm.tm_mday == day) {
		struct span inner = { text.data + 1, text.len - 2 };
		struct buf again = { 0 };
		timestamp_add(&again, got);
		CHECK_SPAN(buf_span(&again), inner);
		buf_free(&again);
	}
	test_row = NULL;
	buf_free(&text);
}

/* Years all over the range that JavaScript's dates have, and some beyond. */
static void check_calendar(void)
{
	for (int year = -271825; year <= 275765;
	     year += 1 + (int)(test_random() % 6)) {
		int month = 1 + (int)(test_random() % 12);
		check_date(year, month, 1 + (int)(test_random() % 31));
		check_date(year, 2, 29);
		check_date(year, 3, 1);
	}
	/* Each day around where centuries, eras and signs change. */
	static const int years[] = { -400, -100, -4,   -1,   0,	   1,
				     4,	   100,	 1600, 1900, 1970, 2000,
				     2026, 2100, 9999, 10000 };
	for (size_t i = 0; i < COUNT(years); i++) {
		for (int day = 0; day < 12 * 31; day++)
			check_date(years[i], 1 + day / 31, 1 + day % 31);
	}
}

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].text;
		CHECK_INT(parse(rows[i].text), rows[i].ms);
	}
	test_row = NULL;
	CHECK_INT(timestamp_parse((struct json){ 0 }), NONE);
	check_local();
	check_add();
	check_calendar();
	return test_done("timestamp");
}
