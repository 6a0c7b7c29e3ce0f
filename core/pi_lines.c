#include "core/pi_lines.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>

#include "core/dialect.h"
#include "core/ids.h"
#include "core/js.h"
#include "core/path.h"
#include "core/text.h"
#include "core/timestamp.h"

/* Add a member whose value is JSON already, as ids are that may hold NUL. */
static bool add_raw(cJSON *o, const char *key, struct buf *json)
{
	const char *text = buf_cstr(json);
	return text && cJSON_AddRawToObject(o, key, text);
}

static bool add_id(cJSON *o, const char *key, const struct session *s,
		   uint32_t entry)
{
	if (entry == INDEX_NONE)
		return cJSON_AddNullToObject(o, key);
	struct buf json = { 0 };
	js_quote(&json, index_id(&s->now.index, entry));
	bool ok = add_raw(o, key, &json);
	buf_free(&json);
	return ok;
}

static bool add_string(cJSON *o, const char *key, struct span text)
{
	struct buf json = { 0 };
	js_quote(&json, text);
	bool ok = add_raw(o, key, &json);
	buf_free(&json);
	return ok;
}

static bool add_time(cJSON *o, int64_t ms)
{
	struct buf time = { 0 };
	timestamp_add(&time, ms);
	bool ok = !time.failed && add_string(o, "timestamp", buf_span(&time));
	buf_free(&time);
	return ok;
}

/* Print the line, if it could be made, and release it. */
static int finish_line(cJSON *o, bool ok, struct buf *out)
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

/* Id, parent and time, which every entry has. */
static bool add_envelope(cJSON *o, const struct session *s, uint32_t parent)
{
	struct buf id = { 0 };
	ids_new(s, &id);
	bool ok = !id.failed && add_string(o, "id", buf_span(&id)) &&
		  add_id(o, "parentId", s, parent) &&
		  add_time(o, timestamp_now());
	buf_free(&id);
	return ok;
}

int pi_head_line(const struct session *s, uint32_t target, struct buf *out)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = o && cJSON_AddStringToObject(o, "type", "custom") &&
		  cJSON_AddStringToObject(o, "customType", "sessfs.head");
	cJSON *data = ok ? cJSON_AddObjectToObject(o, "data") : NULL;
	ok = data && add_id(data, "from", s, s->now.leaf) &&
	     add_envelope(o, s, target);
	return finish_line(o, ok, out);
}

int pi_label_line(const struct session *s, uint32_t entry, struct span text,
		  struct buf *out)
{
	cJSON *o = cJSON_CreateObject();
	bool ok = o && cJSON_AddStringToObject(o, "type", "label") &&
		  add_envelope(o, s, s->now.leaf) &&
		  add_id(o, "targetId", s, entry) &&
		  (text.n == 0 || add_string(o, "label", text));
	return finish_line(o, ok, out);
}

/* What of an entry's line changes; an absent id or place stays. */
struct changes {
	bool id;
	bool parent;
	uint32_t parent_is; /* INDEX_NONE: null */
	bool first_kept;
	uint32_t first_kept_is; /* INDEX_NONE: only the index goes */
	bool hooks;		/* hookMessage becomes custom */
};

static void add_member(struct buf *out, const char *key)
{
	if (out->len > 0 && out->data[out->len - 1] != '{')
		buf_addc(out, ',');
	buf_addf(out, "\"%s\":", key);
}

static void add_id_member(struct buf *out, const char *key,
			  const struct session *s, uint32_t entry)
{
	add_member(out, key);
	if (entry == INDEX_NONE)
		buf_adds(out, "null");
	else
		js_quote(out, index_id(&s->now.index, entry));
}

/* A message whose role hookMessage is spelled custom. */
static void add_renamed(struct buf *out, struct json message)
{
	struct json_walk w = json_walk(message);
	struct json key;
	struct json value;
	buf_addc(out, '{');
	while (json_next_member(&w, &key, &value)) {
		if (out->data && out->data[out->len - 1] != '{')
			buf_addc(out, ',');
		buf_add(out, key.raw);
		buf_addc(out, ':');
		if (json_is(key, SPAN("role")))
			buf_adds(out, "\"custom\"");
		else
			buf_add(out, value.raw);
	}
	buf_addc(out, '}');
}

