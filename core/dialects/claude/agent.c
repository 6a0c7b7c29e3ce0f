#include "core/dialects/claude/claude.h"
#include "core/dialects/claude/leaf.h"
#include "core/dialects/kit/process.h"

static pid_t find_process(struct gate *g, const char *path)
{
	/* projects/NAME/ID.jsonl */
	return process_with(g, "/proc", path, 2);
}

static int in_use(struct gate *g, const char *path, struct json header,
		  struct refusal *refusal)
{
	(void)header;
	pid_t pid = find_process(g, path);
	*refusal = (struct refusal){
		.reason = "Claude Code has this session open and would go on "
			  "from its own place: quit it, or mount with -o force",
		.pid = pid > 0 ? pid : 0,
	};
	return pid > 0 ? 1 : pid;
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
