#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/leaf.h"
#include "core/dialects/kit/process.h"

/* projects/NAME/ID.jsonl */
#define DEPTH 2

static pid_t find_process(struct gate *g, const char *path)
{
	return process_with(g, "/proc", path, DEPTH);
}

static int in_use(struct gate *g, const char *path, struct json header,
		  struct refusal *refusal)
{
	(void)header;
	return process_refuses(g, path, DEPTH,
			       "Claude Code has this session open and would go "
			       "on from its own "
			       "place: quit it, or mount with -o force",
			       refusal);
}

const struct dialect_agent claude_agent = {
	.faults = {
		.null_line = "Claude Code 2.1.112 loses the lines after it",
		.timeless = "Claude Code 2.1.112 finds no conversation",
		.cycle = "Claude Code 2.0.76 sends nothing",
	},
	.unopened = claude_unopened,
	.in_use = in_use,
	.process = find_process,
};
