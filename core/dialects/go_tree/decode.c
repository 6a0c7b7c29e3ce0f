#include "core/dialects/go_tree/decode.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "core/json/timestamp.h"

static bool names_field(struct json key, const char *name)
{
	size_t n = strlen(name);
	return key.raw.n == n + 2 && strncasecmp(key.raw.p + 1, name, n) == 0;
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
		if (names_field(key, name) && json_type(value) != JSON_NULL)
			found = value;
	}
	return found;
}

/* 2026-05-01T00:00:01.5Z, or with an offset such as +02:00. */
static bool is_rfc3339(struct span s)
{
	return s.n >= 20 && s.p[10] == 'T' && s.p[16] == ':' &&
	       (s.p[s.n - 1] == 'Z' ||
		(s.p[s.n - 3] == ':' &&
		 (s.p[s.n - 6] == '+' || s.p[s.n - 6] == '-')));
}

/* Is there such a day, and such a time on it? Date.parse() takes others. */
static bool is_in_calendar(struct span s, size_t seconds)
{
	char quoted[32];
	struct buf again = { 0 };
	int n = snprintf(quoted, sizeof(quoted), "\"%.*sZ\"", (int)seconds,
			 s.p);
	timestamp_add(&again, timestamp_parse((struct json){
				      .raw = { quoted, (size_t)n } }));
	bool is = again.len > seconds && memcmp(again.data, s.p, seconds) == 0;
	buf_free(&again);
	return is;
}

static bool decode_time(struct json v, int64_t *ms)
{
	if (json_type(v) == JSON_NULL)
		return true;
	struct span text = { v.raw.p + 1, v.raw.n - 2 };
	if (json_type(v) != JSON_STRING || !is_rfc3339(text) ||
	    !is_in_calendar(text, strlen("2026-05-01T00:00:01")))
		return false;
	*ms = timestamp_parse(v);
	return *ms != TIMESTAMP_NONE;
}

static bool decode_string(struct json v, struct json *to)
{
	if (json_type(v) == JSON_STRING)
		*to = v;
	return json_type(v) == JSON_STRING || json_type(v) == JSON_NULL;
}

int go_decode(struct json line, struct go_entry *e)
{
	struct json_walk w = json_walk(line);
	struct json key;
	struct json value;
	bool ok = true;
	*e = (struct go_entry){ .time = TIMESTAMP_NONE };
	while (ok && json_next_member(&w, &key, &value)) {
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
