#include "core/catalogue/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/pathname.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/json/timestamp.h"
#include "core/session/detect.h"
#include "core/session/kept.h"
#include "core/show/usage.h"

/* A store up to this is written for anything new. */
#define STORE_SMALL ((size_t)64 << 10)

bool known_dialect(const struct stored *s, const char *path, struct version v,
		   const struct dialect **d)
{
	struct store_record r;
	struct summary summary;
	size_t near = 0;
	*d = NULL;
	if (!store_find(&s->store, &near, span_of(path), &r) ||
	    !version_eq(r.of, v))
		return false;
	if (r.note.n == 0)
		return true;
	if (!summary_unpack(s->c->gate, r.note, &summary))
		return false;
	*d = dialect_in(s->c->dialects,
			summary_column(&summary, SUMMARY_DIALECT));
	summary_free(&summary);
	return *d != NULL;
}

/* An empty note is of a file that is no session. */
static void use_record(struct stored *s, struct session_row *row)
{
	struct store_record r;
	/* What the user named is read again, to report what is wrong. */
	if (!store_find(&s->store, &s->found, span_of(row->path), &r) ||
	    !version_eq(r.of, row->version) ||
	    (row->is_source && r.note.n == 0))
		return;
	summary_free(&row->summary);
	row->is_listed = summary_unpack(s->c->gate, r.note, &row->summary);
	row->is_known = row->is_listed || r.note.n == 0;
	row->of = row->is_known ? r.of : VERSION_UNKNOWN;
	s->used += row->is_known;
	s->is_aged = s->is_aged || store_is_aged(&s->store, &r);
	row->err = 0;
	row->reason = NULL;
	/* What this process had made was of an earlier version. */
	row->is_unstored = false;
}

/* The row of a path, which are asked for in their order; or NULL. */
static const struct session_row *row_at(struct stored *s, struct span path)
{
	const struct session_rows *rows = &s->c->rows;
	/* The store's records are gone through twice. */
	if (s->at > 0 &&
	    span_compare(span_of(rows->list[s->at - 1]->path), path) >= 0)
		s->at = 0;
	while (s->at < rows->n &&
	       span_compare(span_of(rows->list[s->at]->path), path) < 0)
		s->at++;
	bool is = s->at < rows->n &&
		  span_eq(span_of(rows->list[s->at]->path), path);
	return is ? rows->list[s->at] : NULL;
}

static bool is_gone(void *data, struct span path)
{
	struct stored *s = data;
	const struct catalogue *c = s->c;
	if (s->is_partial || row_at(s, path))
		return false;
	for (size_t i = 0; i < c->n_sources; i++) {
		if (pathname_is_in(path, span_of(c->sources[i].path)))
			return true;
	}
	return false;
}

static bool is_used(void *data, const struct store_record *r)
{
	const struct session_row *row = row_at(data, r->path);
	return row && row->is_wanted && version_eq(row->of, r->of);
}

/* Write what was made since it was written last. */
static void store_rows(struct stored *s)
{
	const struct session_rows *rows = &s->c->rows;
	struct store_record *made = calloc(rows->n + 1, sizeof(*made));
	size_t n = 0;
	for (size_t i = 0; i < rows->n && made; i++) {
		const struct session_row *row = rows->list[i];
		if (row->is_unstored)
			made[n++] = (struct store_record){
				.path = span_of(row->path),
				.note = buf_span(&row->summary.packed),
				.of = row->of,
			};
	}
	struct store_news news = { made, n, s, is_gone, is_used };
	if (made)
		store_write(&s->store, &news);
	for (size_t i = 0; i < rows->n && made; i++)
		rows->list[i]->is_unstored = false;
	free(made);
}

/* How many rows are in no store, and the bytes of their files. */
static size_t count_unstored(const struct catalogue *c, uint64_t *bytes)
{
	size_t n = 0;
	*bytes = 0;
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct session_row *row = c->rows.list[i];
		n += row->is_unstored;
		*bytes += row->is_unstored ? (uint64_t)row->of.size : 0;
	}
	return n;
}

/* To write a large store costs more than to read a few sessions again. */
static bool is_worth_storing(const struct catalogue *c, uint64_t unstored)
{
	return c->store_size <= STORE_SMALL || unstored >= c->store_size;
}

static bool is_time_to_store(const struct stored *s)
{
	const struct catalogue *c = s->c;
	uint64_t unstored;
	size_t n = count_unstored(c, &unstored);
	if (c->store_ms > 0 &&
	    (n == 0 || timestamp_monotonic() - c->stored < c->store_ms))
		return false;
	/* Records may be of files that are gone. */
	return n > 0 ? is_worth_storing(c, unstored)
		     : s->used < s->store.n || s->is_aged;
}

/* -- rows that are not known */

struct making {
	const struct catalogue *c;
	struct session_row **rows;
	struct gate *gate; /* holds folders */
};

/* A row while it is made. */
struct made {
	struct session_row *row;
	struct timespec before; /* the file was read after that */
};

