/*
 * Version 1 of Pi's sessions, and the hookMessage of version 2, which Pi
 * rewrites when it opens a file.
 *
 * Version 1 is linear (now.linear): entries have no ids and follow each other.
 * They get ids derived from the session's id and the number of the line, which
 * are the same each time; migration writes them into the file. A compaction
 * names the first entry that it keeps by its position among the values, the
 * header being 0.
 */
#include "core/dialects/pi/pi.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/file/feed.h"

void pi_state_clear(void *state)
{
	struct pi_state *p = state;
	free(p->skipped);
}

uint32_t pi_values(const struct session *s)
{
	const struct pi_state *p = s->now.state;
	return p ? p->values : 0;
}

struct id_space pi_id_space(const struct session *s)
{
	const struct pi_state *p = s->now.state;
	return p && p->has_space ? p->space : ids_space(s);
}

int pi_skip(struct session *s)
{
	struct pi_state *p = s->now.state;
	return array_add(&p->skipped, &p->cap_skipped, &p->n_skipped,
			 p->values);
}

void pi_count(struct session *s)
{
	struct pi_state *p = s->now.state;
	p->values++;
}

bool pi_begins_linear(const struct session *s, struct json line)
{
	const struct contents *c = &s->now;
	if (c->index.n > 0 || c->header.len == 0 || c->version >= 2)
		return false;
	struct json id = json_get(line, "id");
	return !json_has_text(id);
}

void pi_note_linear(struct session *s, struct json line)
{
	if (s->now.index.n == 0 && json_type(line) == JSON_OBJECT)
		s->now.linear = pi_begins_linear(s, line);
}

int pi_ingest_linear(struct session *s, struct index_line *l,
		     const struct line_place *at, uint32_t *entry)
{
	const struct index *x = &s->now.index;
	struct buf id BUF_SCOPED = { 0 };
	struct buf parent BUF_SCOPED = { 0 };
	char number[16];
	int n = snprintf(number, sizeof(number), "%u", at->number);
	const struct id_space space = pi_id_space(s);
	ids_derive(s, &space, &id, (struct span){ number, (size_t)n });
	if (x->n > 0)
		buf_add(&parent, index_id(x, x->n - 1));
	l->id = buf_span(&id);
	l->parent = buf_span(&parent);
	*entry = INDEX_NONE;
	return id.failed || parent.failed ? -ENOMEM
					  : ingest_entry(s, l, at, entry);
}

/*
 * The entry that a compaction names by its position among the values, which may
 * be a later one; INDEX_NONE if there is none.
 */
static uint32_t named_first(const struct session *s, struct json compaction)
{
	const struct pi_state *p = s->now.state;
	double place = json_number(json_get(compaction, "firstKeptEntryIndex"));
	if (!p || !(place >= 0) || place >= INDEX_LIMIT ||
	    floor(place) != place)
		return INDEX_NONE;
	uint32_t at = (uint32_t)place;
	uint32_t before =
		(uint32_t)array_search_numbers(p->skipped, p->n_skipped, at);
	if ((before < p->n_skipped && p->skipped[before] == at) ||
	    at - before >= s->now.index.n)
		return INDEX_NONE;
	return at - before;
}

/* Pi migrates in file order: later entries have no id yet. */
static bool is_later(uint32_t named, uint32_t entry)
{
	return named != INDEX_NONE && named > entry;
}

uint32_t pi_linear_first_kept(const struct session *s, uint32_t entry,
			      struct json compaction)
{
	uint32_t at = named_first(s, compaction);
	return is_later(at, entry) ? INDEX_NONE : at;
}

bool pi_is_hook(const struct session *s, struct json role)
{
	return s->now.version < PI_VERSION &&
	       json_is(role, SPAN("hookMessage"));
}

void pi_change_hook(struct line_changes *c, struct json line)
{
	static const struct json_change role = { "role", SPAN("\"custom\"") };
	JSON_FIELDS(f, line, type, message);
	if (json_is(f.type, SPAN("message")) &&
	    json_is(json_get(f.message, "role"), SPAN("hookMessage")))
		json_rewrite(line_change(c, "message"), f.message, &role, 1);
}

/*
 * Pi converts an index only if it is a number. A later entry has the id that
 * its line has, if any.
 */
