#include "fs/tree/groups_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/path_names.h"
#include "core/base/pathname.h"
#include "core/catalogue/session_name.h"
#include "core/json/timestamp.h"

static const struct span no_directory = SPAN("no-directory");

static struct span key_of(const void *owner, uint32_t value,
			  struct idtable_scratch *scratch)
{
	const struct groups_keys *keys = owner;
	(void)scratch;
	return buf_kept(&keys->texts, keys->at[value]);
}

void groups_keys_init(struct groups_keys *keys)
{
	*keys = (struct groups_keys){ 0 };
	idtable_init(&keys->table, key_of);
}

void groups_keys_free(struct groups_keys *keys)
{
	idtable_free(&keys->table);
	buf_free(&keys->texts);
	free(keys->at);
}

/* The number of a key, which is a new one if there is none. */
static int number_key(struct groups_keys *keys, struct span key,
		      uint32_t *number)
{
	*number = idtable_find(&keys->table, keys, key);
	if (*number != IDTABLE_NONE)
		return 0;
	if (keys->n == INDEX_LIMIT)
		return -EFBIG;
	if (array_reserve(&keys->at, &keys->cap, keys->n, 1) < 0)
		return -ENOMEM;
	int err = buf_keep(&keys->texts, key, &keys->at[keys->n]);
	if (!err)
		err = idtable_add(&keys->table, key, keys->n);
	if (!err)
		*number = keys->n++;
	return err;
}

static struct span text_of(const struct groups_table *t, uint32_t at)
{
	return buf_kept(&t->texts, at);
}

/* -- making a table */

/* A table that is being made. */
struct making {
	struct groups_table *t;
	const struct session_row **rows; /* of each session */
	enum groups_view view;		 /* that is being sorted */
};

/* Another number than those of rows. */
#define NO_FORK UINT32_MAX

static int number_groups(struct grouped_session *s,
			 const struct session_row *row,
			 struct groups_keys *keys)
{
	s->group[GROUPS_FORKS] = row->base ? row->base->number : NO_FORK;
	struct buf day BUF_SCOPED = { 0 };
	struct span project =
		pathname_trim(summary_column(&row->summary, SUMMARY_CWD));
	session_name_add_day(&day, &row->summary);
	int err = buf_error(&day);
	if (!err)
		err = number_key(&keys[GROUPS_BY_DAY], buf_span(&day),
				 &s->group[GROUPS_BY_DAY]);
	if (!err)
		err = number_key(&keys[GROUPS_BY_PROJECT], project,
				 &s->group[GROUPS_BY_PROJECT]);
	return err;
}

static int name_session(const struct making *m, struct grouped_session *s,
			const struct session_row *row)
{
	static const enum timestamp_form forms[] = {
		[GROUPS_BY_PROJECT] = TIMESTAMP_DAY,
		[GROUPS_BY_DAY] = TIMESTAMP_CLOCK,
	};
	struct buf name BUF_SCOPED = { 0 };
	int err = 0;
	for (int v = 0; v < GROUPS_KEPT && !err; v++) {
		buf_clear(&name);
		session_name_add(&name, row, forms[v]);
		err = buf_error(&name);
		if (!err)
			err = buf_keep(&m->t->texts, buf_span(&name),
				       &s->name[v]);
	}
	s->name[GROUPS_FORKS] = s->name[GROUPS_BY_PROJECT];
	return err;
}

static int by_number(const void *a, const void *b)
{
	const struct session_row *x = *(const struct session_row *const *)a;
	const struct session_row *y = *(const struct session_row *const *)b;
	return (x->number > y->number) - (x->number < y->number);
}

