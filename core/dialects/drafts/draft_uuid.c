/*
 * The uuid draft: entries, with the header, have a `uuid`, and `parentUuid` is
 * that of their parent. The last entry is the leaf.
 *
 * Version 1 is linear and as in Pi: the ids of its entries, with the header,
 * are derived from line numbers (pi/ingest.h).
 */

#include "core/dialects/drafts/draft.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/pi/branch.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/ingest.h"
#include "core/dialects/pi/show.h"
#include "core/dialects/pi/v1.h"
#include "core/dialects/pi/write.h"
#include "core/json/timestamp.h"

#define DRAFT_VERSION 2

enum field { TYPE, UUID, PARENT, TIMESTAMP, TARGET, LABEL, FIELDS };

static const char *const field_names[FIELDS] = {
	[TYPE] = "type",	 [UUID] = "uuid",
	[PARENT] = "parentUuid", [TIMESTAMP] = "timestamp",
	[TARGET] = "targetUuid", [LABEL] = "label",
};

static bool is_uuid(struct json v)
{
	return json_type(v) == JSON_STRING && json_truthy(v);
}

static bool is_header(struct json line)
{
	return json_is(json_get(line, "type"), SPAN("session"));
}

static const char *claims(struct json line)
{
	bool placed = json_type(json_get(line, "version")) == JSON_NUMBER ||
		      json_type(json_get(line, "parentUuid")) != JSON_ABSENT;
	bool is_ours = is_header(line) && is_uuid(json_get(line, "uuid"));
	return is_ours && placed ? "a header with a uuid" : NULL;
}

/* Reading. */

/* The header is now.header and also an entry. */
static int note_header(struct session *s, struct json line,
		       const struct line_place *at)
{
	struct contents *c = &s->now;
	if (c->header.len > 0)
		return 0;
	c->version = pi_version(json_get(line, "version"));
	s->now.linear = c->version < DRAFT_VERSION && c->index.n == 0 &&
			!is_uuid(json_get(line, "uuid"));
	return pi_note_header(s, line, at);
}

static int add_entry(struct session *s, const struct json f[FIELDS],
		     const struct line_place *at)
{
	struct index_line l = { .time = timestamp_parse(f[TIMESTAMP]),
				.type = draft_type(f[TYPE]) };
	uint32_t entry;
	int err = s->now.linear ? pi_ingest_linear(s, &l, at, &entry)
				: ingest_named_entry(s, f[UUID], f[PARENT], &l,
						     at, &entry);
	if (!err && entry != INDEX_NONE && l.type == ENTRY_LABEL)
		err = ingest_label(s, f[TARGET], f[LABEL], l.time, at);
	return err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	struct json f[FIELDS];
	int err = 0;
	if (ingest_skips(s, line, at))
		return 0;
	json_get_all(line, FIELDS, field_names, f);
	if (json_is(f[TYPE], SPAN("session")))
		err = note_header(s, line, at);
	if (err)
		return err;
	if (is_uuid(f[UUID]) ||
	    (s->now.linear && json_type(line) == JSON_OBJECT)) {
		err = add_entry(s, f, at);
	} else {
		ingest_no_entry(s, at);
		err = pi_skip(s);
	}
	pi_count(s);
	return err;
}

static uint32_t first_kept(const struct session *s, uint32_t entry,
			   struct json compaction)
{
	if (s->now.linear)
		return pi_first_kept(s, entry, compaction);
	return ingest_find_id(s, json_get(compaction, "firstKeptEntryUuid"));
}

static int context(const struct session *s, const struct path *p,
		   struct messages *to)
{
	return draft_context(s, p, first_kept, to);
}

/* Writing. */

/* The new values of a line, as JSON. An empty value leaves the old one. */
struct rewriting {
	struct buf uuid;
	struct buf parent;
	struct buf kept; /* firstKeptEntryUuid of a compaction */
	bool header;	 /* a header, which gets the new version */
	bool by_index;	 /* a compaction with firstKeptEntryIndex */
};

