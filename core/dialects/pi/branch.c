/*
 * Branches of the Pi family's sessions, as createBranchedSession() in Pi writes
 * them: a new header with parentSession; the path without labels, each entry
 * below the one before it; then the labels on the path. Ids and time are
 * derived, so that the file is the same each time. Lines keep their bytes,
 * except in members that must change.
 */
#include "core/dialects/pi/pi.h"

#include "core/json/timestamp.h"

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
		uint32_t stays = branch_up_to(b, last);
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
