#include "core/session/dialect/tools.h"

#include "tests/unit/test.h"

static const struct {
	const char *dialect;
	const char *tool;
	const char *name;
	bool is;
} rows[] = {
	{ "pi", "bash", "shell", true },
	{ "pi", "Bash", "bash", true },
	{ "pi", "write", "edit", true },
	{ "pi", "write", "write", true },
	{ "pi", "read", "edit", false },
	{ "omp", "web_search", "web", true },
	{ "claude", "Bash", "SHELL", true },
	{ "claude", "Glob", "search", true },
	{ "claude", "Task", "shell", false },
	{ "codex", "exec_command", "shell", true },
	{ "codex", "apply_patch", "edit", true },
	{ "go-tree", "bash", "bash", true },
	{ "go-tree", "bash", "shell", false },
};

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct dialect *d =
			dialect_named(span_of(rows[i].dialect));
		test_row = rows[i].tool;
		CHECK_INT(tool_is(d->tools, span_of(rows[i].tool),
				  span_of(rows[i].name)),
			  rows[i].is);
	}
	return test_done("tools");
}