static int add_sessions(struct making *m, struct groups_keys *keys,
			const struct session_rows *all)
{
	struct groups_table *t = m->t;
	m->rows = calloc(all->n + 1, sizeof(struct session_row *));
	t->sessions = calloc(all->n + 1, sizeof(*t->sessions));
	if (!m->rows || !t->sessions)
		return -ENOMEM;
	for (size_t i = 0; i < all->n; i++)
		m->rows[i] = all->list[i];
	if (all->n > 0)
		qsort(m->rows, all->n, sizeof(*m->rows), by_number);
	int err = 0;
	for (; t->n < all->n && !err; t->n++) {
		const struct session_row *row = m->rows[t->n];
		struct grouped_session *s = &t->sessions[t->n];
		s->number = row->number;
		s->time = row->summary.time;
		struct buf id BUF_SCOPED = { 0 };
		session_name_add_id(&id, row->path);
		err = buf_error(&id);
		if (!err)
			err = buf_keep(&t->texts, buf_span(&id), &s->id);
		if (!err)
			err = number_groups(s, row, keys);
		if (!err)
			err = name_session(m, s, row);
	}
	return err;
}

/* By group, then by name, then by path. */
static int in_order(const void *a, const void *b, void *data)
{
	const struct making *m = data;
	uint32_t i = *(const uint32_t *)a;
	uint32_t k = *(const uint32_t *)b;
	const struct grouped_session *x = &m->t->sessions[i];
	const struct grouped_session *y = &m->t->sessions[k];
	if (x->group[m->view] != y->group[m->view])
		return x->group[m->view] < y->group[m->view] ? -1 : 1;
	int order = span_compare(text_of(m->t, x->name[m->view]),
				 text_of(m->t, y->name[m->view]));
	return order ? order : strcmp(m->rows[i]->path, m->rows[k]->path);
}

static bool are_alike(const struct making *m, uint32_t i, uint32_t k)
{
	const struct grouped_session *x = &m->t->sessions[i];
	const struct grouped_session *y = &m->t->sessions[k];
	return x->group[m->view] == y->group[m->view] &&
	       span_eq(text_of(m->t, x->name[m->view]),
		       text_of(m->t, y->name[m->view]));
}

/* Let the name of the session at i tell it from those that are alike. */
static int rename_session(const struct making *m, uint32_t i)
{
	uint32_t *at = &m->t->sessions[i].name[m->view];
	uint64_t hash = hash_line(span_of(m->rows[i]->path), 0);
	struct buf name BUF_SCOPED = { 0 };
	buf_add(&name, text_of(m->t, *at));
	buf_addf(&name, "=%08x", (unsigned)hash);
	int err = buf_error(&name);
	if (!err)
		err = buf_keep(&m->t->texts, buf_span(&name), at);
	return err;
}

/* Sort the sessions by name, and rename those of one name in one group. */
static int sort_by_name(struct making *m, struct groups_order *o)
{
	uint32_t *named = o->named;
	size_t n = o->n_sessions;
	int err = 0;
	if (n == 0)
		return 0;
	qsort_r(named, n, sizeof(*named), in_order, m);
	for (size_t i = 0; i < n && !err;) {
		size_t end = i + 1;
		while (end < n && are_alike(m, named[i], named[end]))
			end++;
		for (size_t k = i; k < end && end - i > 1 && !err; k++)
			err = rename_session(m, named[k]);
		i = end;
	}
	qsort_r(named, n, sizeof(*named), in_order, m);
	return err;
}

/* By group, then by number. */
static int by_group(const void *a, const void *b, void *data)
{
	const struct making *m = data;
	uint32_t i = *(const uint32_t *)a;
	uint32_t k = *(const uint32_t *)b;
	uint32_t x = m->t->sessions[i].group[m->view];
	uint32_t y = m->t->sessions[k].group[m->view];
	/* Sessions are in the order of their numbers. */
	return x != y ? (x < y ? -1 : 1) : (i > k) - (i < k);
}