static bool is_hook(struct json entry, struct json value)
{
	return json_is(json_get(entry, "type"), SPAN("message")) &&
	       json_is(json_get(value, "role"), SPAN("hookMessage"));
}

/* Does the member go, to be written anew at the end? */
static bool goes(const struct changes *c, struct json key)
{
	bool anchor = c->first_kept && c->first_kept_is != INDEX_NONE;
	return (c->id && json_is(key, SPAN("id"))) ||
	       (c->parent && json_is(key, SPAN("parentId"))) ||
	       (anchor && json_is(key, SPAN("firstKeptEntryId"))) ||
	       (c->first_kept && json_is(key, SPAN("firstKeptEntryIndex")));
}

/* An entry's line with changes; what does not change keeps its bytes. */
static void add_changed(struct buf *out, const struct session *s,
			uint32_t entry, struct json json,
			const struct changes *c)
{
	struct buf line = { 0 };
	struct json_walk w = json_walk(json);
	struct json key;
	struct json value;

	buf_addc(&line, '{');
	while (json_next_member(&w, &key, &value)) {
		if (goes(c, key))
			continue;
		if (line.len > 1)
			buf_addc(&line, ',');
		buf_add(&line, key.raw);
		buf_addc(&line, ':');
		if (c->hooks && json_is(key, SPAN("message")) &&
		    is_hook(json, value)) {
			struct buf message = { 0 };
			add_renamed(&message, value);
			buf_add(&line, buf_span(&message));
			line.failed = line.failed || message.failed;
			buf_free(&message);
		} else {
			buf_add(&line, value.raw);
		}
	}
	if (c->id)
		add_id_member(&line, "id", s, entry);
	if (c->parent)
		add_id_member(&line, "parentId", s, c->parent_is);
	if (c->first_kept && c->first_kept_is != INDEX_NONE)
		add_id_member(&line, "firstKeptEntryId", s, c->first_kept_is);
	buf_adds(&line, "}\n");
	buf_add(out, buf_span(&line));
	out->failed = out->failed || line.failed;
	buf_free(&line);
}

/* Forking. */

struct fork {
	const struct session *s;
	struct path path;
	bool *on_path; /* by entry: on the path, and no label */
	struct buf line;
	struct buf *out;
};

static bool is_label(const struct session *s, uint32_t entry)
{
	return session_entry(s, entry)->type == ENTRY_LABEL;
}

/*
 * An anchor that was a label before the compaction at `place`: the next entry
 * on the path that stays, which may be the compaction itself.
 */
static uint32_t staying(const struct fork *f, uint32_t anchor, uint32_t place)
{
	uint32_t i = 0;
	if (anchor == INDEX_NONE || !is_label(f->s, anchor))
		return anchor;
	while (i < place && f->path.list[i] != anchor)
		i++;
	if (i == place)
		return anchor;
	while (i < place && is_label(f->s, f->path.list[i]))
		i++;
	return f->path.list[i];
}

/* Version 1's anchor is an index; Pi converts it if it is a number. */
static bool has_index(struct json compaction)
{
	return json_type(json_get(compaction, "firstKeptEntryIndex")) ==
	       JSON_NUMBER;
}

static int fork_entry(struct fork *f, uint32_t place, uint32_t parent)
{
	const struct session *s = f->s;
	uint32_t entry = f->path.list[place];
	const struct entry *e = session_entry(s, entry);
	struct json json;
	int err = session_read(s, entry, &f->line, &json);
	if (err)
		return err;
	/* A root's parent may be missing or "": a fork says null. */
	bool odd_root = parent == INDEX_NONE &&
			json_type(json_get(json, "parentId")) != JSON_NULL;
	struct changes c = {
		.id = s->now.linear,
		.parent = s->now.linear || odd_root || parent != e->parent,
		.parent_is = parent,
		.hooks = s->now.version < 3 && e->type == ENTRY_MESSAGE,
	};
	if (e->type == ENTRY_COMPACTION) {
		uint32_t anchor = s->dialect->first_kept(s, entry, json);
		c.first_kept_is = staying(f, anchor, place);
		c.first_kept = s->now.linear ? has_index(json)
					     : c.first_kept_is != anchor;
	}
	if (c.id || c.parent || c.first_kept || c.hooks) {
		add_changed(f->out, s, entry, json, &c);
	} else {
		buf_add(f->out, json.raw);
		buf_addc(f->out, '\n');
	}
	return 0;
}

