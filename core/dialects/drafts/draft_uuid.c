/*
 * The uuid draft: entries, with the header, have a `uuid`, and `parentUuid` is
 * that of their parent. The last entry is the leaf.
 *
 * Version 1 is linear and as in Pi: the ids of its entries, with the header,
 * are derived from line numbers (pi/v1.c).
 */

#include "core/dialects/drafts/draft.h"
#include "core/dialects/kit/compacted.h"
#include "core/dialects/kit/ids.h"
#include "core/dialects/kit/line.h"
#include "core/dialects/pi/pi.h"
#include "core/json/timestamp.h"

#define DRAFT_VERSION 2

static const char *claims(struct json line)
{
	JSON_FIELDS(f, line, type, uuid, version, parentUuid);
	bool placed = json_type(f.version) == JSON_NUMBER ||
		      json_type(f.parentUuid) != JSON_ABSENT;
	bool is_ours =
		json_is(f.type, SPAN("session")) && json_has_text(f.uuid);
	return is_ours && placed ? "a header with a uuid" : NULL;
}

/* -- reading */

/* The header is now.header and also an entry. */
static int note_header(struct session *s, struct json line,
		       const struct line_place *at)
{
	struct contents *c = &s->now;
	if (c->header.len > 0)
		return 0;
	c->version = pi_version(json_get(line, "version"));
	s->now.linear = c->version < DRAFT_VERSION && c->index.n == 0 &&
			!json_has_text(json_get(line, "uuid"));
	return pi_note_header(s, line, at);
}

static int add_entry(struct session *s, struct json line,
		     const struct line_place *at)
{
	JSON_FIELDS(f, line, type, uuid, parentUuid, timestamp, targetUuid,
		    label);
	struct index_line l = { .time = timestamp_parse(f.timestamp),
				.type = draft_type(f.type) };
	uint32_t entry;
	int err = s->now.linear ? pi_ingest_linear(s, &l, at, &entry)
				: ingest_named_entry(s, f.uuid, f.parentUuid,
						     &l, at, &entry);
	if (!err && entry != INDEX_NONE && l.type == ENTRY_LABEL)
		err = ingest_label(s, f.targetUuid, f.label, l.time, at);
	return err;
}

