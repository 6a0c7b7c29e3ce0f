#include "core/dialects/pi/branch.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/state.h"
#include "core/dialects/pi/v1.h"
#include "core/json/timestamp.h"

void pi_add_envelope(struct json_writer *w, const struct session *s,
		     uint32_t parent, int64_t time)
{
	struct buf id = { 0 };
	ids_new(s, &id);
	json_write_string_buf(w, "id", &id);
	line_add_id(w, "parentId", s, parent);
	line_add_time(w, "timestamp", time);
	buf_free(&id);
}

int pi_move_head(const struct session *s, uint32_t target, struct change *c)
{
	struct json_writer w = line_begin(&c->lines, "custom");
	json_write_word(&w, "customType", "sessfs.head");
	json_begin_object(&w, "data");
	line_add_id(&w, "from", s, s->now.leaf);
	json_end_object(&w);
	pi_add_envelope(&w, s, target, timestamp_now());
	return line_end(&w);
}

int pi_set_label(const struct session *s, uint32_t entry, struct span text,
		 struct change *c)
{
	struct json_writer w = line_begin(&c->lines, "label");
	pi_add_envelope(&w, s, s->now.leaf, timestamp_now());
	line_add_id(&w, "targetId", s, entry);
	if (text.n > 0)
		json_write_string(&w, "label", text);
	return line_end(&w);
}

int pi_set_name(const struct session *s, struct span name, struct change *c)
{
	name = text_trim(name);
	if (span_eq(name, buf_span(&s->now.name)))
		return 0;
	struct json_writer w = line_begin(&c->lines, "session_info");
	pi_add_envelope(&w, s, s->now.leaf, timestamp_now());
	json_write_string(&w, "name", name);
	return line_end(&w);
}

/* The members of an entry's line that change. */
struct changes {
	bool id;
	bool parent;
	uint32_t parent_is; /* INDEX_NONE: null */
	bool first_kept;
	uint32_t first_kept_is; /* INDEX_NONE: only the index goes */
	bool hooks;		/* hookMessage becomes custom */
};

static bool is_hook(struct json entry, struct json message)
{
	return json_is(json_get(entry, "type"), SPAN("message")) &&
	       json_is(json_get(message, "role"), SPAN("hookMessage"));
}

/* Write a message with the role hookMessage as custom. */
static void add_renamed(struct buf *out, struct json message)
{
	static const struct json_change role = { "role", SPAN("\"custom\"") };
	json_rewrite(out, message, &role, 1);
}

/* Write an entry's line with changes; all else keeps its bytes. */
static void add_changed(struct buf *out, const struct session *s,
			uint32_t entry, struct json json,
			const struct changes *c)
{
	enum { ID, PARENT, ANCHOR, HOOK, VALUES };
	static const char *const keys[] = {
		[ID] = "id",
		[PARENT] = "parentId",
		[ANCHOR] = "firstKeptEntryId",
		[HOOK] = "message",
	};
	struct buf values[VALUES] = { 0 };
	struct json_change members[VALUES + 1];
	struct json message = json_get(json, "message");
	size_t n = 0;
	if (c->id)
		line_quote_id(&values[ID], s, entry);
	if (c->parent)
		line_quote_id(&values[PARENT], s, c->parent_is);
	if (c->first_kept && c->first_kept_is != INDEX_NONE)
		line_quote_id(&values[ANCHOR], s, c->first_kept_is);
	if (c->hooks && is_hook(json, message))
		add_renamed(&values[HOOK], message);
	for (int i = 0; i < VALUES; i++) {
		buf_inherit(out, &values[i]);
		if (values[i].len > 0)
			members[n++] =
				(struct json_change){ keys[i],
						      buf_span(&values[i]) };
	}
	if (c->first_kept)
		members[n++] = (struct json_change){ "firstKeptEntryIndex",
						     { "", 0 } };
	line_add_changed(out, json, members, n);
	for (int i = 0; i < VALUES; i++)
		buf_free(&values[i]);
}

struct fork {
	const struct session *s;
	const struct fork_rules *rules;
	struct path path;
	bool *anchors;	/* by entry, where they stay: a compaction names it */
	bool *on_path;	/* by entry: on the path, and not dropped */
	uint32_t *next; /* by entry: see find_next() */
	bool book_kept;
	struct buf line;
	struct buf *out;
};