static int fork_header(const struct fork *f, uint32_t entry)
{
	const struct session *s = f->s;
	struct buf name = { 0 };
	struct buf id = { 0 };
	struct buf cwd = { 0 };
	buf_adds(&name, "branch ");
	buf_add(&name, index_id(&s->now.index, entry));
	ids_derive_uuid(s, &id, buf_span(&name));
	json_decode(&cwd, session_header(s, "cwd"));

	int64_t time = session_entry(s, entry)->time;
	if (time == TIMESTAMP_NONE)
		time = timestamp_parse(session_header(s, "timestamp"));
	cJSON *o = cJSON_CreateObject();
	bool ok = o && !name.failed && !id.failed && !cwd.failed &&
		  cJSON_AddStringToObject(o, "type", "session") &&
		  cJSON_AddNumberToObject(o, "version", 3) &&
		  add_string(o, "id", buf_span(&id)) && add_time(o, time) &&
		  add_string(o, "cwd", buf_span(&cwd)) &&
		  add_string(o, "parentSession", span_of(s->log.path));
	buf_free(&name);
	buf_free(&id);
	buf_free(&cwd);
	return finish_line(o, ok, f->out);
}

static int by_since(const void *a, const void *b)
{
	const struct label *x = *(const struct label *const *)a;
	const struct label *y = *(const struct label *const *)b;
	return x->since < y->since ? -1 : x->since > y->since;
}

/* The label's own time, spelled as its line has it. */
static int add_label_time(cJSON *o, struct fork *f, const struct label *l)
{
	struct json json;
	struct buf time = { 0 };
	int err =
		session_read_line(f->s, l->offset, l->length, &f->line, &json);
	if (err)
		return err;
	buf_add(&time, json_get(json, "timestamp").raw);
	bool ok = time.len == 0 || add_raw(o, "timestamp", &time);
	buf_free(&time);
	return ok ? 0 : -ENOMEM;
}

static int fork_label(struct fork *f, const struct label *l, struct buf *parent)
{
	const struct session *s = f->s;
	const struct labels *labels = &s->now.labels;
	struct span target = label_target(labels, l);
	struct buf name = { 0 };
	struct buf id = { 0 };
	buf_adds(&name, "label ");
	buf_add(&name, target);
	ids_derive(s, &id, buf_span(&name));

	cJSON *o = cJSON_CreateObject();
	bool ok = o && !name.failed && !id.failed && !parent->failed &&
		  cJSON_AddStringToObject(o, "type", "label") &&
		  add_string(o, "id", buf_span(&id)) &&
		  add_string(o, "parentId", buf_span(parent)) &&
		  add_string(o, "targetId", target) &&
		  add_string(o, "label", label_text(labels, l));
	int err = ok ? add_label_time(o, f, l) : -ENOMEM;
	if (err)
		cJSON_Delete(o);
	else
		err = finish_line(o, ok, f->out);
	buf_clear(parent);
	buf_add(parent, buf_span(&id));
	buf_free(&name);
	buf_free(&id);
	return err ? err : buf_error(parent);
}

