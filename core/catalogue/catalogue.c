#include "core/catalogue/catalogue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/catalogue/families.h"
#include "core/catalogue/find.h"
#include "core/catalogue/make.h"
#include "core/catalogue/store.h"
#include "core/file/folder_index.h"
#include "core/file/gate.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"

/* So many rows that are not stored are stored at once. */
#define UNSTORED_MOST 16

void row_free(struct session_row *row)
{
	if (!row)
		return;
	summary_free(&row->summary);
	buf_free(&row->note);
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
	if (array_reserve(&c->sources, &c->cap_sources, c->n_sources, 1) < 0)
		return -ENOMEM;
	struct catalogue_source *s = &c->sources[c->n_sources++];
	*s = (struct catalogue_source){ strdup(path), strdup(shown), { 0 } };
	return s->path && s->shown ? 0 : -ENOMEM;
}

/* -- the rows of the files that were found */

static int compare(const char *path, size_t source,
		   const struct session_row *row)
{
	int order = strcmp(path, row->path);
	return order ? order : (source > row->source) - (source < row->source);
}

static int by_path(const void *a, const void *b)
{
	const struct found *x = *(struct found *const *)a;
	const struct found *y = *(struct found *const *)b;
	int order = strcmp(x->path, y->path);
	return order ? order
		     : (x->source > y->source) - (x->source < y->source);
}

/* A row's file was found again. Takes over what is the row's. */
static void update_row(struct session_row *row, struct found *at)
{
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
	struct session_row *row = calloc(1, sizeof(*row));
	if (!row ||
	    array_reserve(&c->numbered, &c->numbers_cap, c->numbers, 1) < 0) {
		free(row);
		return NULL;
	}
	*row = (struct session_row){ .path = at->path,
				     .shown = at->shown,
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
	return !c->as_mounted && c->rows.n > 0 &&
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
		if (is_repeated(c, at))
			continue;
		int order = -1;
		while (was < old.n && (order = compare(at->path, at->source,
						       old.list[was])) > 0)
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

static int sort_files(struct catalogue *c, const struct found_list *f)
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

/* -- what is known of them */

/* The store, and how far its records were compared with the rows. */
struct stored {
	const struct catalogue *c;
	struct store store;
	size_t at; /* rows before a path that was asked for */
	bool is_partial;
};

static const struct dialect *dialect_of(const struct catalogue *c,
					const struct summary *s)
{
	struct span name = summary_column(s, SUMMARY_DIALECT);
	for (size_t i = 0; i < c->dialects->n; i++) {
		if (span_eq(span_of(c->dialects->rows[i]->name), name))
			return c->dialects->rows[i];
	}
	return NULL;
}

/* For find.h. */
static bool is_known(void *data, const char *path, struct version v,
		     const struct dialect **d)
{
	const struct stored *s = data;
	struct store_record r;
	struct summary summary;
	*d = NULL;
	if (!store_find(&s->store, span_of(path), &r) || !version_eq(r.of, v))
		return false;
	if (r.note.n == 0)
		return true;
	if (!summary_unpack(s->c->gate, r.note, &summary))
		return false;
	*d = dialect_of(s->c, &summary);
	summary_free(&summary);
	return *d != NULL;
}

/* An empty note is of a file that is no session. */
static void use_record(const struct stored *s, struct session_row *row)
{
	struct store_record r;
	/* What the user named is read again, to report what is wrong. */
	if (!store_find(&s->store, span_of(row->path), &r) ||
	    !version_eq(r.of, row->version) ||
	    (row->is_source && r.note.n == 0))
		return;
	summary_free(&row->summary);
	row->is_listed = summary_unpack(s->c->gate, r.note, &row->summary);
	row->is_known = row->is_listed || r.note.n == 0;
	row->of = row->is_known ? r.of : VERSION_UNKNOWN;
	row->err = 0;
	row->reason = NULL;
}

/* The row of a path, which are asked for in their order; or NULL. */
static const struct session_row *row_at(struct stored *s, struct span path)
{
	const struct session_rows *rows = &s->c->rows;
	while (s->at < rows->n &&
	       span_compare(span_of(rows->list[s->at]->path), path) < 0)
		s->at++;
	bool is = s->at < rows->n &&
		  span_eq(span_of(rows->list[s->at]->path), path);
	return is ? rows->list[s->at] : NULL;
}

static bool is_below(struct span path, const char *folder)
{
	size_t n = strlen(folder);
	return span_starts(path, (struct span){ folder, n }) &&
	       (path.n == n || path.p[n] == '/');
}

static bool is_gone(void *data, struct span path)
{
	struct stored *s = data;
	const struct catalogue *c = s->c;
	if (s->is_partial || row_at(s, path))
		return false;
	for (size_t i = 0; i < c->n_sources; i++) {
		if (is_below(path, c->sources[i].path))
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
				.note = buf_span(&row->note),
				.of = row->of,
			};
	}
	struct store_news news = { made, n, s, is_gone, is_used };
	if (made)
		store_write(&s->store, &news);
	for (size_t i = 0; i < rows->n && made; i++) {
		rows->list[i]->is_unstored = false;
		buf_reset(&rows->list[i]->note);
	}
	free(made);
}

static bool is_time_to_store(const struct catalogue *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->rows.n; i++)
		n += c->rows.list[i]->is_unstored;
	return c->store_ms == 0 || n >= UNSTORED_MOST ||
	       (n > 0 && timestamp_monotonic() - c->stored >= c->store_ms);
}

