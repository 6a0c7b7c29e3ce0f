#include "core/catalogue/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

static int compare(const struct session_row *x, const struct session_row *y)
{
	int order = strcmp(x->path, y->path);
	return order ? order
		     : (x->source > y->source) - (x->source < y->source);
}

static int by_path(const void *a, const void *b)
{
	return compare(*(struct session_row *const *)a,
		       *(struct session_row *const *)b);
}

void rows_free(struct session_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		row_free(rows->list[i]);
	free(rows->list);
	*rows = (struct session_rows){ 0 };
}

/* A row's file was found again. */
static void update_row(struct session_row *row, struct session_row *at)
{
	/* What it is called depends on what is beside it. */
	if (at->shown != at->path) {
		free(row->shown);
		row->shown = at->shown;
		at->shown = at->path;
	}
	row->is_source = at->is_source;
	row->is_run = at->is_run;
	if (!version_eq(row->version, at->version))
		row->is_known = false;
	row->version = at->version;
}

/* Give a new row its number. 0 or -ENOMEM. */
static int number_row(struct catalogue *c, struct session_row *row)
{
	/* Inode numbers of links are made of it. */
	if (c->numbers == INDEX_LIMIT)
		return -ENOMEM;
	row->of = VERSION_UNKNOWN;
	row->number = c->numbers;
	return array_add(&c->numbered, &c->numbers_cap, &c->numbers, row);
}

static void drop_row(struct catalogue *c, struct session_row *row)
{
	c->numbered[row->number] = NULL;
	row_free(row);
}

/* Is it the file before it, below another source? */
static bool is_repeated(const struct catalogue *c, const struct session_row *at)
{
	return !c->keeps_repeated && c->rows.n > 0 &&
	       strcmp(c->rows.list[c->rows.n - 1]->path, at->path) == 0;
}

int rows_take_files(struct catalogue *c, struct session_rows *files)
{
	struct session_rows old = c->rows;
	size_t was = 0;
	c->rows = (struct session_rows){ 0 };
	int err = array_reserve(&c->rows.list, &c->rows.cap, 0, files->n + 1);
	if (files->n > 0)
		qsort(files->list, files->n, sizeof(*files->list), by_path);
	for (size_t i = 0; i < files->n && !err; i++) {
		struct session_row *at = files->list[i];
		if (is_repeated(c, at)) {
			struct session_row *last = c->rows.list[c->rows.n - 1];
			last->is_source = last->is_source || at->is_source;
			continue;
		}
		int order = -1;
		while (was < old.n && (order = compare(at, old.list[was])) > 0)
			drop_row(c, old.list[was++]);
		if (was < old.n && order == 0) {
			update_row(old.list[was], at);
			c->rows.list[c->rows.n++] = old.list[was++];
			continue;
		}
		err = number_row(c, at);
		if (!err) {
			c->rows.list[c->rows.n++] = at;
			files->list[i] = NULL;
		}
	}
	while (was < old.n)
		drop_row(c, old.list[was++]);
	free(old.list);
	return err;
}