static int change_first_kept(struct line_changes *c, const struct session *s,
			     uint32_t entry, struct json line,
			     uint32_t first_kept)
{
	static const char name[] = "firstKeptEntryId";
	struct buf later BUF_SCOPED = { 0 };
	struct json json;
	int err = 0;
	if (json_type(json_get(line, "firstKeptEntryIndex")) != JSON_NUMBER)
		return 0;
	uint32_t named = named_first(s, line);
	if (first_kept != INDEX_NONE) {
		line_quote_id(line_change(c, name), s, first_kept);
	} else if (is_later(named, entry)) {
		struct buf *id = line_change(c, name);
		err = session_read(s, named, &later, &json);
		if (!err)
			buf_add(id, json_get(json, "id").raw);
	}
	line_change(c, "firstKeptEntryIndex");
	return err;
}

int pi_change_linear(struct line_changes *c, const struct session *s,
		     uint32_t entry, struct json line, uint32_t parent,
		     uint32_t first_kept)
{
	int err = 0;
	line_quote_id(line_change(c, "id"), s, entry);
	line_quote_id(line_change(c, "parentId"), s, parent);
	if (session_entry(s, entry)->type == ENTRY_COMPACTION)
		err = change_first_kept(c, s, entry, line, first_kept);
	pi_change_hook(c, line);
	return err;
}

/* -- migration */

struct rewriting {
	const struct session *s;
	line_rewriter *line;
	uint32_t next; /* the entry that comes next, in a linear session */
	struct buf *out;
};

static int rewrite_line(void *data, struct span text, uint64_t offset)
{
	struct rewriting *m = data;
	const struct contents *c = &m->s->now;
	struct json json;
	if (offset == 0) {
		size_t n = text.n;
		text = log_skip_bom(text);
		offset += n - text.n;
	}
	int err = json_check(text, &json);
	if (err && err != -EBADMSG)
		return err;
	if (err) {
		line_add(m->out, (struct json){ .raw = text });
		return 0;
	}
	/* Agents write these, the drafts' too, or ignore what is no object;
	   `title` is oh-my-pi's title slot. */
	struct json type = json_get(json, "type");
	if (json_type(json) == JSON_OBJECT && !pi_knows_type(type) &&
	    !JSON_IS(type, "session", "title", "stack_summary", "head"))
		return -EOPNOTSUPP;
	uint32_t entry = INDEX_NONE;
	if (c->linear && m->next < c->index.n &&
	    session_entry(m->s, m->next)->offset == offset)
		entry = m->next++;
	return m->line(m->s, entry, json, m->out);
}

int pi_rewrite_file(const struct session *s, line_rewriter *line,
		    struct buf *out)
{
	struct rewriting m = { .s = s, .line = line, .out = out };
	int err = feed_lines(&s->log, 0, (uint64_t)s->log.st.st_size,
			     rewrite_line, &m);
	/* An entry of the index is not in the file any more. */
	if (!err && s->now.linear && m.next != s->now.index.n)
		err = -ESTALE;
	return err ? err : buf_error(out);
}

static int migrate_line(const struct session *s, uint32_t entry,
			struct json line, struct buf *out)
{
	struct line_changes c = { 0 };
	int err = 0;
	if (json_is(json_get(line, "type"), SPAN("session"))) {
		struct json_writer w = line_begin(out, "session");
		json_write_number(&w, "version", PI_VERSION);
		JSON_EACH_MEMBER(key, value, line) {
			if (!JSON_IS(key, "type", "version"))
				json_write_member(&w, key, value);
		}
		return line_end(&w);
	}
	if (entry == INDEX_NONE)
		pi_change_hook(&c, line);
	else
		err = pi_change_linear(&c, s, entry, line,
				       session_entry(s, entry)->parent,
				       pi_linear_first_kept(s, entry, line));
	line_add_rewritten(out, line, &c);
	return err;
}

static bool needs_migration(const struct session *s)
{
	return s->now.version < 2;
}

static int migrate(const struct session *s, struct buf *out)
{
	return pi_rewrite_file(s, migrate_line, out);
}

const struct dialect_migration pi_migration = {
	.is_needed = needs_migration,
	.migrate = migrate,
};
