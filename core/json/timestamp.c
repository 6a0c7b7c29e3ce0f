#include "core/json/timestamp.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/consume.h"

/* The range of JavaScript's Date, in ms before and after 1970. */
#define TIME_LIMIT 8640000000000000

static bool consume_date(struct span *s, struct tm *tm)
{
	int sign = 1;
	int year;
	if (s->n > 0 && (s->p[0] == '+' || s->p[0] == '-')) {
		sign = s->p[0] == '-' ? -1 : 1;
		span_take(s, 1);
		if (!consume_number(s, 6, 6, &year) || (sign < 0 && year == 0))
			return false;
	} else if (!consume_number(s, 4, 4, &year)) {
		return false;
	}
	tm->tm_year = sign * year - 1900;
	tm->tm_mon = 0;
	tm->tm_mday = 1;
	if (!consume_char(s, '-'))
		return true;
	if (!consume_number(s, 2, 2, &tm->tm_mon) || tm->tm_mon < 1 ||
	    tm->tm_mon > 12)
		return false;
	tm->tm_mon--;
	if (!consume_char(s, '-'))
		return true;
	return consume_number(s, 2, 2, &tm->tm_mday) && tm->tm_mday >= 1 &&
	       tm->tm_mday <= 31;
}

static bool consume_time(struct span *s, struct tm *tm, int *ms)
{
	if (!consume_number(s, 2, 2, &tm->tm_hour) || !consume_char(s, ':') ||
	    !consume_number(s, 2, 2, &tm->tm_min) || tm->tm_hour > 24 ||
	    tm->tm_min > 59)
		return false;
	if (consume_char(s, ':')) {
		if (!consume_number(s, 2, 2, &tm->tm_sec) || tm->tm_sec > 59)
			return false;
		if (consume_char(s, '.')) {
			if (!is_digit_next(*s))
				return false;
			consume_fraction(s, ms);
		}
	}
	return tm->tm_hour < 24 ||
	       (tm->tm_min == 0 && tm->tm_sec == 0 && *ms == 0);
}

/* Minutes east of UTC. */
static bool consume_offset(struct span *s, int *minutes)
{
	int sign = s->p[0] == '-' ? -1 : 1;
	int h;
	int m;
	span_take(s, 1);
	if (!consume_number(s, 2, 2, &h))
		return false;
	consume_char(s, ':');
	if (!consume_number(s, 2, 2, &m) || h > 23 || m > 59)
		return false;
	*minutes = sign * (h * 60 + m);
	return true;
}

