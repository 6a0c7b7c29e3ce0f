#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"
#include "core/json/writer.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/session/older.h"
#include "mount/commands/rescue/rescue.h"

/* -- joins */

static int by_line(const void *a, const void *b)
{
	const struct older_place *x = a;
	const struct older_place *y = b;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Entries without a time get that of the one before, or the first there is. */
static void fill_times(struct older *o, int64_t *times)
{
	int64_t time = TIMESTAMP_NONE;
	for (size_t i = 0; i < o->n && time == TIMESTAMP_NONE; i++)
		time = o->list[i].time;
	for (size_t i = 0; i < o->n; i++) {
		if (o->list[i].time != TIMESTAMP_NONE)
			time = o->list[i].time;
		o->list[i].time = time;
		times[o->list[i].entry] = time;
	}
}

int joins_find(struct joins *j, const struct session *s,
	       uint32_t (*side)(const struct session *s, uint32_t entry))
{
	uint32_t n = s->now.index.n;
	struct older o;
	int err = older_begin(&o, n);
	j->to = malloc(((size_t)n + 1) * sizeof(*j->to));
	j->time = malloc(((size_t)n + 1) * sizeof(*j->time));
	if (!j->to || !j->time)
		err = -ENOMEM;
	for (; o.n < n && !err; o.n++) {
		uint32_t i = (uint32_t)o.n;
		const struct entry *e = session_entry(s, i);
		o.list[i] = (struct older_place){ i, side ? side(s, i) : 0,
						  e->time, e->line };
		o.tree[i] = e->parent == INDEX_NONE ? i : e->parent;
	}
	if (!err) {
		qsort(o.list, n, sizeof(*o.list), by_line);
		fill_times(&o, j->time);
		older_sort(&o);
	}
	for (uint32_t i = 0; i < n && !err; i++) {
		const struct entry *e = session_entry(s, i);
		const struct older_place root = { i, side ? side(s, i) : 0,
						  j->time[i], e->line };
		j->to[i] = JOINS_NOT;
		if (!e->orphan && !e->cut)
			continue;
		j->to[i] = older_find(&o, &root, INT64_MIN);
		if (j->to[i] != INDEX_NONE)
			o.tree[i] = j->to[i];
	}
	older_end(&o);
	return err;
}

void joins_free(struct joins *j)
{
	free(j->to);
	free(j->time);
}

/* -- lines */

uint32_t rescue_line_of(const struct rescue *r, uint32_t entry)
{
	return r->salvage.lines[session_entry(r->s, entry)->line - 1];
}

void rescue_report_entry(struct rescue *r, uint32_t entry)
{
	index_add_name(&r->s->now.index, &r->report.text, entry);
}

static void report_join(struct rescue *r, uint32_t entry, struct json parent,
			uint32_t to)
{
	struct buf id BUF_SCOPED = BUF_INTO(&r->report.text);
	rescue_change(&r->report, rescue_line_of(r, entry));
	rescue_report_entry(r, entry);
	if (session_entry(r->s, entry)->cut) {
		buf_adds(&r->report.text, ": parents form a cycle");
	} else {
		json_decode(&id, parent);
		buf_adds(&r->report.text, ": the parent ");
		file_name_add(&r->report.text, buf_span(&id),
			      FILE_NAME_IN_ENTRY);
		buf_adds(&r->report.text, " is missing");
	}
	if (to == INDEX_NONE) {
		buf_adds(&r->report.text, ": nothing is older, made a root\n");
		return;
	}
	buf_adds(&r->report.text, ": joined to ");
	rescue_report_entry(r, to);
	buf_addf(&r->report.text, ", line %u\n", rescue_line_of(r, to));
}

struct changed {
	const char *keys[3];
	struct buf values[3];
	size_t n;
};

/* Another member is changed, to the value that is written. */
static struct json_writer change(struct changed *c, const char *key)
{
	c->keys[c->n] = key;
	return (struct json_writer){ .out = &c->values[c->n++] };
}

/*
 * Is the parent that a line names missing? Then the index may still have linked
 * the entry, where the agent links it. In version 1 of Pi lines name none.
 */
static bool is_missing(const struct rescue *r, uint32_t entry, struct json json)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	const struct index *x = &r->s->now.index;
	struct buf id BUF_SCOPED = { 0 };
	if (!json_is(json_get(json, rules->id), index_id(x, entry)))
		return false;
	json_decode(&id, json_get(json, rules->parent));
	return id.len > 0 && !id.failed &&
	       index_find(x, buf_span(&id)) == INDEX_NONE;
}

static void change_parent(struct rescue *r, uint32_t entry, struct json json,
			  struct changed *c)
{
	const char *key = r->dialect->rescue->parent;
	struct json parent = json_get(json, key);
	uint32_t to = r->joins.to[entry];
	bool named = json_type(parent) == JSON_STRING && json_truthy(parent);
	if (to == JOINS_NOT && is_missing(r, entry, json))
		to = session_entry(r->s, entry)->parent;
	else if (to == JOINS_NOT || !named)
		return;
	struct json_writer w = change(c, key);
	if (to == INDEX_NONE)
		json_write_null(&w, NULL);
	else
		json_write_string(&w, NULL, index_id(&r->s->now.index, to));
	report_join(r, entry, parent, to);
}

