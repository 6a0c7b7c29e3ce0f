#include "fs/tree/sessions.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/parallel.h"
#include "core/file/nofollow.h"
#include "core/places/walk.h"
#include "core/show/summary.h"

struct row {
	struct place *at; /* pinned */
	struct summary summary;
	bool shown;
	int err; /* of making the summary */
};

struct table {
	struct tree *tree;
	struct row *rows;
	size_t n;
	size_t prefix;	 /* of the folder's path in those of its sessions */
	size_t *missing; /* rows whose summaries have to be made */
	size_t n_missing;
};

/* Pin the sessions. The caller frees the table after an error, too. */
static int find_rows(struct table *t, struct place *folder)
{
	struct walk w = { .from = folder, .skips_subagents = true };
	struct place *at;
	int err = walk_start(&w);
	size_t most = w.sessions.n + 1;
	if (!err) {
		t->rows = calloc(most, sizeof(*t->rows));
		t->missing = calloc(most, sizeof(*t->missing));
		err = t->rows && t->missing ? 0 : -ENOMEM;
	}
	while (!err && (at = walk_next(&w)))
		t->rows[t->n++].at = at;
	walk_end(&w);
	return err;
}

static void use_note(struct table *t, size_t i)
{
	struct row *row = &t->rows[i];
	struct buf note = { 0 };
	row->shown = place_note(row->at, &note) &&
		     summary_unpack(row->at->places->opening.gate,
				    buf_span(&note), &row->summary);
	if (!row->shown)
		t->missing[t->n_missing++] = i;
	buf_free(&note);
}

struct making {
	struct row *row;
	struct timespec before; /* the file was read after that */
};

/* The session is entered. */
static int make_summary(void *data, struct session *s)
{
	const struct making *m = data;
	struct row *row = m->row;
	struct buf note = { 0 };
	if (!s->log.exists)
		return -ESTALE;
	int err = summary_make(s, &row->summary);
	summary_pack(&row->summary, &s->log.before, &note);
	if (!err)
		err = buf_error(&note);
	if (!err && lineage_is_settled(&s->log.before, m->before))
		place_set_note(row->at, &s->log.st, m->before, buf_span(&note));
	row->shown = !err;
	buf_free(&note);
	return err;
}

/* From the session in memory, whose appended lines alone have to be read. */
static int enter_to_make(struct tree *t, struct making *m)
{
	struct place *at = m->row->at;
	int err = tree_enter_place(t, at);
	if (err)
		return err;
	err = make_summary(m, at->session);
	place_leave(at);
	return err;
}

static void make_missing(void *data, size_t i)
{
	const struct table *t = data;
	struct row *row = &t->rows[t->missing[i]];
	struct making m = { row, place_note_time() };
	struct session_opening how = row->at->places->opening;
	how.sums_usage = true;
	row->err = place_is_loaded(row->at)
			   ? enter_to_make(t->tree, &m)
			   : place_visit_once(row->at, &how, make_summary, &m);
}

/*
 * Several threads together may need more descriptors than there are: one alone
 * tries again. A session that can't be read for a reason of its own has no row.
 */
static int make_short(struct table *t)
{
	int err = 0;
	for (size_t i = 0; i < t->n_missing && !err; i++) {
		const struct row *row = &t->rows[t->missing[i]];
		if (nofollow_is_shortage(row->err))
			make_missing(t, i);
		if (nofollow_is_shortage(row->err) || row->err == -ENOMEM)
			err = row->err;
	}
	return err;
}

static struct span path_of(const struct table *t, const struct row *row)
{
	return span_of(row->at->mount_path + t->prefix);
}

static int compare(const void *a, const void *b, void *table)
{
	const struct row *x = a;
	const struct row *y = b;
	return summary_compare(&x->summary, path_of(table, x), &y->summary,
			       path_of(table, y));
}

static void free_rows(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		summary_free(&t->rows[i].summary);
		place_put(t->rows[i].at);
	}
	free(t->rows);
	free(t->missing);
}

static int add_names(struct table *t)
{
	const struct dialect_registry *dialects =
		t->tree->places->opening.dialects;
	struct names names = { 0 };
	int err = 0;
	for (size_t i = 0; i < t->n && !err; i++)
		if (t->rows[i].shown)
			err = summary_rename(&t->rows[i].summary, &names,
					     dialects, t->rows[i].at->path);
	names_free(&names);
	return err;
}

static void add_lines(struct table *t, struct buf *out)
{
	qsort_r(t->rows, t->n, sizeof(*t->rows), compare, t);
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].shown)
			summary_add_line(&t->rows[i].summary,
					 path_of(t, &t->rows[i]), out);
}

int sessions_add(struct tree *tree, struct place *folder, struct buf *out)
{
	struct table t = { .tree = tree };
	const struct overlay *o = tree->overlay;
	if (o)
		o->before_summaries(o->data);
	t.prefix = strlen(folder->mount_path);
	t.prefix += t.prefix > 0; /* and its slash */
	int err = find_rows(&t, folder);
	for (size_t i = 0; i < t.n; i++)
		use_note(&t, i);
	parallel_run(err ? 0 : t.n_missing, make_missing, &t);
	if (!err)
		err = make_short(&t);
	if (!err)
		err = add_names(&t);
	if (!err)
		add_lines(&t, out);
	free_rows(&t);
	return err ? err : buf_error(out);
}
