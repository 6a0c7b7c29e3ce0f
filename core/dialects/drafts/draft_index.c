/*
 * The index draft: the id of an entry is its position, and `parent` is the
 * position of its parent. The header is at 0, and its parent is -1. The last
 * entry is the leaf. `head` entries give names to branches.
 *
 * Every line that is not blank has a position, even if it is not an entry, so
 * that a bad line does not move the positions of later ones.
 *
 * The linear form has no parents: the parent of an entry is the one before it.
 */
#include <errno.h>
#include <math.h>

#include "core/dialects/drafts/draft.h"
#include "core/dialects/kit/compacted.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/pi/pi.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"

/* The parent of an entry with an invalid `parent`. No entry has this id. */
#define NOWHERE "nowhere"

static const char *claims(struct json line)
{
	JSON_FIELDS(f, line, type, parent, version, id, cwd);
	bool is_ours = json_is(f.type, SPAN("session")) &&
		       json_number(f.parent) == -1 &&
		       json_type(f.version) == JSON_ABSENT &&
		       json_is_string(f.id) && json_is_string(f.cwd);
	return is_ours ? "a header with a position for its parent" : NULL;
}

/* -- reading */

/* Append the id for a position; false if v is not a position. */
static bool add_position(struct buf *out, struct json v)
{
	double d = json_number(v);
	bool ok = d >= 0 && d < INDEX_LIMIT && floor(d) == d;
	if (ok)
		buf_addf(out, "%u", (unsigned)d);
	return ok;
}

/* Append the id of the parent; nothing for a root. */
static void add_parent(struct buf *out, const struct session *s,
		       struct json parent)
{
	const struct index *x = &s->now.index;
	if (s->now.linear && x->n > 0)
		buf_add(out, index_id(x, x->n - 1));
	else if (!s->now.linear && !js_is_nullish(parent) &&
		 json_number(parent) != -1 && !add_position(out, parent))
		buf_adds(out, NOWHERE);
}

/*
 * In the tree form, the parent of a compaction is where its context begins, so
 * it is a summary like others. One with firstKeptEntryIndex is from the linear
 * form, where it follows the entries that it keeps.
 */
static enum entry_type type_of(struct json line, struct json type)
{
	enum entry_type t = draft_type(type);
	bool in_line =
		json_type(json_get(line, "firstKeptEntryIndex")) == JSON_NUMBER;
	return t == ENTRY_COMPACTION && !in_line ? ENTRY_BRANCH_SUMMARY : t;
}

static int note_header(struct session *s, struct json line, struct json parent,
		       const struct line_place *at)
{
	struct contents *c = &s->now;
	if (c->header.len > 0)
		return 0;
	s->now.linear = c->index.n == 0 && json_type(parent) != JSON_NUMBER &&
			json_type(json_get(line, "version")) == JSON_ABSENT;
	return pi_note_header(s, line, at);
}

/* A label's target is a position too. */
static int note_label(struct session *s, struct json at_position,
		      struct json label, int64_t time,
		      const struct line_place *at)
{
	struct buf position BUF_SCOPED = { 0 };
	struct buf target BUF_SCOPED = { 0 };
	bool ok = add_position(&position, at_position);
	json_quote(&target, buf_span(&position));
	int err = position.failed || target.failed ? -ENOMEM : 0;
	if (!err && ok)
		err = ingest_label(s, (struct json){ .raw = buf_span(&target) },
				   label, time, at);
	return err;
}