static int ingest(struct session *s, struct json line,
		  const struct line_place *at)
{
	int err = 0;
	if (ingest_skips(s, line, at))
		return 0;
	JSON_FIELDS(f, line, type, uuid);
	if (json_is(f.type, SPAN("session")))
		err = note_header(s, line, at);
	if (err)
		return err;
	if (json_has_text(f.uuid) ||
	    (s->now.linear && json_type(line) == JSON_OBJECT)) {
		err = add_entry(s, line, at);
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
	return s->now.linear
		       ? pi_linear_first_kept(s, entry, compaction)
		       : ingest_find_id(
				 s, json_get(compaction, "firstKeptEntryUuid"));
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

/* Begin an entry of that type below a parent, with a new id and time. */
static struct json_writer begin_entry(struct buf *out, const char *type,
				      const struct session *s, uint32_t parent)
{
	struct buf id BUF_SCOPED = { 0 };
	struct json_writer w = line_begin(out, type);
	ids_new_uuid(s, &id);
	json_write_string_buf(&w, "uuid", &id);
	line_add_id(&w, "parentUuid", s, parent);
	line_add_time(&w, "timestamp", timestamp_now());
	return w;
}

static int move_head(const struct session *s, uint32_t target, struct change *c)
{
	/* The place before the first message is the header. */
	if (target == INDEX_NONE)
		target = s->now.linear
				 ? 0
				 : ingest_find_id(s, session_header(s, "uuid"));
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
	form.id = "uuid";
	form.parent = "parentUuid";
	form.anchor = "firstKeptEntryUuid";
	form.target = "targetUuid";
	form.new_id = ids_new_uuid;
	return pi_entry_add(s, &form, line, c, reason);
}

/* -- branches: entries keep their uuids, so most lines do not change */

static int branch_header(struct branch *b, uint32_t tip)
{
	const struct index *x = &b->s->now.index;
	struct buf id BUF_SCOPED = { 0 };
	if (b->has_header)
		buf_add(&id, index_id(x, b->path.list[0]));
	else
		pi_derive(&id, b->s, "header ", index_id(x, tip), true);
	struct json_writer w = line_begin(b->out, "session");
	json_write_number(&w, "version", DRAFT_VERSION);
	json_write_string_buf(&w, "uuid", &id);
	json_write_null(&w, "parentUuid");
	pi_add_fork(&w, b->s, tip, b->nth);
	branch_set_above(b, buf_span(&id));
	return line_end(&w);
}

/* Change the first entry that a compaction keeps. */
static void change_kept(struct line_changes *c, const struct session *s,
			struct json line, uint32_t kept)
{
	static const char index[] = "firstKeptEntryIndex";
	bool by_index = s->now.linear &&
			json_type(json_get(line, index)) != JSON_ABSENT;
	if (by_index)
		line_change(c, index);
	if (kept != INDEX_NONE)
		line_quote_id(line_change(c, "firstKeptEntryUuid"), s, kept);
	else if (by_index)
		line_change(c, "firstKeptEntryUuid");
}

static int branch_entry(struct branch *b, uint32_t entry, struct json line)
{
	const struct session *s = b->s;
	const struct entry *e = session_entry(s, entry);
	struct line_changes c = { 0 };
	uint32_t parent = branch_parent(b);
	if (s->now.linear)
		line_quote_id(line_change(&c, "uuid"), s, entry);
	if (s->now.linear || parent == INDEX_NONE || parent != e->parent)
		json_quote(line_change(&c, "parentUuid"), buf_span(&b->above));
	if (e->type == ENTRY_COMPACTION) {
		uint32_t anchor = first_kept(s, entry, line);
		uint32_t kept = branch_anchor(b, anchor);
		if (s->now.linear || kept != anchor)
			change_kept(&c, s, line, kept);
	}
	line_add_rewritten(b->out, line, &c);
	return buf_error(b->out);
}

static int branch_label(struct branch *b, const struct label *l)
{
	const struct labels *labels = &b->s->now.labels;
	struct span target = label_target(labels, l);
	struct buf id BUF_SCOPED = BUF_INTO(b->out);
	pi_derive(&id, b->s, "label ", target, true);
	struct json_writer w = line_begin(b->out, "label");
	json_write_string_buf(&w, "uuid", &id);
	json_write_string_buf(&w, "parentUuid", &b->above);
	json_write_string(&w, "targetUuid", target);
	json_write_string(&w, "label", label_text(labels, l));
	int err = line_add_label_time(&w, b->s, l);
	branch_set_above(b, buf_span(&id));
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

/* -- migration */

static bool needs_migration(const struct session *s)
{
	return s->now.version < DRAFT_VERSION;
}

static int migrate_line(const struct session *s, uint32_t entry,
			struct json line, struct buf *out)
{
	struct line_changes c = { 0 };
	if (entry != INDEX_NONE) {
		const struct entry *e = session_entry(s, entry);
		line_quote_id(line_change(&c, "uuid"), s, entry);
		line_quote_id(line_change(&c, "parentUuid"), s, e->parent);
		if (e->type == ENTRY_COMPACTION)
			change_kept(&c, s, line, first_kept(s, entry, line));
	}
	if (json_is(json_get(line, "type"), SPAN("session")))
		buf_adds(line_change(&c, "version"), "2");
	line_add_rewritten(out, line, &c);
	return 0;
}

static int migrate(const struct session *s, struct buf *out)
{
	return pi_rewrite_file(s, migrate_line, out);
}

/* With `version`: migration must not change the content of a header. */
static const struct dialect_migration migration = {
	.is_needed = needs_migration,
	.migrate = migrate,
};

static const struct dialect_reading reading = {
	.ingest = ingest,
	.state_size = sizeof(struct pi_state),
	.clear_state = pi_state_clear,
	.has_version = true,
	.bookkeeping = ENTRY_BIT(ENTRY_LABEL) | ENTRY_BIT(ENTRY_HEAD),
};

static const struct dialect_sending sending = {
	.context = context,
	.branch = branch,
};

static const struct dialect_writing writing = {
	.migration = &migration,
	.move_head = move_head,
	.set_label = set_label,
	.add_entry = add_line,
};

const struct dialect dialect_draft_uuid = {
	.name = "draft-uuid",
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