/* Append the line with the new values, and free those. */
static void add_rewritten(struct buf *out, struct json line,
			  struct rewriting *r)
{
	static const char *const index = "firstKeptEntryIndex";
	struct json_change changes[5];
	size_t n = 0;
	bool anchored =
		r->by_index && json_type(json_get(line, index)) != JSON_ABSENT;
	if (r->uuid.len > 0)
		changes[n++] =
			(struct json_change){ "uuid", buf_span(&r->uuid) };
	if (r->parent.len > 0)
		changes[n++] = (struct json_change){ "parentUuid",
						     buf_span(&r->parent) };
	if (r->header)
		changes[n++] = (struct json_change){ "version", SPAN("2") };
	if (anchored)
		changes[n++] = (struct json_change){ index, { 0 } };
	if (anchored || r->kept.len > 0)
		changes[n++] = (struct json_change){ "firstKeptEntryUuid",
						     buf_span(&r->kept) };
	if (r->uuid.failed || r->parent.failed || r->kept.failed)
		out->failed = true;
	if (n > 0)
		line_add_changed(out, line, changes, n);
	else
		line_add(out, line);
	buf_free(&r->uuid);
	buf_free(&r->parent);
	buf_free(&r->kept);
}

/* The entry of the header, or INDEX_NONE. */
static uint32_t header_entry(const struct session *s)
{
	return s->now.linear ? 0 : ingest_find_id(s, session_header(s, "uuid"));
}

/* Begin an entry of that type below a parent, with a new id and time. */
static struct json_writer begin_entry(struct buf *out, const char *type,
				      const struct session *s, uint32_t parent)
{
	struct buf id = { 0 };
	struct json_writer w = line_begin(out, type);
	ids_new_uuid(s, &id);
	json_write_string_buf(&w, "uuid", &id);
	line_add_id(&w, "parentUuid", s, parent);
	line_add_time(&w, "timestamp", timestamp_now());
	buf_free(&id);
	return w;
}

static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	/* The place before the first message is the header. */
	if (target == INDEX_NONE)
		target = header_entry(s);
	if (target == session_head(s))
		return 0;
	struct json_writer w = begin_entry(&c->lines, "head", s, target);
	return line_end(&w);
}

static int set_label(const struct session *s, uint32_t entry, struct span text,
		     struct change *c)
{
	struct json_writer w = begin_entry(&c->lines, "label", s, s->now.leaf);
	line_add_id(&w, "targetUuid", s, entry);
	if (text.n > 0)
		json_write_string(&w, "label", text);
	return line_end(&w);
}

static int add_line(const struct session *s, struct json line, struct change *c,
		    const char **reason)
{
	struct pi_entry_form form = pi_form(PI_OWNER_DRAFT, PI_FROM_NONE);
	form.id = field_names[UUID];
	form.parent = field_names[PARENT];
	form.anchor = "firstKeptEntryUuid";
	form.target = field_names[TARGET];
	form.new_id = ids_new_uuid;
	return pi_entry_add(s, &form, line, c, reason);
}

/* Branches. Entries keep their uuids, so most lines do not change. */

/* Append an id that is derived from a kind and a name. */
static void derive(struct buf *out, const struct session *s, const char *what,
		   struct span of)
{
	struct buf name = { 0 };
	buf_adds(&name, what);
	buf_add(&name, of);
	const struct id_space space = pi_id_space(s);
	ids_derive_uuid(&space, out, buf_span(&name));
	buf_free_into(&name, out);
}

static void set_above(struct draft_branch *b, struct span id)
{
	buf_clear(&b->above);
	json_quote(&b->above, id);
}

static int branch_header(struct draft_branch *b, uint32_t tip)
{
	const struct index *x = &b->s->now.index;
	struct buf id = { 0 };
	if (b->has_header)
		buf_add(&id, index_id(x, b->path.list[0]));
	else
		derive(&id, b->s, "header ", index_id(x, tip));
	struct json_writer w = line_begin(b->out, "session");
	json_write_number(&w, "version", DRAFT_VERSION);
	json_write_string_buf(&w, "uuid", &id);
	json_write_null(&w, "parentUuid");
	pi_add_fork(&w, b->s, tip);
	set_above(b, buf_span(&id));
	buf_free(&id);
	return line_end(&w);
}

/*
 * The first kept entry of a compaction in a branch. If it is a label, which is
 * left out, it is the next entry.
 */
static uint32_t branch_anchor(const struct draft_branch *b, uint32_t entry,
			      struct json line)
{
	uint32_t anchor = INDEX_NONE;
	if (session_entry(b->s, entry)->type == ENTRY_COMPACTION)
		anchor = first_kept(b->s, entry, line);
	uint32_t place = draft_place(b, anchor);
	return place == INDEX_NONE ? INDEX_NONE : draft_at(b, place);
}