/* Use what is stored, make the rest, and store that. */
static int fill_rows(struct catalogue *c, struct stored *s)
{
	struct session_row **unknown =
		calloc(c->rows.n + 1, sizeof(struct session_row *));
	size_t n = 0;
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
	if (!err && !c->forced && is_time_to_store(c)) {
		store_rows(s);
		c->stored = timestamp_monotonic();
	}
	return err;
}

/* -- lines */

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
		sum ^= hash_line(buf_span(&s->row), (uint64_t)s->time);
		sum ^= hash_line(buf_span(&s->given), s->depth);
		sum = hash_number(sum ^ row->number) + 1;
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

static void unread(void *data, const struct found *at, int err)
{
	const struct stored *s = data;
	const struct session_row row = { .path = at->path,
					 .shown = at->shown,
					 .source = at->source,
					 .is_source = at->is_source,
					 .version = at->version,
					 .err = err };
	if (s->c->unread)
		s->c->unread(s->c->data, &row);
}

static void enters(void *data, int folder)
{
	const struct stored *s = data;
	if (s->c->enters)
		s->c->enters(s->c->data, folder);
}

static int find_rows(struct catalogue *c, struct stored *s)
{
	struct finding_files f = { .sources = c->sources,
				   .n_sources = c->n_sources,
				   .as_mounted = c->as_mounted,
				   .gate = gate_view(c->gate),
				   .dialects = c->dialects,
				   .forced = c->forced,
				   .data = s,
				   .enters = enters,
				   .is_known = is_known,
				   .unread = unread };
	int err = f.gate ? find_files(&f) : -ENOMEM;
	s->is_partial = f.is_partial;
	if (!err)
		err = sort_files(c, &f.files);
	find_free(&f);
	gate_free(f.gate);
	return err;
}

int catalogue_refresh(struct catalogue *c)
{
	struct stored s = { .c = c };
	if (!c->names)
		c->names = folder_index_new();
	/* What is stored is of the dialects that the lines decide on. */
	if (!c->forced)
		store_read(&s.store);
	int err = find_rows(c, &s);
	if (!err)
		err = fill_rows(c, &s);
	store_free(&s.store);
	return err ? err : make_lines(c);
}

const struct session_row *catalogue_row(const struct catalogue *c,
					uint32_t number)
{
	return number < c->numbers ? c->numbered[number] : NULL;
}

static void store_rest(struct catalogue *c)
{
	struct stored s = { .c = c, .is_partial = true };
	bool any = false;
	for (size_t i = 0; i < c->rows.n && !any; i++)
		any = c->rows.list[i]->is_unstored;
	if (!any)
		return;
	store_read(&s.store);
	store_rows(&s);
	store_free(&s.store);
}

void catalogue_free(struct catalogue *c)
{
	if (!c->forced)
		store_rest(c);
	for (size_t i = 0; i < c->rows.n; i++)
		row_free(c->rows.list[i]);
	for (size_t i = 0; i < c->n_sources; i++) {
		free(c->sources[i].path);
		free(c->sources[i].shown);
		compressed_free(&c->sources[i].compressed);
	}
	free(c->sources);
	free(c->rows.list);
	free(c->lines.list);
	free(c->numbered);
	versions_free(&c->names_read);
	folder_index_free(c->names);
	*c = (struct catalogue){ 0 };
}
