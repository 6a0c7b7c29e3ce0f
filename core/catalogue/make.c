#include "core/catalogue/private.h"

#include <errno.h>

#include "core/base/parallel.h"
#include "core/file/fault.h"
#include "core/file/gate.h"
#include "core/show/usage.h"

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

int make_rows(const struct catalogue *c, struct session_row **rows, size_t n)
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
