/*
 * The lines of a Go tree, decoded as encoding/json decodes them into the
 * package's Entry:
 *
 *   - Keys match fields in any case. Of several the last one counts; null
 *     changes nothing.
 *   - `ts` is a time of RFC 3339.
 *
 * And entries that are made from appended lines (core/session/writer.h).
 *
 * A line with a `kind` is an entry with any payload. A line with a `role` is a
 * message, and becomes the payload of an entry of the kind for that role.
 * Members id, parentId and ts are added at the end if they are missing. A line
 * with a kind and an id is a copy of an entry, and gets a new id and parent.
 */
#include "core/dialects/go_tree/go_tree.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <uuid/uuid.h>

#include "core/dialects/kit/ingest.h"
#include "core/dialects/kit/line.h"
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

/* -- entries from lines */

/* The package reads only lines shorter than this. */
#define GO_LINE_LIMIT ((size_t)1 << 20)

/* The last n digits of a number in Crockford's base 32. */
static void add_base32(struct buf *out, uint64_t v, int n)
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	while (n-- > 0)
		buf_addc(out, digits[v >> 5 * n & 31]);
}

void go_add_ulid(struct buf *out, const struct session *s, int64_t now)
{
	do {
		uuid_t chance;
		uint64_t high = 0;
		uint64_t low = 0;
		uuid_generate_random(chance);
		/* Bytes 6 and 8 of a UUID have bits that are not random. */
		for (int i = 0; i < 5; i++) {
			high = high << 8 | chance[i];
			low = low << 8 | chance[9 + i];
		}
		buf_clear(out);
		add_base32(out, (uint64_t)now, 10);
		add_base32(out, high, 8);
		add_base32(out, low, 8);
	} while (!out->failed &&
		 index_find(&s->now.index, buf_span(out)) != INDEX_NONE);
}

bool go_path_is_broken(const struct session *s, uint32_t leaf)
{
	uint32_t root = path_root(s, leaf);
	return root != INDEX_NONE && session_entry(s, root)->orphan;
}

/* An entry that is being made of a line. */
struct making {
	const struct session *s;
	struct go_entry e; /* the line as the package decodes it */
	const char *kind;  /* for its role; NULL if it has a kind */
	bool copy;
	uint32_t parent;
	int64_t now;
};

static const char *read_parent(struct making *m)
{
	m->parent = m->s->now.leaf;
	if (!m->copy && json_truthy(m->e.parent)) {
		m->parent = ingest_find_id(m->s, m->e.parent);
		if (m->parent == INDEX_NONE)
			return "the parent is not an entry of this session";
	}
	return go_path_is_broken(m->s, m->parent)
		       ? "an ancestor of the parent is missing"
		       : NULL;
}

static const char *fault(struct making *m, struct json line)
{
	struct json role = json_get(line, "role");
	if (json_truthy(go_field(line, "kind"))) {
		if (go_decode(line, &m->e) < 0)
			return "`id`, `parentId`, `kind` and `ts` must be "
			       "strings, `ts` a time, and `payload` an object";
		m->copy = json_truthy(m->e.id);
		return read_parent(m);
	}
	if (!json_is_string(role))
		return "a line must have a `kind` or `role` string";
	m->kind = go_kind_for(role);
	if (!m->kind)
		return "messages with this `role` can't be stored";
	/* All other members are the message's. */
	m->e.parent = go_field(line, "parentId");
	return read_parent(m);
}

/* Is the field missing, or null? */
static bool lacks(struct json line, const char *name)
{
	return json_type(go_field(line, name)) == JSON_ABSENT;
}

static void add_line(struct buf *out, const struct making *m, struct json line,
		     struct span id)
{
	static const struct json empty = { .raw = SPAN("{}") };
	struct line_changes c = { 0 };
	json_quote(line_change(&c, "id"), id);
	if (m->parent != INDEX_NONE &&
	    (m->kind || m->copy || !json_truthy(m->e.parent)))
		line_quote_id(line_change(&c, "parentId"), m->s, m->parent);
	else if (m->copy && !lacks(line, "parentId"))
		buf_adds(line_change(&c, "parentId"), "\"\"");
	if (m->kind)
		json_quote(line_change(&c, "kind"), span_of(m->kind));
	if (m->kind || (!m->copy && lacks(line, "ts")))
		line_quote_time(line_change(&c, "ts"), m->now);
	if (m->kind)
		buf_add(line_change(&c, "payload"), line.raw);
	line_add_spliced(out, m->kind ? empty : line, &c);
}

/* Has the line the id and the parent that it was given, for Go's reader? */
static bool is_as_meant(const struct making *m, struct span line,
			const struct buf *id)
{
	struct json v;
	struct go_entry e;
	if (json_check(line, &v) < 0 || go_decode(v, &e) < 0 ||
	    !json_is(e.id, buf_span(id)))
		return false;
	uint32_t parent = INDEX_NONE;
	if (json_truthy(e.parent))
		parent = ingest_find_id(m->s, e.parent);
	return parent == m->parent;
}

int go_entry_add(const struct session *s, struct json line, struct buf *out,
		 struct buf *id, const char **reason)
{
	struct making m = { .s = s, .now = timestamp_now() };
	*reason = fault(&m, line);
	if (*reason)
		return -EINVAL;
	if (path_is_cut(s, m.parent))
		return -ELOOP;
	size_t from = out->len;
	go_add_ulid(id, s, m.now);
	add_line(out, &m, line, buf_span(id));
	buf_inherit(out, id);
	if (out->failed)
		return -ENOMEM;
	if (out->len - from > GO_LINE_LIMIT)
		*reason = "a line of a Go tree is shorter than 1 MiB";
	else if (!is_as_meant(
			 &m,
			 (struct span){ out->data + from, out->len - from - 1 },
			 id))
		*reason = "the line has a field twice, in other letters";
	return *reason ? -EINVAL : 0;
}
