#include "core/dialects/kit/line.h"

#include <errno.h>

#include "core/json/js.h"
#include "core/json/timestamp.h"

bool line_add_raw(cJSON *o, const char *key, struct buf *json)
{
	const char *text = buf_cstr(json);
	return text && cJSON_AddRawToObject(o, key, text);
}

void line_quote_id(struct buf *out, const struct session *s, uint32_t entry)
{
	if (entry == INDEX_NONE)
		buf_adds(out, "null");
	else
		js_quote(out, index_id(&s->now.index, entry));
}

bool line_add_id(cJSON *o, const char *key, const struct session *s,
		 uint32_t entry)
{
	struct buf json = { 0 };
	line_quote_id(&json, s, entry);
	bool ok = line_add_raw(o, key, &json);
	buf_free(&json);
	return ok;
}

bool line_add_string(cJSON *o, const char *key, struct span text)
{
	struct buf json = { 0 };
	js_quote(&json, text);
	bool ok = line_add_raw(o, key, &json);
	buf_free(&json);
	return ok;
}

void line_quote_time(struct buf *out, int64_t ms)
{
	buf_addc(out, '"');
	timestamp_add(out, ms);
	buf_addc(out, '"');
}

bool line_add_time(cJSON *o, int64_t ms)
{
	struct buf json = { 0 };
	line_quote_time(&json, ms);
	bool ok = line_add_raw(o, "timestamp", &json);
	buf_free(&json);
	return ok;
}

int line_add_label_time(cJSON *o, const struct session *s,
			const struct label *l)
{
	struct buf line = { 0 };
	struct buf time = { 0 };
	struct json json;
	int err = session_read_line(s, l->offset, l->length, &line, &json);
	if (!err)
		buf_add(&time, json_get(json, "timestamp").raw);
	if (!err && time.len > 0 && !line_add_raw(o, "timestamp", &time))
		err = -ENOMEM;
	buf_free(&line);
	buf_free(&time);
	return err;
}

int line_finish(cJSON *o, bool ok, struct buf *out)
{
	char *line = ok ? cJSON_PrintUnformatted(o) : NULL;
	if (line) {
		buf_adds(out, line);
		buf_addc(out, '\n');
	}
	cJSON_free(line);
	cJSON_Delete(o);
	return line ? buf_error(out) : -ENOMEM;
}

void line_add(struct buf *out, struct json line)
{
	buf_add(out, line.raw);
	buf_addc(out, '\n');
}

static void add_member(struct buf *out, struct span key, struct span value)
{
	if (out->len > 0 && out->data[out->len - 1] != '{')
		buf_addc(out, ',');
	buf_add(out, key);
	buf_addc(out, ':');
	buf_add(out, value);
}

void line_change(struct buf *out, struct json object,
		 const struct line_member *members, size_t n)
{
	struct json_walk w = json_walk(object);
	struct json key;
	struct json value;
	uint64_t written = 0;
	buf_addc(out, '{');
	while (json_next_member(&w, &key, &value)) {
		size_t i = 0;
		while (i < n && !json_is(key, span_of(members[i].key)))
			i++;
		if (i == n)
			add_member(out, key.raw, value.raw);
		else if (!(written >> i & 1) && members[i].value.n > 0)
			add_member(out, key.raw, members[i].value);
		if (i < n)
			written |= (uint64_t)1 << i;
	}
	for (size_t i = 0; i < n; i++) {
		if ((written >> i & 1) || members[i].value.n == 0)
			continue;
		struct buf name = { 0 };
		js_quote(&name, span_of(members[i].key));
		add_member(out, buf_span(&name), members[i].value);
		out->failed = out->failed || name.failed;
		buf_free(&name);
	}
	buf_addc(out, '}');
}

void line_add_changed(struct buf *out, struct json line,
		      const struct line_member *members, size_t n)
{
	line_change(out, line, members, n);
	buf_addc(out, '\n');
}

static bool is_key(struct json key, const char *name)
{
	return json_is(key, span_of(name));
}

void line_splice(struct buf *out, struct json object,
		 const struct line_member *members, size_t n,
		 bool (*same)(struct json key, const char *name))
{
	struct json_walk w = json_walk(object);
	struct json key;
	struct json value;
	uint64_t written = 0;
	const char *from = object.raw.p;
	const char *end = from + object.raw.n - 1; /* its brace */
	bool empty = true;
	if (!same)
		same = is_key;
	while (json_next_member(&w, &key, &value)) {
		size_t i = 0;
		while (i < n && !same(key, members[i].key))
			i++;
		empty = false;
		if (i == n)
			continue;
		buf_add(out,
			(struct span){ from, (size_t)(value.raw.p - from) });
		buf_add(out, members[i].value);
		from = value.raw.p + value.raw.n;
		written |= (uint64_t)1 << i;
	}
	buf_add(out, (struct span){ from, (size_t)(end - from) });
	for (size_t i = 0; i < n; i++) {
		if (written >> i & 1)
			continue;
		buf_addf(out, "%s\"%s\":", empty ? "" : ",", members[i].key);
		buf_add(out, members[i].value);
		empty = false;
	}
	buf_addc(out, '}');
}
