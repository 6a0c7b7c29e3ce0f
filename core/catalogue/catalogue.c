#include "core/catalogue/catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/catalogue/private.h"
#include "core/file/folder_index.h"
#include "core/file/gate.h"

void row_free(struct session_row *row)
{
	if (!row)
		return;
	summary_free(&row->summary);
	if (row->shown != row->path)
		free(row->shown);
	free(row->path);
	free(row);
}

bool row_is_current(const struct session_row *row, const struct gate *g)
{
	struct version now;
	return row->is_known && version_take(g, row->path, &now) == 0 &&
	       version_eq(now, row->version);
}

int catalogue_add(struct catalogue *c, const char *path, const char *shown)
{
	const struct catalogue_source s = { strdup(path),
					    strdup(shown),
					    { 0 } };
	if (s.path && s.shown &&
	    array_add(&c->sources, &c->cap_sources, &c->n_sources, s) == 0)
		return 0;
	free(s.path);
	free(s.shown);
	return -ENOMEM;
}

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

/*
 * Let the rows be those of the files that were found, which are taken, but for
 * NULLs in their places. 0 or -ENOMEM.
 */
static int take_files(struct catalogue *c, struct session_rows *files)
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

static int by_time(const void *a, const void *b)
{
	const struct session_row *x = *(struct session_row *const *)a;
	const struct session_row *y = *(struct session_row *const *)b;
	int order = summary_compare(&x->summary, span_of(x->shown), &y->summary,
				    span_of(y->shown));
	return order ? order
		     : (x->source > y->source) - (x->source < y->source);
}

/* Of all that lines and names are made of. */
static uint64_t sum_lines(const struct session_rows *lines)
{
	uint64_t sum = lines->n;
	for (size_t i = 0; i < lines->n; i++) {
		const struct session_row *row = lines->list[i];
		const struct summary *s = &row->summary;
		sum ^= hash_line(s->row, (uint64_t)s->time);
		sum ^= hash_line(buf_span(&s->given), s->depth);
		sum ^= hash_line(span_of(row->shown), 0);
		sum = hash_number(sum ^ row->number) + 1;
		sum ^= row->base ? row->base->number : 0;
	}
	return sum;
}

static int make_lines(struct catalogue *c)
{
	struct session_rows *lines = &c->lines;
	struct versions read = { 0 };
	struct names names = { .read = &read };
	int err = 0;
	lines->n = 0;
	if (array_reserve(&lines->list, &lines->cap, 0, c->rows.n + 1) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < c->rows.n && !err; i++) {
		struct session_row *row = c->rows.list[i];
		row->base = NULL;
		if (!row->is_wanted || !row->is_listed)
			continue;
		row->summary.depth = 0;
		err = summary_rename(&row->summary, &names, c->dialects,
				     row->path);
		lines->list[lines->n++] = row;
	}
	names_free(&names);
	versions_free(&c->names_read);
	c->names_read = read;
	if (lines->n > 0)
		qsort(lines->list, lines->n, sizeof(*lines->list), by_time);
	if (!err)
		err = families_arrange(lines, c->dialects);
	uint64_t sum = sum_lines(lines);
	c->changes += sum != c->sum;
	c->sum = sum;
	return err;
}

int catalogue_refresh(struct catalogue *c)
{
	struct stored s = { .c = c };
	struct session_rows files = { 0 };
	struct gate *gate = gate_view(c->gate);
	if (!c->names)
		c->names = folder_index_new();
	/* What is stored is of the dialects that the lines decide on. */
	if (!c->forced)
		store_read(&s.store);
	int err = gate ? find_files(&s, gate, &files) : -ENOMEM;
	if (!err)
		err = take_files(c, &files);
	rows_free(&files);
	gate_free(gate);
	if (!err)
		err = known_fill(c, &s);
	store_free(&s.store);
	if (!err)
		err = make_lines(c);
	/* They may be of rows that are gone. */
	if (err)
		c->lines.n = 0;
	return err;
}

const struct session_row *catalogue_row(const struct catalogue *c,
					uint32_t number)
{
	return number < c->numbers ? c->numbered[number] : NULL;
}

void catalogue_free(struct catalogue *c)
{
	if (!c->forced)
		known_store_rest(c);
	rows_free(&c->rows);
	for (size_t i = 0; i < c->n_sources; i++) {
		free(c->sources[i].path);
		free(c->sources[i].shown);
		compressed_free(&c->sources[i].compressed);
	}
	free(c->sources);
	free(c->lines.list);
	free(c->numbered);
	versions_free(&c->names_read);
	folder_index_free(c->names);
	*c = (struct catalogue){ 0 };
}
