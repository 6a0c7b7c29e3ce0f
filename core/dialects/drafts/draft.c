#include "core/dialects/drafts/draft.h"

#include <errno.h>
#include <stdlib.h>

#include "core/dialects/kit/compacted.h"
#include "core/dialects/pi/context.h"
#include "core/dialects/pi/show.h"
#include "core/json/timestamp.h"

enum entry_type draft_type(struct json type)
{
	static const struct row {
		struct span name;
		enum entry_type type;
	} types[] = {
		{ SPAN("message"), ENTRY_MESSAGE },
		{ SPAN("stack_summary"), ENTRY_BRANCH_SUMMARY },
		{ SPAN("branch_summary"), ENTRY_BRANCH_SUMMARY },
		{ SPAN("compaction"), ENTRY_COMPACTION },
		{ SPAN("model_change"), ENTRY_MODEL },
		{ SPAN("thinking_level_change"), ENTRY_THINKING },
		{ SPAN("head"), ENTRY_HEAD },
		{ SPAN("label"), ENTRY_LABEL },
	};
	const struct row *row = JSON_ROW(type, types);
	return row ? row->type : ENTRY_OTHER;
}

static struct json stack_summary(struct json entry)
{
	bool is_one = json_is(json_get(entry, "type"), SPAN("stack_summary"));
	struct json v = { 0 };
	if (is_one)
		v = json_get(entry, "summary");
	return json_type(v) == JSON_STRING ? v : (struct json){ 0 };
}

struct json draft_blocks(struct json entry)
{
	struct json v = stack_summary(entry);
	return json_type(v) == JSON_ABSENT ? pi_blocks(entry) : v;
}

/* Messages are sent as in Pi; all other entries in a context are summaries. */
static int messages(const struct session *s, struct json entry,
		    struct json edit, bool kept, struct messages *to)
{
	(void)kept;
	JSON_FIELDS(f, entry, type, message, summary, timestamp);
	if (json_is(f.type, SPAN("message")))
		pi_add_message(s, to, f.message, true, edit);
	else
		messages_add_summary(to, f.summary,
				     timestamp_parse(f.timestamp));
	return buf_error(to->out);
}

int draft_context(const struct session *s, const struct path *p,
		  uint32_t (*first_kept)(const struct session *s,
					 uint32_t entry,
					 struct json compaction),
		  struct messages *to)
{
	const struct compaction_rules rules = {
		.first_kept = first_kept,
		.messages = messages,
	};
	return compacted_context(s, p, &rules, to);
}

/* Branches. */

static bool is_label(const struct session *s, uint32_t entry)
{
	return session_entry(s, entry)->type == ENTRY_LABEL;
}

uint32_t draft_place(const struct draft_branch *b, uint32_t entry)
{
	return entry == INDEX_NONE ? INDEX_NONE : b->places[entry];
}

uint32_t draft_at(const struct draft_branch *b, uint32_t position)
{
	uint32_t i = b->has_header ? position : position - 1;
	return i < b->path.n ? b->path.list[i] : INDEX_NONE;
}

/* Remove the labels, and find out whether the first entry is a header. */
static int drop_labels(struct draft_branch *b, struct buf *line)
{
	struct json json;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->path.n; i++) {
		uint32_t entry = b->path.list[i];
		b->places[entry] = kept;
		if (!is_label(b->s, entry))
			b->path.list[kept++] = entry;
	}
	b->path.n = kept;
	if (kept == 0)
		return 0;
	int err = session_read(b->s, b->path.list[0], line, &json);
	if (!err)
		b->has_header =
			json_is(json_get(json, "type"), SPAN("session"));
	return err;
}

static int plan(struct draft_branch *b, uint32_t entry, struct buf *line)
{
	uint32_t n = b->s->now.index.n;
	int err = path_load(&b->path, b->s, entry);
	if (err)
		return err;
	b->places = malloc(n * sizeof(*b->places));
	if (!b->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		b->places[i] = INDEX_NONE;
	err = drop_labels(b, line);
	for (uint32_t i = 0; i < n && !b->has_header; i++)
		b->places[i] += b->places[i] != INDEX_NONE;
	return err;
}

static int add_path(struct draft_branch *b,
		    const struct draft_branch_lines *lines, struct buf *line)
{
	int err = 0;
	for (uint32_t i = b->has_header; i < b->path.n && !err; i++) {
		struct json json;
		b->position++;
		err = session_read(b->s, b->path.list[i], line, &json);
		if (!err)
			err = lines->entry(b, b->path.list[i], json);
	}
	return err;
}

static int add_labels(struct draft_branch *b,
		      const struct draft_branch_lines *lines)
{
	const struct contents *c = &b->s->now;
	const struct label **list = NULL;
	uint32_t n = 0;
	bool *on = calloc(c->index.n, sizeof(*on));
	for (uint32_t i = 0; on && i < b->path.n; i++)
		on[b->path.list[i]] = true;
	int err = on ? labels_on(&c->labels, on, false, &list, &n) : -ENOMEM;
	for (uint32_t i = 0; i < n && !err; i++) {
		b->position++;
		err = lines->label(b, list[i]);
	}
	free(list);
	free(on);
	return err;
}

int draft_branch(const struct session *s, uint32_t entry,
		 const struct draft_branch_lines *lines, struct buf *out)
{
	struct draft_branch b = { .s = s, .out = out };
	struct buf line = { 0 };
	int err = plan(&b, entry, &line);
	if (!err)
		err = lines->header(&b, entry);
	if (!err)
		err = add_path(&b, lines, &line);
	if (!err)
		err = add_labels(&b, lines);
	path_free(&b.path);
	free(b.places);
	if (!err)
		err = buf_error(&b.above);
	buf_free(&b.above);
	buf_free(&line);
	return err ? err : buf_error(out);
}
