/*
 * Branches of the Pi family's sessions, as createBranchedSession() in Pi writes
 * them: a new header with parentSession; the path without labels, each entry
 * below the one before it; then the labels of these entries in the order in
 * which they were set. Ids and time are derived, so that the file is the same
 * each time. Lines keep their bytes, except in members that must change.
 */
#include "core/dialects/pi/pi.h"

#include <errno.h>
#include <stdlib.h>

#include "core/json/timestamp.h"

void branch_set_above(struct branch *b, struct span id)
{
	buf_clear(&b->above);
	buf_add(&b->above, id);
}

uint32_t branch_place(const struct branch *b, uint32_t entry)
{
	uint32_t place = entry == INDEX_NONE ? INDEX_NONE : b->places[entry];
	return place == INDEX_NONE ? place : place + !b->has_header;
}

static uint32_t entry_at(const struct branch *b, uint32_t position)
{
	uint32_t i = b->has_header ? position : position - 1;
	return i < b->path.n ? b->path.list[i] : INDEX_NONE;
}

uint32_t branch_parent(const struct branch *b)
{
	return entry_at(b, b->position - 1);
}

uint32_t branch_anchor(const struct branch *b, uint32_t anchor)
{
	uint32_t place = branch_place(b, anchor);
	return place == INDEX_NONE || place > b->position ? anchor
							  : entry_at(b, place);
}

/* The entry, or in place of a label the one before it, or INDEX_NONE. */
static uint32_t up_to(const struct branch *b, uint32_t entry)
{
	uint32_t place = branch_place(b, entry);
	return place == INDEX_NONE || b->on[entry] ? entry
						   : entry_at(b, place - 1);
}

/* Remove the labels from the path, and number the rest. */
static int leave_out_labels(struct branch *b, const struct branch_rules *rules,
			    struct buf *line)
{
	uint32_t n = 0;
	struct json json;
	for (uint32_t i = 0; i < b->path.n; i++) {
		uint32_t at = b->path.list[i];
		b->on[at] = session_entry(b->s, at)->type != ENTRY_LABEL;
		b->places[at] = n;
		if (b->on[at])
			b->path.list[n++] = at;
	}
	b->path.n = n;
	if (n > 0 && rules->header_is_entry) {
		int err = session_read(b->s, b->path.list[0], line, &json);
		if (err)
			return err;
		b->has_header =
			json_is(json_get(json, "type"), SPAN("session"));
	}
	return 0;
}

static int plan(struct branch *b, uint32_t entry,
		const struct branch_rules *rules, struct buf *line)
{
	uint32_t n = b->s->now.index.n;
	int err = path_load(&b->path, b->s, entry);
	b->places = malloc(n * sizeof(*b->places));
	b->on = calloc(n, sizeof(*b->on));
	if (!err && (!b->places || !b->on))
		err = -ENOMEM;
	if (err)
		return err;
	for (uint32_t i = 0; i < n; i++)
		b->places[i] = INDEX_NONE;
	return leave_out_labels(b, rules, line);
}

int branch_write(const struct session *s, uint32_t entry, unsigned nth,
		 const struct branch_rules *rules, struct buf *out)
{
	struct branch b = { .s = s, .nth = nth, .out = out };
	struct buf line BUF_SCOPED = { 0 };
	const struct label **labels = NULL;
	uint32_t n_labels = 0;
	int err = plan(&b, entry, rules, &line);
	if (!err)
		err = rules->header(&b, entry);
	for (uint32_t i = b.has_header; i < b.path.n && !err; i++) {
		uint32_t at = b.path.list[i];
		struct json json;
		b.position++;
		err = session_read(s, at, &line, &json);
		if (!err)
			err = rules->entry(&b, at, json);
		branch_set_above(&b, index_id(&s->now.index, at));
	}
	if (!err)
		err = labels_on(&s->now.labels, b.on, &labels, &n_labels);
	for (uint32_t i = 0; i < n_labels && !err; i++) {
		b.position++;
		err = rules->label(&b, labels[i]);
	}
	free(labels);
	path_free(&b.path);
	free(b.places);
	free(b.on);
	buf_free_into(&b.above, out);
	return err ? err : buf_error(out);
}

/* -- Pi's lines */

void pi_derive(struct buf *out, const struct session *s, const char *what,
	       struct span of, bool whole)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	buf_adds(&name, what);
	buf_add(&name, of);
	const struct id_space space = pi_id_space(s);
	if (whole)
		ids_derive_uuid(&space, out, buf_span(&name));
	else
		ids_derive(s, &space, out, buf_span(&name));
}