static bool is_book(const struct fork *f, uint32_t entry)
{
	enum entry_type type = session_entry(f->s, entry)->type;
	return type == ENTRY_LABEL || (f->rules->leaves && type == ENTRY_HEAD);
}

static bool is_dropped(const struct fork *f, uint32_t entry)
{
	return is_book(f, entry) && !(f->anchors && f->anchors[entry]);
}

/*
 * The entry that replaces an anchor which was left out: the next one on the
 * path that stays, or the compaction itself, which is at `place`.
 */
static uint32_t staying(const struct fork *f, uint32_t anchor, uint32_t place)
{
	if (anchor == INDEX_NONE || !is_dropped(f, anchor) ||
	    f->next[anchor] == INDEX_NONE || f->next[anchor] > place)
		return anchor;
	return f->path.list[f->next[anchor]];
}

/* For each entry on the path: its place, or that of the next one that stays. */
static int find_next(struct fork *f)
{
	uint32_t n = f->s->now.index.n;
	uint32_t next = INDEX_NONE;
	f->next = malloc(n * sizeof(*f->next));
	if (!f->next)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		f->next[i] = INDEX_NONE;
	for (uint32_t i = f->path.n; i-- > 0;) {
		uint32_t entry = f->path.list[i];
		if (!is_dropped(f, entry))
			next = i;
		f->next[entry] = next;
	}
	return 0;
}

/* An anchor in version 1 is an index. Pi converts it if it is a number. */
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
	/* A root's parent may be missing or ""; in a fork it is null. */
	bool odd_root = parent == INDEX_NONE &&
			json_type(json_get(json, "parentId")) != JSON_NULL;
	struct changes c = {
		.id = s->now.linear,
		.parent = s->now.linear || odd_root || parent != e->parent,
		.parent_is = parent,
		.hooks = s->now.version < 3 && e->type == ENTRY_MESSAGE,
	};
	if (e->type == ENTRY_COMPACTION) {
		uint32_t anchor = pi_first_kept(s, entry, json);
		c.first_kept_is = staying(f, anchor, place);
		c.first_kept = s->now.linear ? has_index(json)
					     : c.first_kept_is != anchor;
	}
	if (c.id || c.parent || c.first_kept || c.hooks) {
		add_changed(f->out, s, entry, json, &c);
	} else {
		line_add(f->out, json);
	}
	return 0;
}

void pi_add_fork(struct json_writer *w, const struct session *s, uint32_t entry)
{
	struct buf name = { 0 };
	struct buf id = { 0 };
	struct buf cwd = { 0 };
	buf_adds(&name, "branch ");
	buf_add(&name, index_id(&s->now.index, entry));
	const struct id_space space = pi_id_space(s);
	ids_derive_uuid(&space, &id, buf_span(&name));
	buf_inherit(&id, &name);
	json_decode(&cwd, session_header(s, "cwd"));

	int64_t time = session_entry(s, entry)->time;
	if (time == TIMESTAMP_NONE)
		time = timestamp_parse(session_header(s, "timestamp"));
	json_write_string_buf(w, "id", &id);
	if (time != TIMESTAMP_NONE)
		line_add_time(w, "timestamp", time);
	json_write_string_buf(w, "cwd", &cwd);
	json_write_word(w, "parentSession", s->log.path);
	buf_free(&name);
	buf_free(&id);
	buf_free(&cwd);
}

static int fork_header(const struct fork *f, uint32_t entry)
{
	struct json metadata = session_header(f->s, "metadata");
	struct json_writer w = line_begin(f->out, "session");
	json_write_number(&w, "version", 3);
	pi_add_fork(&w, f->s, entry);
	if (f->rules->metadata && json_type(metadata) == JSON_OBJECT)
		json_write_value(&w, "metadata", metadata);
	return line_end(&w);
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
	const struct id_space space = pi_id_space(s);
	ids_derive(s, &space, &id, buf_span(&name));
	buf_inherit(&id, &name);

	struct json_writer w = line_begin(f->out, "label");
	json_write_string_buf(&w, "id", &id);
	json_write_string_buf(&w, "parentId", parent);
	json_write_string(&w, "targetId", target);
	if (l->text != LABEL_NONE)
		json_write_string(&w, "label", label_text(labels, l));
	int err = line_add_label_time(&w, s, l);
	if (!err)
		err = line_end(&w);
	buf_clear(parent);
	buf_add(parent, buf_span(&id));
	buf_free(&name);
	buf_free(&id);
	return err ? err : buf_error(parent);
}

