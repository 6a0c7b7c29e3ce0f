#include "core/dialects/claude/home.h"

#include <errno.h>

#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/subagents.h"
#include "core/dialects/kit/home.h"

/* A longer name is cut, and ends with a hash. */
#define NAME_LIMIT 200

static void add_folder(struct buf *out)
{
	home_add_plain_variable(out, "CLAUDE_CONFIG_DIR", ".claude");
}

void claude_add_projects(struct buf *out)
{
	add_folder(out);
	buf_adds(out, "/projects");
}

static int found_cut(void *data, struct span path)
{
	const struct home_search *h = data;
	return h->add(h, path, true);
}

static int find(const struct home_search *h)
{
	struct home_search copy = *h;
	struct buf projects = { 0 };
	struct buf name = { 0 };
	int err = 0;
	claude_add_projects(&projects);
	if (h->dir)
		home_add_letters(&name, span_of(h->dir));
	if (projects.failed || name.failed)
		err = -ENOMEM;
	else if (!h->dir)
		err = h->add(h, buf_span(&projects), false);
	else if (name.len <= NAME_LIMIT)
		err = home_found(h, &projects, buf_span(&name), false);
	else
		err = home_each(&projects,
				(struct span){ name.data, NAME_LIMIT },
				found_cut, &copy);
	buf_free(&projects);
	buf_free(&name);
	return err;
}

static bool is_subagent_file(struct span name)
{
	return span_starts(name, SPAN("agent-"));
}

const struct dialect_home claude_home = {
	.agent = "Claude Code",
	.find = find,
	.add_folder = add_folder,
	.moves = true,
	.is_subagent_file = is_subagent_file,
	.is_subagent = claude_is_subagent,
};
