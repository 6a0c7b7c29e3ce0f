#include "mount/commands/grep/print.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"

/* Set the tip of an entry and its ancestors, up to one that has a tip. */
static void mark_path(struct grep_heading *h, const struct index *x,
		      uint32_t entry, uint32_t tip)
{
	while (entry != INDEX_NONE && h->tips[entry] == INDEX_NONE) {
		h->tips[entry] = tip;
		entry = bookkeeping_shown_parent(x, entry);
	}
}

/* Find short ids and tips: first those of HEAD's path, then the newest. */
static int begin(struct grep_heading *h, const struct session *s)
{
	const struct index *x = &s->now.index;
	if (h->tips)
		return 0;
	h->tips = malloc(((size_t)x->n + 1) * sizeof(*h->tips));
	if (!h->tips || short_ids_begin(&h->ids, x) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->n; i++)
		h->tips[i] = INDEX_NONE;
	h->head = session_at_leaf(s);
	mark_path(h, x, h->head, h->head);
	for (uint32_t i = x->n; i-- > 0;) {
		if (bookkeeping_is_tip(x, i))
			mark_path(h, x, i, i);
	}
	return 0;
}

static int add_role(struct buf *out, const struct session *s, uint32_t entry)
{
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err = session_read(s, entry, &line, &json);
	if (!err)
		rows_add_role(s->dialect->showing, out, json);
	return err == -ENOMEM ? err : 0;
}

/* An id on one line, as short as it can be typed. */
static void add_id(const struct grep_heading *h, uint32_t entry,
		   const char *folder, struct buf *out)
{
	struct buf id BUF_SCOPED = BUF_INTO(out);
	short_ids_add(&h->ids, &id, entry);
	buf_adds(out, folder);
	text_add_one_line(out, buf_span(&id));
}

static void add_part(struct buf *out, struct buf *part)
{
	buf_adds(out, part->len > 0 ? "  " : "");
	text_add_one_line(out, buf_span(part));
	buf_free_into(part, out);
}

int grep_heading_add(struct grep_heading *h, const struct session *s,
		     uint32_t entry, struct buf *folder, struct buf *out)
{
	const struct entry *e = session_entry(s, entry);
	struct buf time = { 0 };
	struct buf role = { 0 };
	int err = begin(h, s);
	if (err)
		return err;
	add_id(h, entry, "by-id/", folder);
	timestamp_add_local(&time, e->time, TIMESTAMP_MINUTE);
	add_part(out, &time);
	err = add_role(&role, s, entry);
	add_part(out, &role);
	uint32_t tip = e->stands_for == INDEX_NONE ? INDEX_NONE
						   : h->tips[e->stands_for];
	if (tip != INDEX_NONE && tip == h->head)
		buf_adds(out, "  HEAD");
	else if (tip != INDEX_NONE)
		add_id(h, tip, "  branches/", out);
	return err ? err : buf_error(out);
}

void grep_heading_add_row(const struct session *s, uint32_t entry,
			  struct buf *out)
{
	struct buf parent BUF_SCOPED = BUF_INTO(out);
	struct buf cwd BUF_SCOPED = BUF_INTO(out);
	int64_t ms = session_entry(s, entry)->time;
	timestamp_add_local(out, ms, TIMESTAMP_MINUTE);
	buf_addc(out, '\0');
	int err = add_role(out, s, entry);
	buf_addc(out, '\0');
	buf_adds(out, s->dialect->name);
	json_decode(&cwd, session_header(s, "cwd"));
	text_finish(&cwd, 0);
	struct span project = span_last_part(buf_span(&cwd));
	buf_adds(out, project.n > 0 ? " " : "");
	text_add_one_line(out, project);
	buf_addc(out, '\0');
	timestamp_add(out, ms);
	buf_addc(out, '\0');
	json_decode(&parent, session_header(s, "parentSession"));
	text_add_one_line(out, buf_span(&parent));
	buf_addc(out, '\0');
	if (err)
		buf_fail(out);
}

void grep_heading_end(struct grep_heading *h)
{
	free(h->tips);
	short_ids_end(&h->ids);
	*h = (struct grep_heading){ 0 };
}
