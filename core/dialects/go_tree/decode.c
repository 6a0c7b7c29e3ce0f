/*
 * The lines of a Go tree, decoded as encoding/json decodes them into the
 * package's Entry:
 *
 *   - Keys match fields in any case. Of several the last one counts; null
 *     changes nothing.
 *   - `ts` is a time of RFC 3339.
 */
#include "core/dialects/go_tree/go_tree.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "core/json/timestamp.h"

static bool names_field(struct json key, const char *name)
{
	struct span in = { key.raw.p + 1, key.raw.n - 2 };
	size_t n = strlen(name);
	if (!memchr(in.p, '\\', in.n))
		return in.n == n && strncasecmp(in.p, name, n) == 0;
	struct buf decoded BUF_SCOPED = { 0 };
	json_decode(&decoded, key);
	return decoded.len == n && strncasecmp(decoded.data, name, n) == 0;
}

struct json go_field(struct json object, const char *name)
{
	struct json found = { 0 };
	if (json_type(object) != JSON_OBJECT)
		return found;
	JSON_EACH_MEMBER(key, value, object) {
		if (names_field(key, name) && json_type(value) != JSON_NULL)
			found = value;
	}
	return found;
}

static unsigned two_digits(const char *p)
{
	return (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0');
}

/* Date.parse() takes February 30, and 24:00. */
static bool is_in_calendar(const char *p)
{
	static const unsigned days[] = { 31, 28, 31, 30, 31, 30,
					 31, 31, 30, 31, 30, 31 };
	unsigned year = two_digits(p) * 100 + two_digits(p + 2);
	unsigned month = two_digits(p + 5);
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return month >= 1 && month <= 12 &&
	       two_digits(p + 8) <= days[month - 1] + (month == 2 && leap) &&
	       two_digits(p + 11) < 24;
}

/* 2026-05-01T00:00:01.5Z, or with an offset such as +02:00. */
static bool is_rfc3339(struct span s)
{
	return s.n >= 20 && s.p[10] == 'T' && s.p[16] == ':' &&
	       !memchr(s.p, '\\', s.n) && is_in_calendar(s.p) &&
	       (s.p[s.n - 1] == 'Z' ||
		(s.p[s.n - 3] == ':' &&
		 (s.p[s.n - 6] == '+' || s.p[s.n - 6] == '-')));
}

static bool decode_time(struct json v, int64_t *ms)
{
	if (json_type(v) == JSON_NULL)
		return true;
	struct span text = { v.raw.p + 1, v.raw.n - 2 };
	if (!json_is_string(v) || !is_rfc3339(text))
		return false;
	*ms = timestamp_parse(v);
	return *ms != TIMESTAMP_NONE;
}

static bool decode_string(struct json v, struct json *to)
{
	if (json_is_string(v))
		*to = v;
	return json_is_string(v) || json_type(v) == JSON_NULL;
}

int go_decode(struct json line, struct go_entry *e)
{
	bool ok = true;
	*e = (struct go_entry){ .time = TIMESTAMP_NONE };
	JSON_EACH_MEMBER_WHILE(ok, key, value, line) {
		if (names_field(key, "id")) {
			ok = decode_string(value, &e->id);
		} else if (names_field(key, "parentId")) {
			ok = decode_string(value, &e->parent);
		} else if (names_field(key, "kind")) {
			ok = decode_string(value, &e->kind);
		} else if (names_field(key, "ts")) {
			ok = decode_time(value, &e->time);
		} else if (names_field(key, "payload")) {
			bool object = json_type(value) == JSON_OBJECT;
			e->payload = object ? value : (struct json){ 0 };
			ok = object || json_type(value) == JSON_NULL;
		}
	}
	return ok ? 0 : -EBADMSG;
}
