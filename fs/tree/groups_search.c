#include "fs/tree/groups_table.h"

#include <string.h>

#include "core/base/array.h"

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
		if (span_eq(buf_kept(&t->texts, o->groups[i].name), name))
			return &o->groups[i];
	}
	return NULL;
}

/* What is searched for in a view. */
struct search {
	const struct groups_table *t;
	enum groups_view view;
	uint32_t group;
	uint32_t number;
	struct span name;
};

static bool name_before(const void *list, size_t i, const void *key)
{
	const struct search *k = key;
	const struct grouped_session *s =
		&k->t->sessions[((const uint32_t *)list)[i]];
	if (s->group[k->view] != k->group)
		return s->group[k->view] < k->group;
	return span_compare(buf_kept(&k->t->texts, s->name[k->view]), k->name) <
	       0;
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
		if (!span_eq(buf_kept(&t->texts, s->id), id))
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
	const struct groups_order *o = &t->views[view];
	const struct search key = { t, view, group, 0, name };
	size_t i = array_search(o->named, o->n_sessions, name_before, &key);
	const struct grouped_session *s =
		i < o->n_sessions ? &t->sessions[o->named[i]] : NULL;
	return s && s->group[view] == group &&
			       span_eq(buf_kept(&t->texts, s->name[view]), name)
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

static bool listed_before(const void *list, size_t i, const void *key)
{
	const struct search *k = key;
	const struct grouped_session *s =
		&k->t->sessions[((const uint32_t *)list)[i]];
	if (s->group[k->view] != k->group)
		return s->group[k->view] < k->group;
	return s->number < k->number;
}

const struct grouped_session *groups_table_next(const struct groups_table *t,
						enum groups_view view,
						uint32_t group, uint32_t number)
{
	const struct groups_order *o = &t->views[view];
	const struct search key = { t, view, group, number, { 0 } };
	size_t i = array_search(o->listed, o->n_sessions, listed_before, &key);
	return i < o->n_sessions &&
			       t->sessions[o->listed[i]].group[view] == group
		       ? &t->sessions[o->listed[i]]
		       : NULL;
}