/* Write the labels on the path, in the order in which they were set. */
static int fork_labels(struct fork *f, uint32_t last)
{
	const struct contents *c = &f->s->now;
	const struct label **list;
	uint32_t n;
	/* A line that stays may set a label which is cleared now. */
	int err = labels_on(&c->labels, f->on_path, f->book_kept, &list, &n);
	if (err)
		return err;
	struct buf parent = { 0 };
	buf_add(&parent, index_id(&c->index, last));
	err = buf_error(&parent);
	for (uint32_t i = 0; i < n && !err; i++)
		err = fork_label(f, list[i], &parent);
	buf_free(&parent);
	free(list);
	return err;
}

/* Find the anchors of the compactions on the path. */
static int find_anchors(struct fork *f)
{
	const struct session *s = f->s;
	bool *seen = calloc(s->now.index.n, sizeof(*seen));
	f->anchors = calloc(s->now.index.n, sizeof(*f->anchors));
	int err = seen && f->anchors ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < f->path.n && !err; i++) {
		uint32_t at = f->path.list[i];
		struct json json;
		seen[at] = true;
		if (session_entry(s, at)->type != ENTRY_COMPACTION)
			continue;
		err = session_read(s, at, &f->line, &json);
		uint32_t anchor = err ? INDEX_NONE : pi_first_kept(s, at, json);
		if (anchor != INDEX_NONE && seen[anchor])
			f->anchors[anchor] = true;
	}
	free(seen);
	return err;
}

static int fork_path(struct fork *f, uint32_t *last)
{
	int err = 0;
	*last = INDEX_NONE;
	for (uint32_t i = 0; i < f->path.n && !err; i++) {
		uint32_t at = f->path.list[i];
		if (is_dropped(f, at))
			continue;
		err = fork_entry(f, i, *last);
		f->on_path[at] = true;
		f->book_kept = f->book_kept || is_book(f, at);
		*last = at;
	}
	return err;
}

int pi_fork(const struct session *s, uint32_t entry,
	    const struct fork_rules *rules, struct buf *out)
{
	struct fork f = { .s = s, .rules = rules, .out = out };
	uint32_t last = INDEX_NONE;
	int err = path_load(&f.path, s, entry);
	if (!err && rules->anchors_stay)
		err = find_anchors(&f);
	if (!err)
		err = find_next(&f);
	if (!err) {
		f.on_path = calloc(s->now.index.n, sizeof(*f.on_path));
		err = f.on_path ? fork_header(&f, entry) : -ENOMEM;
	}
	if (!err)
		err = fork_path(&f, &last);
	if (!err && last != INDEX_NONE)
		err = fork_labels(&f, last);
	path_free(&f.path);
	free(f.anchors);
	free(f.next);
	free(f.on_path);
	buf_free(&f.line);
	return err ? err : buf_error(out);
}

int pi_branch(const struct session *s, uint32_t entry, struct buf *out)
{
	static const struct fork_rules rules = { 0 };
	return pi_fork(s, entry, &rules, out);
}

bool pi_needs_migration(const struct session *s)
{
	return s->now.version < 2;
}

static void migrate_header(struct buf *out, struct json header)
{
	struct json_walk members = json_walk(header);
	struct json key;
	struct json value;
	struct json_writer w = line_begin(out, "session");
	json_write_number(&w, "version", 3);
	while (json_next_member(&members, &key, &value)) {
		if (!json_is(key, SPAN("type")) &&
		    !json_is(key, SPAN("version")))
			json_write_member(&w, key, value);
	}
	line_end(&w);
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
		c.first_kept_is = pi_first_kept(s, entry, json);
	add_changed(out, s, entry, json, &c);
}

static void migrate_line(const struct session *s, uint32_t entry,
			 struct json line, struct buf *out)
{
	const struct changes hooks = { .hooks = true };
	if (json_is(json_get(line, "type"), SPAN("session")))
		migrate_header(out, line);
	else if (entry != INDEX_NONE)
		migrate_linear(s, entry, line, out);
	else if (is_hook(line, json_get(line, "message")))
		add_changed(out, s, INDEX_NONE, line, &hooks);
	else
		line_add(out, line);
}

int pi_migrate(const struct session *s, struct buf *out)
{
	return rewrite_file(s, migrate_line, out);
}
