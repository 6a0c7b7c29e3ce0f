#include "core/session/dialect/tools.h"

#include "tests/unit/test.h"

static const struct {
	const char *tool;
	const char *name;
	bool is;
} rows[] = {
	{ "bash", "shell", true },	 { "Bash", "bash", true },
	{ "write", "edit", true },	 { "write", "write", true },
	{ "read", "edit", false },	 { "web_search", "web", true },
	{ "Bash", "SHELL", true },	 { "Glob", "search", true },
	{ "Task", "shell", false },	 { "exec_command", "shell", true },
	{ "apply_patch", "edit", true }, { "none", "none", true },
	{ "none", "shell", false },
};

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		test_row = rows[i].tool;
		CHECK_INT(tool_is(span_of(rows[i].tool), span_of(rows[i].name)),
			  rows[i].is);
	}
	return test_done("tools");
}
