#include "core/dialects/go_tree/decode.h"

#include <errno.h>
#include <time.h>

#include "core/base/consume.h"
#include "core/json/timestamp.h"

/* Keys. */

static bool folds_to(struct span key, const char *name)
{
	for (; *name; name++) {
		size_t n = 1;
		bool same = key.n > 0 && (key.p[0] | 0x20) == *name;
		if (!same && *name == 'k' &&
		    span_starts(key, SPAN("\xE2\x84\xAA"))) {
			same = true;
			n = 3;
		} else if (!same && *name == 's' &&
			   span_starts(key, SPAN("\xC5\xBF"))) {
			same = true;
			n = 2;
		}
		if (!same)
			return false;
		key.p += n;
		key.n -= n;
	}
	return key.n == 0;
}

bool go_names_field(struct json key, const char *name)
{
	struct span in = { key.raw.p + 1, key.raw.n - 2 };
	if (!memchr(in.p, '\\', in.n))
		return folds_to(in, name);
	struct buf decoded = { 0 };
	json_decode(&decoded, key);
	bool same = !decoded.failed && folds_to(buf_span(&decoded), name);
	buf_free(&decoded);
	return same;
}

struct json go_field(struct json object, const char *name)
{
	struct json_walk w = json_walk(object);
	struct json key;
	struct json value;
	struct json found = { 0 };
	if (json_type(object) != JSON_OBJECT)
		return found;
	while (json_next_member(&w, &key, &value)) {
		if (go_names_field(key, name) && json_type(value) != JSON_NULL)
			found = value;
	}
	return found;
}

/* Times. */

static int days_in(int month, int year)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return days[month - 1] + (month == 2 && leap);
}

static bool consume_date(struct span *s, struct tm *tm)
{
	int year;
	if (!consume_number(s, 4, 4, &year) || !consume_char(s, '-') ||
	    !consume_number(s, 2, 2, &tm->tm_mon) || !consume_char(s, '-') ||
	    !consume_number(s, 2, 2, &tm->tm_mday))
		return false;
	if (tm->tm_mon < 1 || tm->tm_mon > 12 || tm->tm_mday < 1 ||
	    tm->tm_mday > days_in(tm->tm_mon, year))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon--;
	return true;
}

static bool consume_clock(struct span *s, struct tm *tm)
{
	return consume_number(s, 1, 2, &tm->tm_hour) && tm->tm_hour < 24 &&
	       consume_char(s, ':') && consume_number(s, 2, 2, &tm->tm_min) &&
	       tm->tm_min < 60 && consume_char(s, ':') &&
	       consume_number(s, 2, 2, &tm->tm_sec) && tm->tm_sec < 60;
}

/* Any number of digits, of which three are ms; none at all is fine. */
static void consume_seconds_fraction(struct span *s, int *ms)
{
	struct span rest = *s;
	*ms = 0;
	if ((consume_char(&rest, '.') || consume_char(&rest, ',')) &&
	    is_digit_next(rest)) {
		consume_fraction(&rest, ms);
		*s = rest;
	}
}

static bool consume_zone(struct span *s, int *east)
{
	int hours;
	int minutes;
	*east = 0;
	if (consume_char(s, 'Z'))
		return true;
	bool minus = consume_char(s, '-');
	if ((!minus && !consume_char(s, '+')) ||
	    !consume_number(s, 2, 2, &hours) || !consume_char(s, ':') ||
	    !consume_number(s, 2, 2, &minutes))
		return false;
	*east = (hours * 60 + minutes) * (minus ? -60 : 60);
	return hours <= 24 && minutes <= 60;
}

bool go_time(struct span text, int64_t *ms)
{
	struct tm tm = { 0 };
	int fraction;
	int east;
	if (!consume_date(&text, &tm) || !consume_char(&text, 'T') ||
	    !consume_clock(&text, &tm))
		return false;
	consume_seconds_fraction(&text, &fraction);
	if (!consume_zone(&text, &east) || text.n > 0)
		return false;
	*ms = (timestamp_seconds(&tm) - east) * 1000 + fraction;
	return true;
}

/* Entries. */

static bool decode_string(struct json v, struct json *to)
{
	if (json_type(v) == JSON_STRING)
		*to = v;
	return json_type(v) == JSON_STRING || json_type(v) == JSON_NULL;
}

static bool decode_payload(struct json v, struct json *to)
{
	bool object = json_type(v) == JSON_OBJECT;
	*to = object ? v : (struct json){ 0 };
	return object || json_type(v) == JSON_NULL;
}

static bool decode_time(struct json v, int64_t *ms)
{
	if (json_type(v) == JSON_NULL)
		return true;
	return json_type(v) == JSON_STRING &&
	       go_time((struct span){ v.raw.p + 1, v.raw.n - 2 }, ms);
}

int go_decode(struct json line, struct go_entry *e)
{
	struct json_walk w = json_walk(line);
	struct json key;
	struct json value;
	bool ok = true;
	*e = (struct go_entry){ .time = TIMESTAMP_NONE };
	while (ok && json_next_member(&w, &key, &value)) {
		if (go_names_field(key, "id"))
			ok = decode_string(value, &e->id);
		else if (go_names_field(key, "parentid"))
			ok = decode_string(value, &e->parent);
		else if (go_names_field(key, "kind"))
			ok = decode_string(value, &e->kind);
		else if (go_names_field(key, "ts"))
			ok = decode_time(value, &e->time);
		else if (go_names_field(key, "payload"))
			ok = decode_payload(value, &e->payload);
	}
	return ok ? 0 : -EBADMSG;
}
