#include "core/json/timestamp.h"
#include "tests/unit/tables.h"

#define NONE TIMESTAMP_NONE

static int64_t parse(const char *json)
{
	struct json v = { 0 };
	CHECK_INT(json_check(span_of(json), &v), 0);
	return timestamp_parse(v);
}

static void add_time(struct buf *out, int64_t ms)
{
	if (ms == NONE)
		buf_adds(out, "none");
	else
		buf_addf(out, "%lld", (long long)ms);
}

/* new Date(v).getTime(), by Node. */
static void check_parsed(struct row *r, struct buf *made)
{
	add_time(made, timestamp_parse(row_json(r, 0)));
}

/* Date.prototype.toISOString(), by Node. */
static void check_printed(struct row *r, struct buf *made)
{
	timestamp_add(made, row_is(r, 0, "none")
				    ? NONE
				    : strtoll(row_text(r, 0), NULL, 10));
}

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

static void check_now(void)
{
	struct buf b = { 0 };
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
	rows_check("timestamp/parsed", check_parsed);
	rows_check("timestamp/printed", check_printed);
	CHECK_INT(timestamp_parse((struct json){ 0 }), NONE);
	check_local();
	check_now();
	check_calendar();
	return test_done("timestamp");
}
