#include "fs/tree/sessions.h"

#include <errno.h>

#include "core/file/gate.h"
#include "core/places/walk.h"
#include "core/show/summaries.h"
#include "core/show/usage.h"

/* Takes over the pin of the place, even on failure. */
static int add_row(struct summaries *t, struct place *at, size_t prefix)
{
	struct summaries_row row = { .owned = at,
				     .path = at->path,
				     .shown = at->mount_path + prefix };
	struct buf note = { 0 };
	row.is_known = place_note(at, &note) &&
		       summary_unpack(at->places->opening.gate, buf_span(&note),
				      &row.summary);
	row.is_listed = row.is_known;
	buf_free(&note);
	int err = summaries_add(t, &row);
	if (err)
		place_put(at);
	return err;
}

static int find_rows(struct summaries *t, struct place *folder)
{
	struct walk w = { .from = folder,
			  .skips_subagents = true,
			  .defers = true };
	struct place *at;
	size_t prefix = strlen(folder->mount_path);
	prefix += prefix > 0; /* and its slash */
	int err = walk_start(&w);
	while (!err && (at = walk_next(&w)))
		err = add_row(t, at, prefix);
	walk_end(&w);
	return err;
}

/* For all rows. */
struct reading {
	struct tree *tree;
	struct gate *gate; /* holds a folder */
};

struct making {
	struct summaries_row *row;
	struct timespec before; /* the file was read after that */
};

/* The session is entered. */
static int take(void *data, struct session *s)
{
	const struct making *m = data;
	struct place *at = m->row->owned;
	int err = summaries_take(m->row, s, m->before);
	if (!err)
		place_set_note(at, m->row->of, buf_span(&m->row->note));
	return err;
}

static void make(void *data, struct summaries_row *row)
{
	const struct reading *r = data;
	struct place *at = row->owned;
	struct making m = { row, version_clock() };
	if (place_is_loaded(at)) {
		/* Its appended lines alone have to be read. */
		row->err = tree_enter_place(r->tree, at);
		if (row->err)
			return;
		row->err = take(&m, at->session);
		place_leave(at);
	} else {
		struct session_opening how = at->places->opening;
		how.ingested = usage_ingest;
		how.keeps_lines = true;
		how.gate = r->gate;
		row->err = place_visit_once(at, &how, take, &m);
	}
}

int sessions_add(struct tree *tree, struct place *folder, struct buf *out)
{
	struct summaries t = { 0 };
	const struct tree_hook *h = &tree->hook;
	struct reading r = { tree,
			     gate_hold_folder(tree->places->opening.gate) };
	if (!r.gate)
		return -ENOMEM;
	if (h->before_summaries)
		h->before_summaries(h->data);
	int err = find_rows(&t, folder);
	if (!err)
		err = summaries_make(&t, make, &r);
	if (!err)
		err = summaries_add_lines(&t, tree->places->opening.dialects,
					  out);
	for (size_t i = 0; i < t.n; i++)
		place_put(t.rows[i].owned);
	summaries_free(&t);
	gate_free(r.gate);
	return err;
}