/* The session is entered. -ENOENT if the file was deleted. */
static int take(void *data, struct session *s)
{
	const struct made *m = data;
	struct session_row *row = m->row;
	const struct lineage *lineage = &s->log.before;
	if (!s->log.exists)
		return -ENOENT;
	int err = summary_make(s, &row->summary);
	if (err)
		return err;
	row->is_listed = true;
	if (lineage_is_settled(lineage, m->before))
		row->of =
			version_settled(version_of_stat(&s->log.st), m->before);
	return 0;
}

static int read_session(const struct making *all, struct made *m)
{
	const struct catalogue *c = all->c;
	const struct session_opening how = { .dialects = c->dialects,
					     .forced = c->forced,
					     .read_only = true,
					     .once = true,
					     .ingested = usage_ingest,
					     .keeps_lines = true,
					     .names = c->names,
					     .gate = all->gate };
	struct session *s;
	int err = session_open(&s, m->row->path, &how, &m->row->reason);
	/* Not a session: that is kept, too. */
	if (err == -EPROTO)
		m->row->of = version_settled(m->row->version, m->before);
	if (err)
		return err;
	err = session_enter(s);
	if (!err) {
		err = take(m, s);
		session_leave(s);
	}
	session_free(s);
	return err;
}

static void make_row(void *data, size_t i)
{
	const struct making *all = data;
	const struct catalogue *c = all->c;
	struct session_row *row = all->rows[i];
	struct made m = { row, version_clock() };
	row->of = VERSION_UNKNOWN;
	row->is_listed = false;
	row->reason = NULL;
	row->err = 0;
	summary_free(&row->summary);
	if (!c->visit || !c->visit(c->data, row->path, take, &m, &row->err))
		row->err = read_session(all, &m);
	if (row->err) {
		row->is_listed = false;
		summary_free(&row->summary);
	}
	row->is_known = version_eq(row->of, row->version);
	row->is_unstored = !version_eq(row->of, VERSION_UNKNOWN);
}

/*
 * Make the summaries of these rows, whose files have changed, on all
 * processors. Several threads together may need more descriptors than there
 * are: those rows are tried again by one alone. 0, or an error of a row that is
 * for lack of memory or descriptors.
 */
static int make_rows(const struct catalogue *c, struct session_row **rows,
		     size_t n)
{
	struct making all = { c, rows, n > 0 ? gate_view(c->gate) : NULL };
	int err = 0;
	if (n == 0)
		return 0;
	if (!all.gate)
		return -ENOMEM;
	parallel_run(n, make_row, &all);
	for (size_t i = 0; i < n; i++) {
		if (fault_is_shortage(rows[i]->err))
			make_row(&all, i);
		if (fault_is_shortage(rows[i]->err) || rows[i]->err == -ENOMEM)
			err = rows[i]->err;
	}
	gate_free(all.gate);
	return err;
}

/* Is a base there that was not when the session's tokens were summed? */
static bool has_base_come(const struct catalogue *c,
			  const struct session_row *row)
{
	const struct summary *s = &row->summary;
	const struct dialect *d =
		s->lacks_base ? dialect_in(c->dialects,
					   summary_column(s, SUMMARY_DIALECT))
			      : NULL;
	struct versions searched = { 0 };
	const struct finding how = { c->names, &searched, c->gate };
	struct buf path BUF_SCOPED = { 0 };
	bool has = d && d->bases &&
		   kept_find_base(d, row->path, s->base, &how, &path) > 0;
	versions_free(&searched);
	return has;
}

int known_fill(struct catalogue *c, struct stored *s)
{
	struct session_row **unknown =
		calloc(c->rows.n + 1, sizeof(struct session_row *));
	size_t n = 0;
	c->store_size = s->store.bytes.len;
	if (!unknown)
		return -ENOMEM;
	for (size_t i = 0; i < c->rows.n; i++) {
		struct session_row *row = c->rows.list[i];
		row->is_wanted = (!row->is_run || c->with_runs) &&
				 (!c->wants || c->wants(c->data, row));
		if (row->is_known && row->is_listed &&
		    !summary_is_current(c->gate, &row->summary))
			row->is_known = false;
		if (row->is_wanted && !row->is_known)
			use_record(s, row);
		if (row->is_known && row->is_listed && has_base_come(c, row))
			row->is_known = false;
		if (!row->is_wanted || row->is_known)
			continue;
		row->is_listed = false;
		if (!c->reads || c->reads(c->data, row))
			unknown[n++] = row;
	}
	int err = make_rows(c, unknown, n);
	for (size_t i = 0; i < n; i++) {
		const struct session_row *row = unknown[i];
		if (row->err && c->unread)
			c->unread(c->data, row);
	}
	free(unknown);
	if (!err && !c->forced && is_time_to_store(s)) {
		store_rows(s);
		c->stored = timestamp_monotonic();
	}
	return err;
}

void known_store_rest(struct catalogue *c)
{
	struct stored s = { .c = c, .is_partial = true };
	uint64_t unstored;
	if (count_unstored(c, &unstored) == 0 || !is_worth_storing(c, unstored))
		return;
	store_read(&s.store);
	store_rows(&s);
	store_free(&s.store);
}
