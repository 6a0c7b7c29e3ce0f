#include "mount/commands/grep/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "mount/cli/status.h"
#include "mount/operands/target.h"

/* Search SOURCEs, with what the options have for them. */
static void search(struct grep_run *r, char **names, size_t n,
		   const struct dialect *dialect)
{
	struct options o = *r->o;
	o.names = names;
	o.n_names = n;
	o.source = names[0];
	if (dialect)
		o.dialect = dialect;
	switch (grep_search_run(&r->search, &o)) {
	case GREP_FOUND:
		r->found = true;
		break;
	case GREP_NOT_FOUND:
		if (!r->found)
			grep_unknown_look(&r->unknown, &o);
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
	how->name = name_of(r, t, path);
	how->entry = t->entry;
	how->subtree = t->subtree;
	search(r, (char *[]){ t->source }, 1, t->dialect);
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

/* The folders of the agents, or of some: 0 or -errno. */
static int find_folders(const struct grep_run *r, struct agent_folders *f)
{
	const struct texts *agents = &r->how->agents;
	int err = 0;
	if (agents->n == 0)
		err = agent_folders_find(f, &dialect_registry, NULL, NULL,
					 false);
	for (size_t i = 0; i < agents->n && !err; i++)
		err = agent_folders_find(
			f, &dialect_registry,
			agent_named(&dialect_registry, agents->list[i]), NULL,
			false);
	return err;
}

static int report_no_folders(const struct grep_run *r)
{
	const struct texts *agents = &r->how->agents;
	struct buf line = { 0 };
	buf_adds(&line, "there are no sessions of ");
	for (size_t i = 0; i < agents->n; i++)
		buf_addf(&line, "%s%s", i > 0 ? " or " : "", agents->list[i]);
	if (agents->n == 0)
		agent_add_titles(&dialect_registry, "or", &line);
	const char *text = buf_cstr(&line);
	fprintf(stderr, "sessfs: %s\n", text ? text : strerror(ENOMEM));
	buf_free(&line);
	return STATUS_FAILED;
}

/* A folder has only its agent's sessions, so that is not asked again. */
static void search_folders(struct grep_run *r, const struct agent_folders *f)
{
	struct grep_options *how = r->how;
	const struct texts agents = how->agents;
	char **names = calloc(f->n, sizeof(*names));
	if (!names) {
		(void)status_error("grep", -ENOMEM);
		r->failed = true;
		return;
	}
	for (size_t i = 0; i < f->n; i++)
		names[i] = f->list[i].path;
	how->files = true;
	how->shows_path = false;
	how->name = f->n == 1 ? names[0] : NULL;
	how->agents.n = 0;
	search(r, names, f->n, NULL);
	how->agents = agents;
	free(names);
}

static void search_agents(struct grep_run *r)
{
	struct agent_folders f = { 0 };
	int err = find_folders(r, &f);
	if (err)
		(void)status_error("grep", err);
	if (!err && f.n == 0)
		(void)report_no_folders(r);
	if (err || f.n == 0)
		r->failed = true;
	else
		search_folders(r, &f);
	agent_folders_free(&f);
}

void grep_run_search(struct grep_run *r)
{
	char *dir = r->how->here ? realpath(".", NULL) : NULL;
	if (r->how->here && !dir) {
		(void)status_error(".", -errno);
		r->failed = true;
		return;
	}
	r->how->dir = dir;
	for (size_t i = 0; i < r->n; i++)
		search_path(r, r->paths[i]);
	if (r->n == 0)
		search_agents(r);
	if (!r->found && !r->failed && r->search.rest == 0)
		r->failed = grep_unknown_report(&r->unknown);
	r->how->dir = NULL;
	free(dir);
}