static void sort_by_group(struct making *m, struct groups_order *o)
{
	const struct groups_table *t = m->t;
	size_t n = o->n_sessions;
	if (n > 0)
		qsort_r(o->listed, n, sizeof(*o->listed), by_group, m);
	for (size_t i = 0; i < n; i++) {
		const struct grouped_session *s = &t->sessions[o->listed[i]];
		uint32_t number = s->group[m->view];
		if (o->n == 0 || o->groups[o->n - 1].number != number)
			o->groups[o->n++] =
				(struct group){ .number = number,
						.time = TIMESTAMP_NONE };
		struct group *g = &o->groups[o->n - 1];
		if (s->time != TIMESTAMP_NONE &&
		    (g->time == TIMESTAMP_NONE || s->time > g->time))
			g->time = s->time;
		g->sum += hash_line(text_of(t, s->name[m->view]), 0);
	}
}

static int name_groups(const struct making *m, struct groups_order *o,
		       const struct groups_keys *keys)
{
	const struct path_names_taken taken = { &no_directory, 1 };
	struct path_name *names = calloc(o->n + 1, sizeof(*names));
	size_t *which = calloc(o->n + 1, sizeof(*which));
	size_t n = 0;
	int err = names && which ? 0 : -ENOMEM;
	for (size_t i = 0; i < o->n && !err; i++) {
		struct span key =
			buf_kept(&keys->texts, keys->at[o->groups[i].number]);
		if (m->view == GROUPS_BY_PROJECT && key.n > 0) {
			names[n].path = key;
			which[n++] = i;
			continue;
		}
		err = buf_keep(&m->t->texts, key.n > 0 ? key : no_directory,
			       &o->groups[i].name);
	}
	if (!err)
		err = path_names_make(names, n, &taken);
	for (size_t i = 0; i < n && !err; i++)
		err = buf_keep(&m->t->texts, buf_span(&names[i].name),
			       &o->groups[which[i]].name);
	for (size_t i = 0; i < n; i++)
		buf_free(&names[i].name);
	for (size_t i = 0; i < o->n && !err; i++)
		o->sum += hash_line(text_of(m->t, o->groups[i].name), 0);
	free(names);
	free(which);
	return err;
}

/* The groups of forks are called as their bases are shown. */
static int name_bases(const struct making *m, struct groups_order *o)
{
	int err = 0;
	for (size_t i = 0; i < o->n && !err; i++) {
		struct group *g = &o->groups[i];
		const struct grouped_session *s =
			groups_table_next(m->t, GROUPS_FORKS, g->number, 0);
		const struct session_row *row = m->rows[s - m->t->sessions];
		err = buf_keep(&m->t->texts, span_of(row->base->shown),
			       &g->name);
		o->sum += hash_number(g->sum ^ g->number);
	}
	return err;
}

static int make_view(struct making *m, const struct groups_keys *keys)
{
	struct groups_order *o = &m->t->views[m->view];
	size_t n = m->t->n + 1;
	o->groups = calloc(n, sizeof(*o->groups));
	o->listed = calloc(n, sizeof(*o->listed));
	o->named = calloc(n, sizeof(*o->named));
	if (!o->groups || !o->listed || !o->named)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->t->n; i++) {
		if (m->t->sessions[i].group[m->view] != NO_FORK)
			o->listed[o->n_sessions++] = i;
	}
	if (o->n_sessions > 0)
		memcpy(o->named, o->listed, o->n_sessions * sizeof(*o->named));
	int err = sort_by_name(m, o);
	if (err)
		return err;
	sort_by_group(m, o);
	return m->view == GROUPS_FORKS ? name_bases(m, o)
				       : name_groups(m, o, &keys[m->view]);
}

int groups_table_make(struct groups_table *t,
		      struct groups_keys keys[GROUPS_KEPT],
		      const struct session_rows *rows)
{
	struct making m = { .t = t };
	int err = add_sessions(&m, keys, rows);
	for (; m.view < GROUPS_VIEWS && !err; m.view++)
		err = make_view(&m, keys);
	free(m.rows);
	return err;
}

