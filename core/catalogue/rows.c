#include "core/catalogue/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

static int compare(const char *path, size_t source, const char *other,
		   size_t other_source)
{
	int order = strcmp(path, other);
	return order ? order
		     : (source > other_source) - (source < other_source);
}

static int by_path(const void *a, const void *b)
{
	const struct found *x = *(struct found *const *)a;
	const struct found *y = *(struct found *const *)b;
	return compare(x->path, x->source, y->path, y->source);
}

/* A row's file was found again. Takes over what is the row's. */
static void update_row(struct session_row *row, struct found *at)
{
	/* What it is called depends on what is beside it. */
	if (!at->is_plain) {
		free(row->shown);
		row->shown = at->shown;
		at->shown = NULL;
	}
	found_free(at);
	at->path = at->shown = NULL;
	row->is_source = at->is_source;
	row->is_run = at->is_run;
	if (!version_eq(row->version, at->version))
		row->is_known = false;
	row->version = at->version;
}

static struct session_row *new_row(struct catalogue *c, struct found *at)
{
	/* Inode numbers of links are made of it. */
	if (c->numbers == INDEX_LIMIT)
		return NULL;
	struct session_row *row = calloc(1, sizeof(*row));
	if (!row ||
	    array_reserve(&c->numbered, &c->numbers_cap, c->numbers, 1) < 0) {
		free(row);
		return NULL;
	}
	*row = (struct session_row){ .path = at->path,
				     .shown = at->is_plain ? at->path
							   : at->shown,
				     .source = at->source,
				     .is_source = at->is_source,
				     .is_run = at->is_run,
				     .version = at->version,
				     .number = c->numbers,
				     .of = VERSION_UNKNOWN };
	at->path = at->shown = NULL;
	c->numbered[c->numbers++] = row;
	return row;
}

static void drop_row(struct catalogue *c, struct session_row *row)
{
	c->numbered[row->number] = NULL;
	row_free(row);
}

/* Is it the file before it, below another source? */
static bool is_repeated(const struct catalogue *c, const struct found *at)
{
	return !c->keeps_repeated && c->rows.n > 0 &&
	       strcmp(c->rows.list[c->rows.n - 1]->path, at->path) == 0;
}

/* Let the rows be those of the files, which are sorted. */
static int take_files(struct catalogue *c, struct found *const *files, size_t n)
{
	struct session_rows old = c->rows;
	size_t was = 0;
	int err = 0;
	c->rows = (struct session_rows){ 0 };
	if (array_reserve(&c->rows.list, &c->rows.cap, 0, n + 1) < 0)
		err = -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		struct found *at = files[i];
		struct session_row *row = NULL;
		if (is_repeated(c, at)) {
			struct session_row *last = c->rows.list[c->rows.n - 1];
			last->is_source = last->is_source || at->is_source;
			continue;
		}
		int order = -1;
		while (was < old.n &&
		       (order = compare(at->path, at->source,
					old.list[was]->path,
					old.list[was]->source)) > 0)
			drop_row(c, old.list[was++]);
		if (was < old.n && order == 0) {
			row = old.list[was++];
			update_row(row, at);
		} else {
			row = new_row(c, at);
		}
		if (row)
			c->rows.list[c->rows.n++] = row;
		else
			err = -ENOMEM;
	}
	while (was < old.n)
		drop_row(c, old.list[was++]);
	free(old.list);
	return err;
}

int rows_take_files(struct catalogue *c, const struct found_list *f)
{
	struct found **sorted = malloc((f->n + 1) * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		sorted[i] = &f->list[i];
	if (f->n > 0)
		qsort(sorted, f->n, sizeof(*sorted), by_path);
	int err = take_files(c, sorted, f->n);
	free(sorted);
	return err;
}