static int add_entry(struct session *s, struct json line,
		     const struct line_place *at)
{
	struct buf id BUF_SCOPED = { 0 };
	struct buf parent BUF_SCOPED = { 0 };
	struct buf name BUF_SCOPED = { 0 };
	JSON_FIELDS(f, line, type, parent, timestamp, target, label, name);
	struct index_line l = { .time = timestamp_parse(f.timestamp),
				.type = type_of(line, f.type) };
	buf_addf(&id, "%u", pi_values(s));
	add_parent(&parent, s, f.parent);
	l.id = buf_span(&id);
	l.parent = buf_span(&parent);
	uint32_t entry = INDEX_NONE;
	int err = buf_error(&id) || buf_error(&parent) ? -ENOMEM : 0;
	if (!err)
		err = ingest_entry(s, &l, at, &entry);
	if (err || entry == INDEX_NONE)
		return err;
	if (l.type == ENTRY_LABEL)
		return note_label(s, f.target, f.label, l.time, at);
	if (l.type == ENTRY_HEAD)
		json_decode(&name, f.name);
	err = buf_error(&name);
	return !err && name.len > 0
		       ? heads_set(&s->now.heads, buf_span(&name), entry)
		       : err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	JSON_FIELDS(f, line, type, parent);
	int err = 0;
	if (json_is(f.type, SPAN("session")))
		err = note_header(s, line, f.parent, at);
	if (err)
		return err;
	if (json_is_string(f.type) || json_type(f.parent) == JSON_NUMBER)
		err = add_entry(s, line, at);
	else if (json_type(line) != JSON_ABSENT)
		ingest_no_entry(s, at);
	pi_count(s);
	return err;
}

/* The entry at a position, INDEX_NONE if none is there. */
static uint32_t find(const struct session *s, struct json position)
{
	struct buf id BUF_SCOPED = { 0 };
	uint32_t found = INDEX_NONE;
	if (add_position(&id, position))
		found = index_find(&s->now.index, buf_span(&id));
	return found;
}

/* Contexts. The linear form names the first kept entry by its position. */
static uint32_t first_kept(const struct session *s, uint32_t entry,
			   struct json compaction)
{
	(void)entry;
	return find(s, json_get(compaction, "firstKeptEntryIndex"));
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	static const struct compaction_rules rules = {
		.first_kept = first_kept,
		.messages = draft_messages,
	};
	return compacted_context(s, p, &rules, to);
}

/* -- writing */

/* Append the position of an entry; -1 for INDEX_NONE. */
static void quote(struct buf *out, const struct session *s, uint32_t entry)
{
	if (entry == INDEX_NONE)
		buf_adds(out, "-1");
	else
		buf_add(out, index_id(&s->now.index, entry));
}

/* The name in the last head that has one, else "main". */
static struct span last_name(const struct session *s)
{
	const struct heads *h = &s->now.heads;
	const struct named_head *last = NULL;
	for (uint32_t i = 0; i < h->n; i++) {
		if (!last || h->list[i].entry > last->entry)
			last = &h->list[i];
	}
	return last ? heads_name(h, last) : SPAN("main");
}

/*
 * -ELOOP if the path to an entry begins below a position after the end of the
 * file: a new entry could become its own ancestor.
 */
static int check_path(const struct session *s, uint32_t entry)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	uint32_t root = path_root(s, entry);
	if (root == INDEX_NONE || !session_entry(s, root)->orphan)
		return 0;
	int err = session_read(s, root, &line, &json);
	if (!err && json_number(json_get(json, "parent")) >= pi_values(s))
		err = -ELOOP;
	return err;
}

static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	/* The place before the first message is the header. */
	if (target == INDEX_NONE)
		target = index_find(&s->now.index, SPAN("0"));
	if (target == session_head(s))
		return 0;
	int err = check_path(s, target);
	if (err)
		return err;
	struct json_writer w = line_begin(&c->lines, "head");
	quote(json_begin_value(&w, "parent"), s, target);
	json_write_string(&w, "name", last_name(s));
	return line_end(&w);
}

static int set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	int err = check_path(s, s->now.leaf);
	if (err)
		return err;
	struct json_writer w = line_begin(&c->lines, "label");
	quote(json_begin_value(&w, "parent"), s, s->now.leaf);
	quote(json_begin_value(&w, "target"), s, entry);
	if (text.n > 0)
		json_write_string(&w, "label", text);
	return line_end(&w);
}

static bool is_root(struct json parent)
{
	return json_number(parent) == -1;
}

/* The parent of a compaction that keeps no entries is the header. */
static uint32_t parent_of(const struct session *s, struct json line)
{
	bool sums_up =
		json_is(json_get(line, "type"), SPAN("compaction")) &&
		json_type(json_get(line, "firstKeptEntryIndex")) == JSON_ABSENT;
	return sums_up ? index_find(&s->now.index, SPAN("0")) : s->now.leaf;
}

