#include "fs/tree/sessions.h"

#include <errno.h>
#include <malloc.h>

#include "core/file/gate.h"
#include "core/places/walk.h"
#include "core/catalogue/summaries.h"
#include "core/show/usage.h"

/* The memory of so many rows is returned to the system at once. */
#define TRIM_FROM 1000

/* Takes over the pin of the place, even on failure. */
static int add_row(struct summaries *t, struct place *at, size_t prefix)
{
	struct summaries_row row = { .owned = at,
				     .path = at->path,
				     .shown = at->mount_path + prefix };
	struct buf note = { 0 };
	row.is_known = place_note(at, &note, &row.of) &&
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
			  .skips_runs = true,
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

/* Of a set: all but those that are a SOURCE themselves. */
static void leave_out_subagents(struct summaries *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct summaries_row *row = &t->rows[i];
		const struct place *at = row->owned;
		if (row->summary.subagent && !at->parent->set)
			row->is_listed = false;
	}
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

static int visit(const struct reading *r, struct making *m)
{
	struct place *at = m->row->owned;
	if (place_is_loaded(at)) {
		/* Its appended lines alone have to be read. */
		int err = tree_enter_place(r->tree, at);
		if (err)
			return err;
		err = take(m, at->session);
		place_leave(at);
		return err;
	}
	struct session_opening how = at->places->opening;
	how.ingested = usage_ingest;
	how.keeps_lines = true;
	how.gate = r->gate;
	return place_visit_once(at, &how, take, m);
}

static void make(void *data, struct summaries_row *row)
{
	const struct reading *r = data;
	struct making m = { row, version_clock() };
	row->err = visit(r, &m);
	places_miss_after(r->tree->places, row->err);
}

static void before_summaries(const struct tree *t)
{
	const struct tree_hook *h = &t->hook;
	if (h->before_summaries)
		h->before_summaries(h->data);
}

uint64_t sessions_epoch(struct tree *t)
{
	before_summaries(t);
	pthread_mutex_lock(&t->seen.lock);
	if (versions_have_changed(&t->seen.names))
		places_miss(t->places);
	pthread_mutex_unlock(&t->seen.lock);
	return places_epoch(t->places);
}

/* Takes over the files of names that all rows below SOURCE were made with. */
static void set_names(struct tree *t, struct versions *names)
{
	pthread_mutex_lock(&t->seen.lock);
	struct versions old = t->seen.names;
	/* Another thread's rows may be made with the older ones. */
	if (versions_have_changed(&old))
		places_miss(t->places);
	t->seen.names = *names;
	pthread_mutex_unlock(&t->seen.lock);
	versions_free(&old);
}

int sessions_make(struct tree *t, struct place *folder, struct summaries *rows)
{
	struct versions names = { 0 };
	struct reading r = { t, gate_view(t->places->opening.gate) };
	if (!r.gate)
		return -ENOMEM;
	before_summaries(t);
	rows->names = &names;
	int err = find_rows(rows, folder);
	if (!err)
		err = summaries_make(rows, make, &r);
	gate_free(r.gate);
	if (!err && folder->set)
		leave_out_subagents(rows);
	if (!err)
		err = summaries_sort(rows, t->places->opening.dialects);
	rows->names = NULL;
	if (!err && folder == t->places->source)
		set_names(t, &names);
	else
		versions_free(&names);
	return err;
}

void sessions_end(struct summaries *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		place_put(rows->rows[i].owned);
	bool many = rows->n >= TRIM_FROM;
	summaries_free(rows);
#ifdef __GLIBC__
	/* Any thread may be asked next, and each has its own free memory. */
	if (many)
		malloc_trim(0);
#else
	(void)many;
#endif
}

int sessions_add(struct tree *t, struct place *folder, struct buf *out)
{
	struct summaries rows = { 0 };
	int err = sessions_make(t, folder, &rows);
	if (!err)
		err = summaries_add_lines(&rows, out);
	sessions_end(&rows);
	return err;
}
