#include "core/dialects/go_tree/decode.h"

#include <errno.h>
#include <time.h>

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

/* A number of `least` to `most` digits. */
static bool take_number(struct span *s, size_t least, size_t most, int *out)
{
	size_t n = 0;
	*out = 0;
	while (n < most && n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		*out = *out * 10 + (s->p[n++] - '0');
	s->p += n;
	s->n -= n;
	return n >= least;
}

static bool take_char(struct span *s, char c)
{
	bool is_there = s->n > 0 && s->p[0] == c;
	s->p += is_there;
	s->n -= is_there;
	return is_there;
}

static int days_in(int month, int year)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30,
				    31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return days[month - 1] + (month == 2 && leap);
}

static bool take_date(struct span *s, struct tm *tm)
{
	int year;
	if (!take_number(s, 4, 4, &year) || !take_char(s, '-') ||
	    !take_number(s, 2, 2, &tm->tm_mon) || !take_char(s, '-') ||
	    !take_number(s, 2, 2, &tm->tm_mday))
		return false;
	if (tm->tm_mon < 1 || tm->tm_mon > 12 || tm->tm_mday < 1 ||
	    tm->tm_mday > days_in(tm->tm_mon, year))
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon--;
	return true;
}

static bool take_clock(struct span *s, struct tm *tm)
{
	return take_number(s, 1, 2, &tm->tm_hour) && tm->tm_hour < 24 &&
	       take_char(s, ':') && take_number(s, 2, 2, &tm->tm_min) &&
	       tm->tm_min < 60 && take_char(s, ':') &&
	       take_number(s, 2, 2, &tm->tm_sec) && tm->tm_sec < 60;
}

/* Any number of digits, of which three are ms; none at all is fine. */
static void take_fraction(struct span *s, int *ms)
{
	int scale = 100;
	*ms = 0;
	if (s->n < 2 || (s->p[0] != '.' && s->p[0] != ',') || s->p[1] < '0' ||
	    s->p[1] > '9')
		return;
	s->p++;
	s->n--;
	while (s->n > 0 && s->p[0] >= '0' && s->p[0] <= '9') {
		*ms += (s->p[0] - '0') * scale;
		scale /= 10;
		s->p++;
		s->n--;
	}
}

static bool take_zone(struct span *s, int *east)
{
	int hours;
	int minutes;
	*east = 0;
	if (take_char(s, 'Z'))
		return true;
	bool minus = take_char(s, '-');
	if ((!minus && !take_char(s, '+')) || !take_number(s, 2, 2, &hours) ||
	    !take_char(s, ':') || !take_number(s, 2, 2, &minutes))
		return false;
	*east = (hours * 60 + minutes) * (minus ? -60 : 60);
	return hours <= 24 && minutes <= 60;
}

bool go_time(struct span text, int64_t *ms)
{
	struct tm tm = { 0 };
	int fraction;
	int east;
	if (!take_date(&text, &tm) || !take_char(&text, 'T') ||
	    !take_clock(&text, &tm))
		return false;
	take_fraction(&text, &fraction);
	if (!take_zone(&text, &east) || text.n > 0)
		return false;
	*ms = ((int64_t)timegm(&tm) - east) * 1000 + fraction;
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
