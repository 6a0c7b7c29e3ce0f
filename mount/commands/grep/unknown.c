#include "mount/commands/grep/unknown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/show/rows.h"
#include "mount/commands/grep/filter.h"
#include "mount/operands/pieces.h"

/* Session files that make a batch. */
#define BATCH_BYTES ((uint64_t)1 << 20)

static size_t count(const struct grep_unknown *u)
{
	return u->how->entries.roles.n + u->how->entries.tools.n;
}

/* One of the values. */
struct value {
	const char *text;
	bool is_role; /* or a tool */
};

static struct value value_at(const struct grep_unknown *u, size_t i)
{
	const struct texts *roles = &u->how->entries.roles;
	struct value v = { .is_role = i < roles->n };
	v.text = v.is_role ? roles->list[i]
			   : u->how->entries.tools.list[i - roles->n];
	return v;
}

static bool is_role(const char *text)
{
	for (size_t i = 0; rows_roles[i]; i++) {
		if (span_eq_any_case(span_of(rows_roles[i]), span_of(text)))
			return true;
	}
	return false;
}

/* Is it the name or the kind of a tool of any agent? */
static bool is_tool(const char *text)
{
	for (int kind = 0; kind < TOOL_KINDS; kind++) {
		if (span_eq_any_case(span_of(tool_kind_name(kind)),
				     span_of(text)))
			return true;
	}
	for (size_t i = 0; i < dialect_registry.n; i++) {
		const struct tool_row *row = dialect_registry.rows[i]->tools;
		for (; row && row->name; row++) {
			if (span_eq_any_case(span_of(row->name), span_of(text)))
				return true;
		}
	}
	return false;
}

int grep_unknown_begin(struct grep_unknown *u, const struct grep_options *how)
{
	*u = (struct grep_unknown){ .how = how };
	u->is_known = calloc(count(u) + 1, sizeof(*u->is_known));
	for (size_t i = 0; i < count(u) && u->is_known; i++) {
		struct value v = value_at(u, i);
		u->is_known[i] = v.is_role ? is_role(v.text) : is_tool(v.text);
	}
	return u->is_known ? 0 : -ENOMEM;
}

static bool is_known(const struct grep_unknown *u, size_t i)
{
	return __atomic_load_n(&u->is_known[i], __ATOMIC_RELAXED);
}

static bool are_known(const struct grep_unknown *u)
{
	size_t i = 0;
	while (i < count(u) && is_known(u, i))
		i++;
	return i == count(u);
}

struct looking {
	struct grep_unknown *u;
	struct grep_filter filter;
};

static int look_at(void *data, const struct session *s, uint32_t entry)
{
	struct looking *l = data;
	int err = 0;
	for (size_t i = 0; i < count(l->u) && !err; i++) {
		struct value v = value_at(l->u, i);
		bool yes = false;
		if (is_known(l->u, i))
			continue;
		err = grep_filter_has(&l->filter, s, entry,
				      v.is_role ? v.text : NULL,
				      v.is_role ? NULL : v.text, &yes);
		if (yes)
			__atomic_store_n(&l->u->is_known[i], true,
					 __ATOMIC_RELAXED);
	}
	return err;
}

static void drop(void *data)
{
	struct looking *l = data;
	grep_filter_end(&l->filter);
}

static void work(struct pieces *p, const struct batch *b, struct buf *out)
{
	struct grep_unknown *u = p->data;
	(void)out;
	for (size_t i = 0; i < b->n && !are_known(u); i++) {
		struct looking l = { .u = u,
				     .filter = { .how = u->how,
						 .piece = &b->list[i] } };
		const struct piece_visitor v = { &l, look_at, drop };
		piece_visit(p, &b->list[i], &v);
		grep_filter_end(&l.filter);
	}
}

static int emit(struct pieces *p, const struct buf *out)
{
	(void)out;
	return are_known(p->data) ? -ECANCELED : 0;
}

void grep_unknown_look(struct grep_unknown *u, const struct options *o,
		       const struct select_by *by, char *const *paths, size_t n)
{
	struct pieces p = { .o = o,
			    .by = by,
			    .paths = paths,
			    .n_paths = n,
			    .bytes = BATCH_BYTES,
			    .data = u,
			    .work = work,
			    .emit = emit };
	if (!are_known(u))
		(void)pieces_run(&p);
}

bool grep_unknown_report(const struct grep_unknown *u)
{
	size_t i = 0;
	while (i < count(u) && is_known(u, i))
		i++;
	if (i == count(u))
		return false;
	struct value v = value_at(u, i);
	struct buf shown = { 0 };
	text_add_one_line(&shown, span_of(v.text));
	const char *text = buf_cstr(&shown);
	if (v.is_role)
		fprintf(stderr,
			"sessfs: --role=%s: no entry has this role; most have "
			"user, assistant or toolResult\n",
			text ? text : "");
	else
		fprintf(stderr,
			"sessfs: --tool=%s: no entry has such a tool; kinds "
			"are shell, edit, read, search and web\n",
			text ? text : "");
	buf_free(&shown);
	return true;
}

void grep_unknown_free(struct grep_unknown *u)
{
	free(u->is_known);
	*u = (struct grep_unknown){ 0 };
}
