/*
 * Families: which sessions of a list go on from which (dialect_bases). The base
 * of one is named by the id that its file has in its name; of several files
 * with that id, it is one of the same agent and source before others.
 */
#include "core/catalogue/private.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/detect.h"
#include "core/session/dialect.h"

#define NONE SIZE_MAX

/* A row, as long as the list is arranged. */
struct member {
	const struct dialect *dialect;
	struct span id; /* of its file; empty: none */
	size_t parent;
	size_t first; /* child; the others follow by `next` */
	size_t last;
	size_t next;
	bool is_done;
};

struct families {
	const struct session_rows *t;
	struct member *members; /* by row */
	size_t *by_id;
	size_t n; /* of by_id */
};

static const struct dialect *dialect_of(const struct dialect_registry *r,
					const struct session_row *row)
{
	const struct dialect *d =
		dialect_in(r, summary_column(&row->summary, SUMMARY_DIALECT));
	return d && d->bases ? d : NULL;
}

static int compare_ids(struct span a, struct span b)
{
	size_t i = 0;
	while (i < a.n && i < b.n && span_lower(a.p[i]) == span_lower(b.p[i]))
		i++;
	if (i < a.n && i < b.n)
		return span_lower(a.p[i]) < span_lower(b.p[i]) ? -1 : 1;
	return (a.n > b.n) - (a.n < b.n);
}

static int by_id(const void *a, const void *b, void *data)
{
	const struct member *members = data;
	size_t i = *(const size_t *)a;
	size_t k = *(const size_t *)b;
	int order = compare_ids(members[i].id, members[k].id);
	return order ? order : (i > k) - (i < k);
}

struct wanted {
	const struct families *f;
	struct span id;
};

static bool is_before(const void *list, size_t i, const void *key)
{
	const struct wanted *w = key;
	size_t at = ((const size_t *)list)[i];
	return compare_ids(w->f->members[at].id, w->id) < 0;
}

/* How well a row with the id of the base of row i fits: 1 to FITS_BEST. */
#define FITS_BEST 4
static int fits_as_parent(const struct families *f, size_t i, size_t at)
{
	return 1 + 2 * (f->members[at].dialect == f->members[i].dialect) +
	       (f->t->list[at]->source == f->t->list[i]->source);
}

/* The row that row i goes on from, or NONE. That of another format has a copy
   that was made for this one. */
static size_t find_parent(const struct families *f, size_t i)
{
	const struct wanted w = { f, f->t->list[i]->summary.base };
	size_t best = NONE;
	int has = 0;
	if (w.id.n == 0 || !f->members[i].dialect)
		return NONE;
	for (size_t k = array_search(f->by_id, f->n, is_before, &w);
	     k < f->n && has < FITS_BEST &&
	     compare_ids(f->members[f->by_id[k]].id, w.id) == 0;
	     k++) {
		size_t at = f->by_id[k];
		int fits = at == i ? 0 : fits_as_parent(f, i, at);
		if (fits > has) {
			best = at;
			has = fits;
		}
	}
	return best;
}

/* Is row `of` among the ancestors of row i, or is it that? */
static bool is_above(const struct families *f, size_t of, size_t i)
{
	while (i != NONE && i != of)
		i = f->members[i].parent;
	return i == of;
}

static void link_rows(struct families *f)
{
	for (size_t i = 0; i < f->t->n; i++) {
		struct member *m = &f->members[i];
		size_t parent = find_parent(f, i);
		if (parent == NONE || is_above(f, i, parent))
			continue;
		struct member *p = &f->members[parent];
		m->parent = parent;
		f->t->list[i]->base = f->t->list[parent];
		if (p->first == NONE)
			p->first = i;
		else
			f->members[p->last].next = i;
		p->last = i;
	}
}

/* Move the rows of a family to `to`, from its root down. Returns how many. */
static size_t move_family(struct families *f, size_t root,
			  struct session_row **to)
{
	size_t n = 0;
	unsigned depth = 0;
	for (size_t at = root; at != NONE;) {
		struct member *m = &f->members[at];
		m->is_done = true;
		to[n] = f->t->list[at];
		to[n++]->summary.depth = depth;
		if (m->first != NONE) {
			at = m->first;
			depth++;
			continue;
		}
		while (at != root && f->members[at].next == NONE) {
			at = f->members[at].parent;
			depth--;
		}
		at = at == root ? NONE : f->members[at].next;
	}
	return n;
}

static int begin(struct families *f, const struct dialect_registry *dialects)
{
	size_t n = f->t->n;
	f->members = calloc(n, sizeof(*f->members));
	f->by_id = calloc(n, sizeof(*f->by_id));
	if (!f->members || !f->by_id)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct session_row *row = f->t->list[i];
		struct member *m = &f->members[i];
		m->parent = m->first = m->next = NONE;
		/* A subagent's is no session that people go on from. */
		m->dialect = row->is_run ? NULL : dialect_of(dialects, row);
		if (m->dialect)
			m->id = m->dialect->bases->file_id(span_of(row->path));
		if (m->id.n > 0)
			f->by_id[f->n++] = i;
	}
	if (f->n > 0)
		qsort_r(f->by_id, f->n, sizeof(*f->by_id), by_id, f->members);
	return 0;
}

int families_arrange(struct session_rows *t,
		     const struct dialect_registry *dialects)
{
	struct families f = { .t = t };
	size_t n = 0;
	bool any = false;
	for (size_t i = 0; i < t->n && !any; i++)
		any = t->list[i]->summary.base.n > 0;
	if (!any)
		return 0;
	struct session_row **rows = calloc(t->n, sizeof(*rows));
	int err = rows ? begin(&f, dialects) : -ENOMEM;
	if (!err)
		link_rows(&f);
	for (size_t i = 0; i < t->n && !err; i++) {
		size_t root = i;
		if (f.members[i].is_done)
			continue;
		while (f.members[root].parent != NONE)
			root = f.members[root].parent;
		n += move_family(&f, root, rows + n);
	}
	if (!err) {
		free(t->list);
		t->list = rows;
		t->cap = t->n;
	} else {
		free(rows);
	}
	free(f.members);
	free(f.by_id);
	return err;
}