int64_t pi_branch_time(const struct session *s, uint32_t entry)
{
	int64_t time = session_entry(s, entry)->time;
	return time == TIMESTAMP_NONE
		       ? timestamp_parse(session_header(s, "timestamp"))
		       : time;
}

void pi_add_fork(struct json_writer *w, const struct session *s, uint32_t entry,
		 unsigned nth)
{
	struct buf id BUF_SCOPED = { 0 };
	struct buf cwd BUF_SCOPED = { 0 };
	ids_derive_branch(&id, s, entry, nth);
	json_decode(&cwd, session_header(s, "cwd"));
	int64_t time = pi_branch_time(s, entry);
	json_write_string_buf(w, "id", &id);
	if (time != TIMESTAMP_NONE)
		line_add_time(w, "timestamp", time);
	json_write_string_buf(w, "cwd", &cwd);
	json_write_word(w, "parentSession", s->log.path);
}

struct json_writer pi_branch_header(struct branch *b, uint32_t tip)
{
	struct json_writer w = line_begin(b->out, "session");
	json_write_number(&w, "version", PI_VERSION);
	pi_add_fork(&w, b->s, tip, b->nth);
	return w;
}

static int add_header(struct branch *b, uint32_t tip)
{
	struct json_writer w = pi_branch_header(b, tip);
	return line_end(&w);
}

static int add_entry(struct branch *b, uint32_t entry, struct json line)
{
	static const char replayed[] = "providerReplayThroughEntryId";
	const struct session *s = b->s;
	const struct entry *e = session_entry(s, entry);
	struct line_changes c = { 0 };
	uint32_t parent = branch_parent(b);
	/* A root's parent may be missing or ""; in a branch it is null. */
	bool odd_root = parent == INDEX_NONE &&
			json_type(json_get(line, "parentId")) != JSON_NULL;
	uint32_t anchor = INDEX_NONE;
	int err = 0;
	if (e->type == ENTRY_COMPACTION)
		anchor = pi_first_kept(s, entry, line);
	uint32_t kept = branch_anchor(b, anchor);
	if (s->now.linear) {
		err = pi_change_linear(&c, s, entry, line, parent, kept);
	} else {
		if (odd_root || parent != e->parent)
			line_quote_id(line_change(&c, "parentId"), s, parent);
		if (kept != anchor) {
			line_quote_id(line_change(&c, "firstKeptEntryId"), s,
				      kept);
			line_change(&c, "firstKeptEntryIndex");
		}
		/* Those of oh-my-pi name the last entry that is replayed. */
		uint32_t last = INDEX_NONE;
		if (e->type == ENTRY_COMPACTION)
			last = ingest_find_id(s, json_get(line, replayed));
		uint32_t stays = up_to(b, last);
		if (stays != last)
			line_quote_id(line_change(&c, replayed), s, stays);
		if (s->now.version < PI_VERSION)
			pi_change_hook(&c, line);
	}
	line_add_rewritten(b->out, line, &c);
	return err ? err : buf_error(b->out);
}

static int add_label(struct branch *b, const struct label *l)
{
	const struct labels *labels = &b->s->now.labels;
	struct span target = label_target(labels, l);
	struct buf id BUF_SCOPED = BUF_INTO(b->out);
	pi_derive(&id, b->s, "label ", target, false);
	struct json_writer w = line_begin(b->out, "label");
	json_write_string_buf(&w, "id", &id);
	json_write_string_buf(&w, "parentId", &b->above);
	json_write_string(&w, "targetId", target);
	json_write_string(&w, "label", label_text(labels, l));
	int err = line_add_label_time(&w, b->s, l);
	branch_set_above(b, buf_span(&id));
	return err ? err : line_end(&w);
}

int pi_branch_below(const struct session *s, uint32_t entry, unsigned nth,
		    int (*header)(struct branch *b, uint32_t tip),
		    struct buf *out)
{
	const struct branch_rules rules = {
		.header = header,
		.entry = add_entry,
		.label = add_label,
	};
	return branch_write(s, entry, nth, &rules, out);
}

int pi_branch(const struct session *s, uint32_t entry, unsigned nth,
	      struct buf *out)
{
	return pi_branch_below(s, entry, nth, add_header, out);
}