/* Entries have no ids, so the parent of a copied line stays. */
static int add_line(const struct session *s, struct json line, struct change *c,
		    const char **reason)
{
	struct pi_entry_form form = pi_form(PI_OWNER_DRAFT, PI_FROM_NONE);
	form.id = NULL;
	form.parent = "parent";
	form.anchor = "firstKeptEntryIndex";
	form.target = "target";
	form.find = find;
	form.is_root = is_root;
	form.quote = quote;
	form.check = check_path;
	form.parent_of = parent_of;
	return pi_entry_add(s, &form, line, c, reason);
}

/* -- branches: entries get new positions, and references to them change */

static int branch_header(struct branch *b, uint32_t tip)
{
	struct json_writer w = line_begin(b->out, "session");
	json_write_number(&w, "parent", -1);
	pi_add_fork(&w, b->s, tip, b->nth);
	return line_end(&w);
}

/* Append the positions of those summarised entries that are in the branch. */
static void add_summarized(struct buf *out, const struct branch *b,
			   struct json list)
{
	struct json_writer w = { .out = out };
	json_begin_array(&w, NULL);
	JSON_EACH(v, list) {
		uint32_t place = branch_place(b, find(b->s, v));
		if (place != INDEX_NONE)
			json_write_number(&w, NULL, place);
	}
	json_end_array(&w);
}

static int branch_entry(struct branch *b, uint32_t entry, struct json line)
{
	struct line_changes c = { 0 };
	JSON_FIELDS(f, line, summarizedPath, firstKeptEntryIndex);
	buf_addf(line_change(&c, "parent"), "%u", b->position - 1);
	if (json_type(f.summarizedPath) == JSON_ARRAY)
		add_summarized(line_change(&c, "summarizedPath"), b,
			       f.summarizedPath);
	if (session_entry(b->s, entry)->type == ENTRY_COMPACTION) {
		uint32_t place =
			branch_place(b, find(b->s, f.firstKeptEntryIndex));
		/* At its own position, it keeps nothing. */
		buf_addf(line_change(&c, "firstKeptEntryIndex"), "%u",
			 place < b->position ? place : b->position);
	}
	line_add_rewritten(b->out, line, &c);
	return buf_error(b->out);
}

static int branch_label(struct branch *b, const struct label *l)
{
	struct json_writer w = line_begin(b->out, "label");
	json_write_number(&w, "parent", b->position - 1);
	json_write_number(&w, "target", branch_place(b, l->entry));
	json_write_string(&w, "label", label_text(&b->s->now.labels, l));
	int err = line_add_label_time(&w, b->s, l);
	return err ? err : line_end(&w);
}

static int branch(const struct session *s, uint32_t entry, unsigned nth,
		  struct buf *out)
{
	static const struct branch_rules rules = {
		.header_is_entry = true,
		.header = branch_header,
		.entry = branch_entry,
		.label = branch_label,
	};
	return branch_write(s, entry, nth, &rules, out);
}

/* -- migration: entries of the linear form get parents */

static bool needs_migration(const struct session *s)
{
	return s->now.linear;
}

static int migrate_line(const struct session *s, uint32_t entry,
			struct json line, struct buf *out)
{
	struct line_changes c = { 0 };
	if (entry != INDEX_NONE)
		quote(line_change(&c, "parent"), s,
		      session_entry(s, entry)->parent);
	line_add_rewritten(out, line, &c);
	return 0;
}

static int migrate(const struct session *s, struct buf *out)
{
	return pi_rewrite_file(s, migrate_line, out);
}

static const struct dialect_migration migration = {
	.is_needed = needs_migration,
	.migrate = migrate,
};

static const struct dialect_reading reading = {
	.ingest = ingest,
	.state_size = sizeof(struct pi_state),
	.clear_state = pi_state_clear,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD),
};

static const struct dialect_sending sending = {
	.context = context,
	.branch = branch,
};

static const struct dialect_writing writing = {
	.ids_are_places = true,
	.migration = &migration,
	.move_head = move_head,
	.set_label = set_label,
	.add_entry = add_line,
};

const struct dialect dialect_draft_index = {
	.name = "draft-index",
	.claims = claims,
	.reading = &reading,
	.showing = &draft_showing,
	.sending = &sending,
	.telling = &pi_telling,
	.writing = &writing,
	.agent = &draft_agent,
	.adding = &pi_adding,
	.touching = &pi_touching,
	.filing = &pi_filing,
};
