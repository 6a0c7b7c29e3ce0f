#include "core/dialects/kit/compacted.h"

#include <errno.h>
#include <stdlib.h>

struct building {
	const struct session *s;
	const struct path *path;
	const struct compaction_rules *rules;
	uint32_t compaction; /* its place on the path; path->n if there is none
			      */
	uint32_t kept;	     /* the first place that is sent */
	/* By entry: the place of its last edit, plus 1. NULL: there is none. */
	uint32_t *edits;
	struct buf line;
	struct buf edit_line;
};

static enum entry_type type_at(const struct building *b, uint32_t place)
{
	return session_entry(b->s, b->path->list[place])->type;
}

static int read_at(const struct building *b, uint32_t place, struct buf *line,
		   struct json *json)
{
	return session_read(b->s, b->path->list[place], line, json);
}

static int find_compaction(struct building *b)
{
	uint32_t at = b->path->n;
	while (at > 0 && type_at(b, at - 1) != ENTRY_COMPACTION)
		at--;
	b->compaction = at > 0 ? at - 1 : b->path->n;
	b->kept = 0;
	if (b->compaction == b->path->n)
		return 0;

	struct json json;
	int err = read_at(b, b->compaction, &b->line, &json);
	if (err)
		return err;
	uint32_t first =
		b->rules->first_kept(b->s, b->path->list[b->compaction], json);
	while (b->kept < b->compaction && b->path->list[b->kept] != first)
		b->kept++;
	return 0;
}

static int add_entry(struct building *b, uint32_t place, struct messages *to)
{
	switch (type_at(b, place)) {
	case ENTRY_MESSAGE:
	case ENTRY_CUSTOM_MESSAGE:
	case ENTRY_BRANCH_SUMMARY:
	case ENTRY_COMPACTION:
		break;
	default:
		return 0;
	}
	struct json json;
	struct json edit = { 0 };
	uint32_t edited = b->edits ? b->edits[b->path->list[place]] : 0;
	int err = read_at(b, place, &b->line, &json);
	if (!err && edited > 0)
		err = read_at(b, edited - 1, &b->edit_line, &edit);
	bool before = b->compaction < b->path->n && place < b->compaction;
	return err ? err : b->rules->messages(b->s, json, edit, before, to);
}

int compacted_context(const struct session *s, const struct path *p,
		      const struct compaction_rules *rules, struct messages *to)
{
	struct building b = { .s = s, .path = p, .rules = rules };
	int err = find_compaction(&b);
	for (uint32_t i = b.kept; rules->edit_target && i < p->n && !err; i++) {
		struct json json;
		if (type_at(&b, i) != ENTRY_CONTEXT_EDIT)
			continue;
		if (!b.edits)
			b.edits = calloc(s->now.index.n, sizeof(*b.edits));
		err = b.edits ? read_at(&b, i, &b.line, &json) : -ENOMEM;
		uint32_t target =
			err ? INDEX_NONE : rules->edit_target(s, json);
		if (target != INDEX_NONE)
			b.edits[target] = i + 1;
	}
	if (!err && b.compaction < p->n)
		err = add_entry(&b, b.compaction, to);
	for (uint32_t i = b.kept; i < p->n && !err; i++) {
		if (type_at(&b, i) != ENTRY_COMPACTION)
			err = add_entry(&b, i, to);
	}
	free(b.edits);
	buf_free(&b.line);
	buf_free(&b.edit_line);
	return err;
}