/* timegm(), which takes as long as everything else that is done with a line. */
static int64_t seconds_of(const struct tm *tm)
{
	/* Years begin in March, so that the leap day comes last. */
	int64_t month = (tm->tm_mon + 10) % 12;
	int64_t year = (int64_t)tm->tm_year + 1900 - (tm->tm_mon < 2);
	int64_t leap = year >= 0 ? year : year - 399;
	int64_t of_era = year - leap / 400 * 400;
	int64_t day = (153 * month + 2) / 5 + tm->tm_mday - 1;
	int64_t days = leap / 400 * 146097 + of_era * 365 + of_era / 4 -
		       of_era / 100 + day - 719468;
	return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

static int64_t parse_iso(struct span s)
{
	struct tm tm = { .tm_isdst = -1 };
	int ms = 0;
	int east = 0;
	bool local = false;

	if (!consume_date(&s, &tm))
		return TIMESTAMP_NONE;
	if (consume_char(&s, 'T') || consume_char(&s, 't') ||
	    consume_char(&s, ' ')) {
		if (!consume_time(&s, &tm, &ms))
			return TIMESTAMP_NONE;
		if (consume_char(&s, 'Z') || consume_char(&s, 'z'))
			local = false;
		else if (s.n > 0 && (s.p[0] == '+' || s.p[0] == '-')) {
			if (!consume_offset(&s, &east))
				return TIMESTAMP_NONE;
		} else {
			local = true;
		}
	}
	if (s.n > 0)
		return TIMESTAMP_NONE;
	int64_t t = local ? mktime(&tm) : seconds_of(&tm);
	int64_t all = (t - (int64_t)east * 60) * 1000 + ms;
	return llabs(all) <= TIME_LIMIT ? all : TIMESTAMP_NONE;
}

int64_t timestamp_parse(struct json v)
{
	switch (json_type(v)) {
	case JSON_STRING: {
		struct span plain = { v.raw.p + 1, v.raw.n - 2 };
		if (!memchr(plain.p, '\\', plain.n))
			return parse_iso(plain);
		struct buf text BUF_SCOPED = { 0 };
		json_decode(&text, v);
		return parse_iso(buf_span(&text));
	}
	case JSON_NUMBER: {
		double d = json_number(v);
		if (!(fabs(d) <= (double)TIME_LIMIT))
			return TIMESTAMP_NONE;
		return (int64_t)d;
	}
	case JSON_NULL:
	case JSON_FALSE:
		return 0;
	case JSON_TRUE:
		return 1;
	default:
		return TIMESTAMP_NONE;
	}
}

/* Append a number of so many digits, and a character. */
static void add_digits(struct buf *out, int number, int digits, char after)
{
	char text[8];
	for (int i = digits; i-- > 0; number /= 10)
		text[i] = (char)('0' + number % 10);
	text[digits] = after;
	buf_add(out, (struct span){ text, (size_t)digits + 1 });
}

void timestamp_add(struct buf *out, int64_t ms)
{
	if (ms == TIMESTAMP_NONE)
		return;
	int64_t rest = ms % 1000;
	if (rest < 0)
		rest += 1000;
	time_t t = (time_t)((ms - rest) / 1000);
	struct tm tm;
	if (!gmtime_r(&t, &tm))
		return;
	int year = tm.tm_year + 1900;
	/* Lists have one in each line: printf(3) would be most of their work.
	 */
	if (year >= 0 && year <= 9999)
		add_digits(out, year, 4, '-');
	else
		buf_addf(out, "%c%06d-", year < 0 ? '-' : '+', abs(year));
	add_digits(out, tm.tm_mon + 1, 2, '-');
	add_digits(out, tm.tm_mday, 2, 'T');
	add_digits(out, tm.tm_hour, 2, ':');
	add_digits(out, tm.tm_min, 2, ':');
	add_digits(out, tm.tm_sec, 2, '.');
	add_digits(out, (int)rest, 3, 'Z');
}

static size_t format_local(char *to, size_t size, const struct tm *tm,
			   enum timestamp_form form)
{
	switch (form) {
	case TIMESTAMP_DAY:
		return strftime(to, size, "%Y-%m-%d", tm);
	case TIMESTAMP_MINUTE:
		return strftime(to, size, "%Y-%m-%d %H:%M", tm);
	case TIMESTAMP_SECOND:
		return strftime(to, size, "%Y-%m-%d %H:%M:%S %z", tm);
	case TIMESTAMP_SHORT:
		return strftime(to, size, "%m-%d %H:%M", tm);
	case TIMESTAMP_CLOCK:
		return strftime(to, size, "%H%M", tm);
	}
	return 0;
}

void timestamp_add_local(struct buf *out, int64_t ms, enum timestamp_form form)
{
	time_t seconds = (time_t)(ms / 1000);
	char text[64];
	struct tm tm;
	if (ms != TIMESTAMP_NONE && localtime_r(&seconds, &tm) &&
	    format_local(text, sizeof(text), &tm, form) > 0)
		buf_adds(out, text);
}

struct timespec timestamp_spec(int64_t ms)
{
	int64_t seconds = ms / 1000 - (ms % 1000 < 0);
	return (struct timespec){ .tv_sec = seconds,
				  .tv_nsec = (ms - seconds * 1000) * 1000000 };
}

void timestamp_add_ms(struct buf *out, int64_t ms)
{
	if (ms == TIMESTAMP_NONE)
		buf_adds(out, "null");
	else
		buf_addf(out, "%lld", (long long)ms);
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t timestamp_now(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t timestamp_monotonic(void)
{
	return read_clock(CLOCK_MONOTONIC);
}