/* The labels that stand on the path, in the order in which they were set. */
static int fork_labels(struct fork *f, uint32_t last)
{
	const struct labels *labels = &f->s->now.labels;
	const struct label **list = malloc((labels->n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	uint32_t n = 0;
	for (uint32_t i = 0; i < labels->n; i++) {
		const struct label *l = &labels->list[i];
		struct span target = label_target(labels, l);
		uint32_t entry = index_find(&f->s->now.index, target);
		if (l->text_n > 0 && entry != INDEX_NONE && f->on_path[entry])
			list[n++] = l;
	}
	qsort(list, n, sizeof(const struct label *), by_since);
	struct buf parent = { 0 };
	buf_add(&parent, index_id(&f->s->now.index, last));
	int err = buf_error(&parent);
	for (uint32_t i = 0; i < n && !err; i++)
		err = fork_label(f, list[i], &parent);
	buf_free(&parent);
	free(list);
	return err;
}

int pi_branch(const struct session *s, uint32_t entry, struct buf *out)
{
	struct fork f = { .s = s, .out = out };
	uint32_t last = INDEX_NONE;
	int err = path_load(&f.path, s, entry);
	if (!err) {
		f.on_path = calloc(s->now.index.n, sizeof(*f.on_path));
		err = f.on_path ? fork_header(&f, entry) : -ENOMEM;
	}
	for (uint32_t i = 0; i < f.path.n && !err; i++) {
		uint32_t at = f.path.list[i];
		if (is_label(s, at))
			continue;
		err = fork_entry(&f, i, last);
		f.on_path[at] = true;
		last = at;
	}
	if (!err && last != INDEX_NONE)
		err = fork_labels(&f, last);
	path_free(&f.path);
	free(f.on_path);
	buf_free(&f.line);
	return err ? err : buf_error(out);
}

/* Migration. */

bool pi_needs_migration(const struct session *s)
{
	return s->now.version < 2;
}

static void migrate_header(struct buf *out, struct json header)
{
	struct json_walk w = json_walk(header);
	struct json key;
	struct json value;
	buf_adds(out, "{\"type\":\"session\",\"version\":3");
	while (json_next_member(&w, &key, &value)) {
		if (json_is(key, SPAN("type")) || json_is(key, SPAN("version")))
			continue;
		buf_addc(out, ',');
		buf_add(out, key.raw);
		buf_addc(out, ':');
		buf_add(out, value.raw);
	}
	buf_adds(out, "}\n");
}

/* The line of an entry without an id. */
static void migrate_linear(const struct session *s, uint32_t entry,
			   struct json json, struct buf *out)
{
	struct changes c = {
		.id = true,
		.parent = true,
		.parent_is = session_entry(s, entry)->parent,
		.hooks = true,
		.first_kept =
			session_entry(s, entry)->type == ENTRY_COMPACTION &&
			has_index(json),
	};
	if (c.first_kept)
		c.first_kept_is = s->dialect->first_kept(s, entry, json);
	add_changed(out, s, entry, json, &c);
}

/* One line of the old file; `next` is the entry that comes next. */
static void migrate_line(const struct session *s, struct span text,
			 uint64_t offset, uint32_t *next, struct buf *out)
{
	const struct changes hooks = { .hooks = true };
	struct json json;
	bool parsed = json_check(text, &json) == 0;
	if (parsed && json_is(json_get(json, "type"), SPAN("session"))) {
		migrate_header(out, json);
	} else if (parsed && s->now.linear && *next < s->now.index.n &&
		   session_entry(s, *next)->offset == offset) {
		migrate_linear(s, (*next)++, json, out);
	} else if (parsed && is_hook(json, json_get(json, "message"))) {
		add_changed(out, s, INDEX_NONE, json, &hooks);
	} else {
		buf_add(out, text);
		buf_addc(out, '\n');
	}
}

int pi_migrate(const struct session *s, struct buf *out)
{
	struct buf file = { 0 };
	size_t size = (size_t)s->log.seen.st_size;
	char *to = buf_reserve(&file, size);
	int err = to ? log_read(&s->log, 0, to, size) : -ENOMEM;
	/* Pi refuses a file with a byte order mark. */
	struct span start = { file.data, err ? 0 : size };
	uint64_t at = span_starts(start, SPAN("\xEF\xBB\xBF")) ? 3 : 0;
	uint32_t next = 0;
	while (!err && at < size) {
		const char *from = file.data + at;
		const char *lf = memchr(from, '\n', size - at);
		size_t n = lf ? (size_t)(lf - from) : (size_t)(size - at);
		migrate_line(s, (struct span){ from, n }, at, &next, out);
		at += n + 1;
	}
	buf_free(&file);
	/* An entry that was not met: the file is not what was indexed. */
	if (!err && s->now.linear && next != s->now.index.n)
		err = -ESTALE;
	return err ? err : buf_error(out);
}