static int branch_entry(struct draft_branch *b, uint32_t entry,
			struct json line)
{
	const struct session *s = b->s;
	const struct entry *e = session_entry(s, entry);
	struct rewriting r = { .by_index = s->now.linear &&
					   e->type == ENTRY_COMPACTION };
	uint32_t above = draft_at(b, b->position - 1);
	uint32_t anchor = branch_anchor(b, entry, line);
	if (s->now.linear)
		json_quote(&r.uuid, index_id(&s->now.index, entry));
	if (s->now.linear || above == INDEX_NONE || above != e->parent)
		buf_add(&r.parent, buf_span(&b->above));
	if (anchor != INDEX_NONE &&
	    (s->now.linear || anchor != first_kept(s, entry, line)))
		json_quote(&r.kept, index_id(&s->now.index, anchor));
	add_rewritten(b->out, line, &r);
	set_above(b, index_id(&s->now.index, entry));
	return buf_error(b->out);
}

static int branch_label(struct draft_branch *b, const struct label *l)
{
	const struct labels *labels = &b->s->now.labels;
	struct span target = label_target(labels, l);
	struct buf id = { 0 };
	derive(&id, b->s, "label ", target);
	struct json_writer w = line_begin(b->out, "label");
	json_write_string_buf(&w, "uuid", &id);
	json_write_buf(&w, "parentUuid", &b->above);
	json_write_string(&w, "targetUuid", target);
	json_write_string(&w, "label", label_text(labels, l));
	int err = line_add_label_time(&w, b->s, l);
	set_above(b, buf_span(&id));
	buf_free(&id);
	return err ? err : line_end(&w);
}

static int branch(const struct session *s, uint32_t entry, struct buf *out)
{
	static const struct draft_branch_lines lines = {
		.header = branch_header,
		.entry = branch_entry,
		.label = branch_label,
	};
	return draft_branch(s, entry, &lines, out);
}

/* Migration. */

static bool needs_migration(const struct session *s)
{
	return s->now.version < DRAFT_VERSION;
}

static void migrate_line(const struct session *s, uint32_t entry,
			 struct json line, struct buf *out)
{
	struct rewriting r = { .header = is_header(line) };
	const struct index *x = &s->now.index;
	if (entry != INDEX_NONE) {
		const struct entry *e = session_entry(s, entry);
		json_quote(&r.uuid, index_id(x, entry));
		line_quote_id(&r.parent, s, e->parent);
		r.by_index = e->type == ENTRY_COMPACTION;
		uint32_t anchor =
			r.by_index ? first_kept(s, entry, line) : INDEX_NONE;
		if (anchor != INDEX_NONE)
			json_quote(&r.kept, index_id(x, anchor));
	}
	add_rewritten(out, line, &r);
}

static int migrate(const struct session *s, struct buf *out)
{
	return rewrite_file(s, migrate_line, out);
}

/* With `version`: migration must not change the content of a header. */
static const char *const envelope[] = { "uuid",	     "parentUuid", "type",
					"timestamp", "version",	   NULL };

static const struct dialect_migration migration = {
	.is_needed = needs_migration,
	.migrate = migrate,
	.backup_suffix = ".v1.bak",
};

static const struct dialect_reading reading = {
	.ingest = ingest,
	.new_state = pi_state_new,
	.free_state = pi_state_free,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD),
};

static const struct dialect_showing showing = {
	.envelope = envelope,
	.role_or_type = pi_role_or_type,
	.read_block = block_read_pi,
	.blocks = draft_blocks,
	.text = pi_text,
	.result = pi_result,
	.preview = pi_preview,
	.meta = pi_meta,
	.usage = pi_usage,
};

static const struct dialect_sending sending = {
	.context = context,
	.branch = branch,
};

static const struct dialect_telling telling = {
	.has_version = true,
	.settings = pi_settings,
};

static const struct dialect_writing writing = {
	.migration = &migration,
	.move_head = move_head,
	.set_label = set_label,
	.add_entry = add_line,
};

static const struct dialect_agent agent = {
	.unopened = ingest_lacks_header,
};

const struct dialect dialect_draft_uuid = {
	.name = "draft-uuid",
	.claims = claims,
	.reading = &reading,
	.showing = &showing,
	.sending = &sending,
	.telling = &telling,
	.writing = &writing,
	.agent = &agent,
};