static void change_time(struct rescue *r, uint32_t entry, struct changed *c)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct buf time BUF_SCOPED = { 0 };
	if (!rules->needs_time ||
	    session_entry(r->s, entry)->time != TIMESTAMP_NONE ||
	    r->joins.time[entry] == TIMESTAMP_NONE)
		return;
	struct json_writer w = change(c, rules->time);
	timestamp_add(&time, r->joins.time[entry]);
	json_write_string_buf(&w, NULL, &time);
	rescue_change(&r->report, rescue_line_of(r, entry));
	buf_adds(&r->report.text,
		 "no timestamp: given that of the line before\n");
}

/* Append a line of the draft, with an LF. */
static int add_line(struct rescue *r, uint32_t entry, struct span text,
		    struct json json)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct changed c = { .n = 0 };
	struct json_change list[3];
	struct buf *to = &r->out;
	if (rules->leaf_is_last && entry != INDEX_NONE &&
	    entry == r->s->now.leaf)
		to = &r->last;
	if (entry != INDEX_NONE) {
		change_parent(r, entry, json, &c);
		change_time(r, entry, &c);
	}
	if (rules->session &&
	    json_type(json_get(json, rules->session)) == JSON_STRING) {
		struct json_writer w = change(&c, rules->session);
		json_write_string(&w, NULL, buf_span(&r->id));
	}
	for (size_t i = 0; i < c.n; i++)
		list[i] = (struct json_change){ c.keys[i],
						buf_span(&c.values[i]) };
	if (c.n > 0)
		json_splice(to, json, list, c.n);
	else
		buf_add(to, text);
	buf_addc(to, '\n');
	for (size_t i = 0; i < c.n; i++)
		buf_free_into(&c.values[i], to);
	return buf_error(to);
}

/*
 * A line that is no entry, but has the id of a later line. Returns whether the
 * later line is the same, so that this one can go.
 */
static bool is_repeated(struct rescue *r, uint32_t line, struct span text,
			struct json json)
{
	struct buf id = { 0 };
	uint32_t entry = INDEX_NONE;
	json_decode(&id, json_get(json, r->dialect->rescue->id));
	if (id.len > 0 && !id.failed)
		entry = index_find(&r->s->now.index, buf_span(&id));
	buf_free(&id);
	if (entry == INDEX_NONE)
		return false;
	const struct entry *e = session_entry(r->s, entry);
	const char *other = r->salvage.text.data + e->offset;
	bool same = span_eq(text, (struct span){ other, e->length });
	if (same)
		rescue_change(&r->report, line);
	else
		rescue_remark(&r->report, line);
	buf_addf(&r->report.text, "%s line %u: %s\n",
		 same ? "repeated by" : "replaced by the same id on",
		 rescue_line_of(r, entry), same ? "left out" : "kept");
	return same;
}

static int find_entries(struct rescue *r)
{
	uint32_t n = r->salvage.n_lines;
	r->entries = malloc((n ? n : 1) * sizeof(*r->entries));
	if (!r->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		r->entries[i] = INDEX_NONE;
	for (uint32_t i = 0; i < r->s->now.index.n; i++)
		r->entries[session_entry(r->s, i)->line - 1] = i;
	return 0;
}

static int add_lines(struct rescue *r)
{
	struct span rest = buf_span(&r->salvage.text);
	int err = 0;
	for (uint32_t i = 0; i < r->salvage.n_lines && !err; i++) {
		const char *lf = memchr(rest.p, '\n', rest.n);
		struct span text = { rest.p, (size_t)(lf - rest.p) };
		struct json json;
		rest = (struct span){ lf + 1, rest.n - text.n - 1 };
		err = json_check(text, &json);
		if (err)
			break;
		if (r->entries[i] != INDEX_NONE ||
		    !is_repeated(r, r->salvage.lines[i], text, json))
			err = add_line(r, r->entries[i], text, json);
	}
	return err;
}

/* Append the line that comes last, although others follow it. */
static int add_last_line(struct rescue *r)
{
	uint32_t leaf = r->s->now.leaf;
	if (r->last.len > 0 &&
	    session_entry(r->s, leaf)->line < r->salvage.n_lines) {
		rescue_change(&r->report, rescue_line_of(r, leaf));
		rescue_report_entry(r, leaf);
		buf_adds(&r->report.text,
			 ": moved to the end, as the lines after "
			 "it are no entries\n");
	}
	buf_add(&r->out, buf_span(&r->last));
	return buf_error(&r->out);
}

/* Pin the leaf, where lines alone do not make it one. */
static int add_pin(struct rescue *r, uint32_t leaf)
{
	const struct dialect_rescue *rules = r->dialect->rescue;
	struct json_writer w = { .out = &r->out };
	if (!rules->pin || leaf == INDEX_NONE ||
	    (leaf == r->s->now.leaf && r->s->now.index.cycles == 0))
		return 0;
	json_begin_object(&w, NULL);
	rules->pin(&w, r->s, leaf);
	json_write_string(&w, rules->session, buf_span(&r->id));
	json_end_object(&w);
	buf_addc(&r->out, '\n');
	return buf_error(&r->out);
}

int rescue_make_session(struct rescue *r, uint32_t leaf)
{
	int err = joins_find(&r->joins, r->s, r->dialect->rescue->side);
	if (!err)
		err = find_entries(r);
	if (!err)
		err = add_lines(r);
	if (!err)
		err = add_last_line(r);
	return err ? err : add_pin(r, leaf);
}
