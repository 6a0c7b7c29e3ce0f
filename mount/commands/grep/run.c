#include "mount/commands/grep/run.h"

#include <string.h>

#include "mount/cli/status.h"
#include "mount/operands/target.h"

/* Search PATHs, or those of the agents, with what the options have for them. */
static void search(struct grep_run *r, const struct select_by *by, char *path)
{
	size_t n = path ? 1 : 0;
	switch (grep_search_run(&r->search, r->o, by, &path, n)) {
	case GREP_FOUND:
		r->found = true;
		break;
	case GREP_NOT_FOUND:
		if (!r->found)
			grep_unknown_look(&r->unknown, r->o, by, &path, n);
		break;
	case GREP_FAILED:
		r->failed = true;
		break;
	}
}

/*
 * What the sessions of a target are called. -l prints a file by its own name.
 */
static const char *name_of(const struct grep_run *r, const struct target *t,
			   const char *path)
{
	bool is_file = !t->is_folder && !t->root && !t->entry;
	if (!r->how->list)
		return t->shown;
	return is_file ? path : *t->shown ? t->shown : ".";
}

static void search_target(struct grep_run *r, const struct target *t,
			  const char *path)
{
	struct grep_options *how = r->how;
	bool shows_other =
		t->is_set || (t->is_folder && strcmp(t->source, path) != 0);
	how->files = !t->root && !shows_other;
	how->shows_path = true;
	how->entry = t->entry;
	how->subtree = t->subtree;
	struct select_by by = how->by;
	by.name = name_of(r, t, path);
	by.called = path;
	by.forced = t->dialect ? t->dialect : r->o->dialect;
	search(r, &by, t->source);
}

static void search_path(struct grep_run *r, const char *path)
{
	struct target t;
	int status = target_find(&t, path);
	if (status)
		r->failed = true;
	else
		search_target(r, &t, path);
	target_free(&t);
}

void grep_run_search(struct grep_run *r)
{
	struct grep_options *how = r->how;
	for (size_t i = 0; i < r->n; i++)
		search_path(r, r->paths[i]);
	if (r->n == 0) {
		how->files = true;
		how->shows_path = false;
		how->by.forced = r->o->dialect;
		search(r, &how->by, NULL);
	}
	if (!r->found && !r->failed && r->search.rest == 0)
		r->failed = grep_unknown_report(&r->unknown);
}
