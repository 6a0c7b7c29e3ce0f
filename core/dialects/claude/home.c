/*
 * Where Claude Code keeps transcripts: a folder for each working directory in
 * ~/.claude/projects (CLAUDE_CONFIG_DIR). Several directories may have one.
 */
#include "core/dialects/claude/claude.h"

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

static int find(const struct home_search *h)
{
	return home_find_projects(h, add_folder, "", NAME_LIMIT);
}

const struct dialect_home claude_home = {
	.agent = "Claude Code",
	.find = find,
	.add_folder = add_folder,
	.moves = true,
	.subagents = "agent-",
};