void groups_table_free(struct groups_table *t)
{
	for (int v = 0; v < GROUPS_VIEWS; v++) {
		free(t->views[v].groups);
		free(t->views[v].listed);
		free(t->views[v].named);
	}
	free(t->sessions);
	buf_free(&t->texts);
	*t = (struct groups_table){ 0 };
}

/* -- searching */

const struct group *groups_table_number(const struct groups_table *t,
					enum groups_view view, uint32_t number)
{
	const struct groups_order *o = &t->views[view];
	size_t i = array_search_by(o->groups, o->n, number, number);
	return i < o->n && o->groups[i].number == number ? &o->groups[i] : NULL;
}

const struct group *groups_table_group(const struct groups_table *t,
				       enum groups_view view, struct span name)
{
	const struct groups_order *o = &t->views[view];
	for (size_t i = 0; i < o->n; i++) {
		if (span_eq(text_of(t, o->groups[i].name), name))
			return &o->groups[i];
	}
	return NULL;
}

/* What is searched for in a view: a number, or a name. */
struct search {
	const struct groups_table *t;
	enum groups_view view;
	uint32_t group;
	uint32_t number;
	struct span name;
};

static bool is_before(const void *list, size_t i, const void *key)
{
	const struct search *k = key;
	const struct grouped_session *s =
		&k->t->sessions[((const uint32_t *)list)[i]];
	if (s->group[k->view] != k->group)
		return s->group[k->view] < k->group;
	if (!k->name.p)
		return s->number < k->number;
	return span_compare(text_of(k->t, s->name[k->view]), k->name) < 0;
}

/* The first session of the group that is not before it, in one of the orders.
 */
static const struct grouped_session *search(const struct search *k,
					    const uint32_t *order)
{
	size_t n = k->t->views[k->view].n_sessions;
	size_t i = array_search(order, n, is_before, k);
	const struct grouped_session *s =
		i < n ? &k->t->sessions[order[i]] : NULL;
	return s && s->group[k->view] == k->group ? s : NULL;
}

/* The id that a name ends with, as session_name_add() and "=" have made it. */
static struct span id_of(struct span name)
{
	const char *equals = memrchr(name.p, '=', name.n);
	if (equals)
		name.n = (size_t)(equals - name.p);
	const char *dash = memrchr(name.p, '-', name.n);
	size_t from = dash ? (size_t)(dash + 1 - name.p) : name.n;
	return span_from(name, from);
}

/* The session that was seen first of those with the id of a name. */
static const struct grouped_session *had_name(const struct groups_table *t,
					      enum groups_view view,
					      uint32_t group, struct span name)
{
	struct span id = id_of(name);
	const struct grouped_session *other = NULL;
	for (size_t i = 0; i < t->n && id.n > 0; i++) {
		const struct grouped_session *s = &t->sessions[i];
		if (!span_eq(text_of(t, s->id), id))
			continue;
		if (s->group[view] == group)
			return s;
		if (view < GROUPS_KEPT)
			other = other ? other : s;
	}
	return other;
}

const struct grouped_session *groups_table_session(const struct groups_table *t,
						   enum groups_view view,
						   uint32_t group,
						   struct span name)
{
	const struct search key = { t, view, group, 0, name };
	const struct grouped_session *s = search(&key, t->views[view].named);
	return s && span_eq(text_of(t, s->name[view]), name)
		       ? s
		       : had_name(t, view, group, name);
}

const struct grouped_session *
groups_table_numbered(const struct groups_table *t, uint32_t number)
{
	size_t i = array_search_by(t->sessions, t->n, number, number);
	return i < t->n && t->sessions[i].number == number ? &t->sessions[i]
							   : NULL;
}

const struct grouped_session *groups_table_next(const struct groups_table *t,
						enum groups_view view,
						uint32_t group, uint32_t number)
{
	const struct search key = { t, view, group, number, { 0 } };
	return search(&key, t->views[view].listed);
}
