#include "core/dialects/kit/branch.h"

#include <errno.h>
#include <stdlib.h>

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

uint32_t branch_up_to(const struct branch *b, uint32_t entry)
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
