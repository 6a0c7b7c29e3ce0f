#include "core/catalogue/summaries.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/parallel.h"
#include "core/file/fault.h"
#include "core/catalogue/families.h"

int summaries_add(struct summaries *t, struct summaries_row *row)
{
	if (array_reserve(&t->rows, &t->cap, t->n, 1) < 0) {
		summary_free(&row->summary);
		return -ENOMEM;
	}
	t->rows[t->n++] = *row;
	return 0;
}

struct making {
	struct summaries *table;
	summaries_maker *make;
	void *data;
};

static void make_row(void *data, size_t i)
{
	const struct making *m = data;
	struct summaries_row *row = &m->table->rows[i];
	if (row->is_known)
		return;
	row->of = VERSION_UNKNOWN;
	m->make(m->data, row);
	if (!row->err)
		return;
	row->is_listed = false;
	summary_free(&row->summary);
	buf_reset(&row->note);
}

int summaries_make(struct summaries *t, summaries_maker *make, void *data)
{
	struct making m = { t, make, data };
	size_t known = 0;
	int err = 0;
	for (size_t i = 0; i < t->n; i++)
		known += t->rows[i].is_known;
	parallel_run(known < t->n ? t->n : 0, make_row, &m);
	for (size_t i = 0; i < t->n; i++) {
		const struct summaries_row *row = &t->rows[i];
		if (fault_is_shortage(row->err))
			make_row(&m, i);
		if (fault_is_shortage(row->err) || row->err == -ENOMEM)
			err = row->err;
	}
	return err;
}

int summaries_take(struct summaries_row *row, const struct session *s,
		   struct timespec before)
{
	const struct lineage *lineage = &s->log.before;
	if (!s->log.exists)
		return -ENOENT;
	int err = summary_make(s, &row->summary);
	summary_pack(&row->summary, lineage, &row->note);
	if (!err)
		err = buf_error(&row->note);
	if (err)
		return err;
	row->is_listed = true;
	if (lineage_is_settled(lineage, before))
		row->of = version_settled(version_of_stat(&s->log.st), before);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct summaries_row *x = a;
	const struct summaries_row *y = b;
	return summary_compare(&x->summary, span_of(x->shown), &y->summary,
			       span_of(y->shown));
}

int summaries_sort(struct summaries *t, const struct dialect_registry *dialects)
{
	struct names names = { .read = t->names };
	int err = 0;
	for (size_t i = 0; i < t->n && !err; i++) {
		struct summaries_row *row = &t->rows[i];
		if (row->is_listed)
			err = summary_rename(&row->summary, &names, dialects,
					     row->path);
	}
	names_free(&names);
	if (t->n > 0)
		qsort(t->rows, t->n, sizeof(*t->rows), compare);
	return err ? err : families_arrange(t, dialects);
}

int summaries_add_lines(const struct summaries *t, struct buf *out)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct summaries_row *row = &t->rows[i];
		if (row->is_listed)
			summary_add_line(&row->summary, span_of(row->shown),
					 out);
	}
	return buf_error(out);
}

void summaries_free(struct summaries *t)
{
	for (size_t i = 0; i < t->n; i++) {
		summary_free(&t->rows[i].summary);
		buf_free(&t->rows[i].note);
	}
	free(t->rows);
	*t = (struct summaries){ 0 };
}
