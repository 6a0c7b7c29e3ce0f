/*
 * The lines that sessfs appends to sessions of Pi, its relatives and the
 * drafts. For the contracts of the functions see struct dialect_writing.
 *
 * Entries are made from the lines that are written to `append`, as
 * sessfs-mount(7) says under WRITING A SESSION. The members of a line keep
 * their bytes, and missing ones are added after them. A compaction that keeps
 * nothing has its own id for an anchor.
 *
 * Parents and the targets of labels must be entries of the session. The anchor
 * of a compaction and the target of a context edit must be on the path.
 * required_members.c has the other conditions.
 */
#include "core/dialects/pi/pi.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"

void pi_add_envelope(struct json_writer *w, const struct session *s,
		     uint32_t parent, int64_t time)
{
	struct buf id BUF_SCOPED = { 0 };
	ids_new(s, &id);
	json_write_string_buf(w, "id", &id);
	line_add_id(w, "parentId", s, parent);
	line_add_time(w, "timestamp", time);
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

/* Below the leaf; an empty name removes it. */
static int set_name(const struct session *s, struct span name, struct change *c)
{
	name = text_trim(name);
	if (span_eq(name, buf_span(&s->now.name)))
		return 0;
	struct json_writer w = line_begin(&c->lines, "session_info");
	pi_add_envelope(&w, s, s->now.leaf, timestamp_now());
	json_write_string(&w, "name", name);
	return line_end(&w);
}

/* A line that becomes an entry. */
struct making {
	const struct session *s;
	const struct pi_entry_form *form;
	struct json line;
	struct json type; /* absent: it is a message */
	bool copy;
	uint32_t parent;
	int64_t now;
};

/* These return what is wrong with the line, or NULL. */
static const char *read_type(struct making *m)
{
	m->type = json_get(m->line, "type");
	if (json_type(m->type) == JSON_ABSENT)
		return json_type(json_get(m->line, "role")) == JSON_STRING
			       ? NULL
			       : "a line must have a `type` or `role` string";
	if (!json_has_text(m->type))
		return "`type` must be a non-empty string";
	bool header = json_is(m->type, SPAN("session")) ||
		      (json_is(m->type, SPAN("title")) &&
		       json_number(json_get(m->line, "v")) == 1);
	return header ? "headers and titles can't be appended" : NULL;
}

static const char *read_id(struct making *m)
{
	struct json id = { 0 };
	if (m->form->id && json_type(m->type) != JSON_ABSENT)
		id = json_get(m->line, m->form->id);
	m->copy = json_has_text(id);
	return m->copy || json_type(id) == JSON_ABSENT
		       ? NULL
		       : "the id must be a non-empty string, if present";
}

static const char *read_parent(struct making *m)
{
	struct json parent = json_get(m->line, m->form->parent);
	if (m->copy || json_type(parent) == JSON_ABSENT) {
		m->parent = !m->copy && m->form->parent_of
				    ? m->form->parent_of(m->s, m->line)
				    : m->s->now.leaf;
		return NULL;
	}
	m->parent = m->form->find(m->s, parent);
	return m->parent != INDEX_NONE || m->form->is_root(parent)
		       ? NULL
		       : "the parent is not an entry of this session";
}

static const char *time_fault(const struct making *m)
{
	struct json time = json_get(m->line, "timestamp");
	bool given = json_type(m->type) != JSON_ABSENT && !m->copy &&
		     json_type(time) != JSON_ABSENT;
	return given && (!json_is_string(time) ||
			 timestamp_parse(time) == TIMESTAMP_NONE)
		       ? "`timestamp` must look like "
			 "2026-01-31T12:00:00.000Z, if present"
		       : NULL;
}

static bool is(const struct making *m, const char *type)
{
	return json_is(m->type, span_of(type));
}

/* Does a value refer to an entry on the path to the new one? */
static bool is_on_path(const struct making *m, struct json ref)
{
	uint32_t entry = m->form->find(m->s, ref);
	return entry != INDEX_NONE && path_has(m->s, m->parent, entry);
}

/* Does a compaction name itself, because it keeps nothing? */
static bool names_itself(const struct making *m, struct json anchor)
{
	struct buf id BUF_SCOPED = { 0 };
	if (m->copy)
		json_decode(&id, json_get(m->line, m->form->id));
	return m->copy && !id.failed && json_is(anchor, buf_span(&id));
}

/*
 * A compaction by Anthropic names no entry that oh-my-pi keeps, but the last
 * one that is replayed, unless that is the one before it.
 */
static bool names_replayed(const struct making *m)
{
	JSON_FIELDS(f, m->line, firstKeptEntryId, preserveData,
		    providerReplayThroughEntryId);
	struct json native = json_get(f.preserveData, "anthropicCompaction");
	return m->form->owner == PI_OWNER_OMP &&
	       json_is(f.firstKeptEntryId, SPAN("")) &&
	       json_type(native) == JSON_OBJECT &&
	       (!json_truthy(f.providerReplayThroughEntryId) ||
		is_on_path(m, f.providerReplayThroughEntryId));
}

static const char *anchor_fault(const struct making *m)
{
	struct json anchor = json_get(m->line, m->form->anchor);
	if (names_replayed(m))
		return NULL;
	if (json_type(anchor) != JSON_ABSENT)
		return is_on_path(m, anchor) || names_itself(m, anchor)
			       ? NULL
			       : "the first kept entry of the compaction "
				 "is not on the path";
	return m->form->id && json_type(json_get(m->line,
						 "firstKeptEntryIndex")) !=
				       JSON_ABSENT
		       ? "a compaction must name its first kept entry by id"
		       : NULL;
}

/* What is wrong with the references to other entries. */
static const char *reference_fault(const struct making *m)
{
	struct json target = json_get(m->line, m->form->target);
	if (is(m, "compaction"))
		return anchor_fault(m);
	if (is(m, "label"))
		return m->form->find(m->s, target) != INDEX_NONE
			       ? NULL
			       : "the label's target is not an entry of this "
				 "session";
	if (is(m, "context_edit") && m->form->owner == PI_OWNER_PI)
		return is_on_path(m, target)
			       ? NULL
			       : "the context_edit's target is not on the path";
	return NULL;
}

static const char *fault(struct making *m)
{
	const char *reason = read_type(m);
	if (!reason)
		reason = read_id(m);
	if (!reason)
		reason = read_parent(m);
	if (!reason)
		reason = time_fault(m);
	if (!reason && json_type(m->type) == JSON_ABSENT)
		return pi_message_fault(m->line, m->form->owner);
	if (!reason && session_turns(m->s, m->line))
		reason = "this type of entry belongs to another agent of the "
			 "family";
	if (!reason)
		reason = pi_entry_fault(m->line, m->form->owner);
	return reason ? reason : reference_fault(m);
}

static bool lacks(const struct making *m, const char *key)
{
	return json_type(json_get(m->line, key)) == JSON_ABSENT;
}

/* The references that an entry of some types has, if its line lacks them. */
static void add_references(struct line_changes *c, const struct making *m,
			   struct span id)
{
	uint32_t from =
		m->form->from == PI_FROM_LEAF ? m->s->now.leaf : m->parent;
	if (is(m, "branch_summary") && m->form->from != PI_FROM_NONE &&
	    lacks(m, "fromId")) {
		struct buf *out = line_change(c, "fromId");
		if (from == INDEX_NONE)
			buf_adds(out, "\"root\"");
		else
			m->form->quote(out, m->s, from);
	}
	if (is(m, "compaction") && m->form->id && lacks(m, m->form->anchor))
		json_quote(line_change(c, m->form->anchor), id);
}

/* A message line without its parent member, and with a time. */
static void add_message(struct buf *out, const struct making *m)
{
	struct json_change changes[2];
	size_t n = 0;
	struct buf time BUF_SCOPED = BUF_INTO(out);
	if (lacks(m, "timestamp")) {
		timestamp_add_ms(&time, m->now);
		changes[n++] =
			(struct json_change){ "timestamp", buf_span(&time) };
	}
	if (lacks(m, m->form->parent)) {
		json_splice(out, m->line, changes, n);
	} else {
		changes[n++] =
			(struct json_change){ m->form->parent, { "", 0 } };
		json_rewrite(out, m->line, changes, n);
	}
}

/* A message is put into an entry that is empty at first. */
static int add_line(struct buf *out, const struct making *m)
{
	static const struct json empty = { .raw = SPAN(
						   "{\"type\":\"message\"}") };
	bool is_message = json_type(m->type) == JSON_ABSENT;
	struct line_changes c = { 0 };
	struct buf id BUF_SCOPED = BUF_INTO(out);
	if (m->form->id) {
		m->form->new_id(m->s, &id);
		json_quote(line_change(&c, m->form->id), buf_span(&id));
	}
	if (is_message || m->copy || lacks(m, m->form->parent))
		m->form->quote(line_change(&c, m->form->parent), m->s,
			       m->parent);
	if (is_message || (!m->copy && lacks(m, "timestamp")))
		line_quote_time(line_change(&c, "timestamp"), m->now);
	if (is_message)
		add_message(line_change(&c, "message"), m);
	else if (!m->copy)
		add_references(&c, m, buf_span(&id));
	line_add_spliced(out, is_message ? empty : m->line, &c);
	return buf_error(out);
}

int pi_entry_add(const struct session *s, const struct pi_entry_form *form,
		 struct json line, struct change *c, const char **reason)
{
	struct making m = {
		.s = s, .form = form, .line = line, .now = timestamp_now()
	};
	*reason = fault(&m);
	if (*reason)
		return -EINVAL;
	int err = path_is_cut(s, m.parent) ? -ELOOP : 0;
	if (!err && form->check)
		err = form->check(s, m.parent);
	return err ? err : add_line(&c->lines, &m);
}

static bool is_null(struct json parent)
{
	return json_type(parent) == JSON_NULL;
}

struct pi_entry_form pi_form(enum pi_owner owner, enum pi_from from)
{
	return (struct pi_entry_form){
		.owner = owner,
		.from = from,
		.id = "id",
		.parent = "parentId",
		.anchor = "firstKeptEntryId",
		.target = "targetId",
		.new_id = ids_new,
		.find = ingest_find_id,
		.is_root = is_null,
		.quote = line_quote_id,
	};
}

static int add_entry(const struct session *s, struct json line,
		     struct change *c, const char **reason)
{
	const struct pi_entry_form form = pi_form(PI_OWNER_PI, PI_FROM_LEAF);
	return pi_entry_add(s, &form, line, c, reason);
}

const struct dialect_writing pi_writing = {
	.migration = &pi_migration,
	.move_head = pi_move_head,
	.set_label = pi_set_label,
	.add_entry = add_entry,
	.set_name = set_name,
};
