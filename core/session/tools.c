#include "core/session/dialect/tools.h"

#include <stddef.h>

const char *tool_kind_name(enum tool_kind kind)
{
	static const char *const names[TOOL_KINDS] = {
		[TOOL_SHELL] = "shell", [TOOL_EDIT] = "edit",
		[TOOL_READ] = "read",	[TOOL_SEARCH] = "search",
		[TOOL_WEB] = "web",
	};
	return names[kind];
}

const char *file_act_name(enum file_act act)
{
	static const char *const names[FILE_ACTS] = {
		[FILE_TOUCH] = "touch",	  [FILE_READ] = "read",
		[FILE_WRITE] = "write",	  [FILE_EDIT] = "edit",
		[FILE_DELETE] = "delete", [FILE_MOVE] = "move",
	};
	return names[act];
}

void file_act_add(struct buf *out, enum file_act act, bool failed)
{
	buf_adds(out, file_act_name(act));
	buf_adds(out, failed ? FILE_ACT_FAILED : "");
}

static const struct tool_row tools[] = {
	{ "bash", TOOL_SHELL, FILE_NONE, NULL },
	{ "BashOutput", TOOL_SHELL, FILE_NONE, NULL },
	{ "PowerShell", TOOL_SHELL, FILE_NONE, NULL },
	{ "python", TOOL_SHELL, FILE_NONE, NULL },
	{ "eval", TOOL_SHELL, FILE_NONE, NULL },
	{ "ssh", TOOL_SHELL, FILE_NONE, NULL },
	{ "shell", TOOL_SHELL, FILE_NONE, NULL },
	{ "shell_command", TOOL_SHELL, FILE_NONE, NULL },
	{ "container.exec", TOOL_SHELL, FILE_NONE, NULL },
	{ "exec_command", TOOL_SHELL, FILE_NONE, NULL },
	{ "write_stdin", TOOL_SHELL, FILE_NONE, NULL },
	{ "run_shell_command", TOOL_SHELL, FILE_NONE, NULL },
	{ "monitor", TOOL_SHELL, FILE_NONE, NULL },

	{ "edit", TOOL_EDIT, FILE_EDIT, NULL },
	{ "MultiEdit", TOOL_EDIT, FILE_EDIT, NULL },
	{ "replace", TOOL_EDIT, FILE_EDIT, NULL },
	{ "ast_edit", TOOL_EDIT, FILE_EDIT, NULL },
	{ "apply_patch", TOOL_EDIT, FILE_EDIT, NULL },
	{ "write", TOOL_EDIT, FILE_WRITE, NULL },
	{ "write_file", TOOL_EDIT, FILE_WRITE, NULL },
	{ "NotebookEdit", TOOL_EDIT, FILE_EDIT, "notebook_path" },
	{ "notebook_edit", TOOL_EDIT, FILE_EDIT, "notebook_path" },
	{ "notebook", TOOL_EDIT, FILE_EDIT, "notebook_path" },

	{ "read", TOOL_READ, FILE_READ, NULL },
	{ "read_file", TOOL_READ, FILE_READ, NULL },
	{ "read_many_files", TOOL_READ, FILE_TOUCH, NULL },
	{ "NotebookRead", TOOL_READ, FILE_READ, "notebook_path" },
	{ "view_image", TOOL_READ, FILE_READ, NULL },

	{ "grep", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "grep_files", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "grep_search", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "ast_grep", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "search", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "find", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "glob", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "ls", TOOL_SEARCH, FILE_TOUCH, NULL },
	{ "list_dir", TOOL_SEARCH, FILE_TOUCH, "dir_path" },
	{ "list_directory", TOOL_SEARCH, FILE_TOUCH, NULL },

	{ "WebFetch", TOOL_WEB, FILE_NONE, NULL },
	{ "WebSearch", TOOL_WEB, FILE_NONE, NULL },
	{ "web_fetch", TOOL_WEB, FILE_NONE, NULL },
	{ "web_search", TOOL_WEB, FILE_NONE, NULL },
	{ "fetch", TOOL_WEB, FILE_NONE, NULL },
	{ "browser", TOOL_WEB, FILE_NONE, NULL },
};

const struct tool_row *tool_find(struct span tool)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (span_eq_any_case(span_of(tools[i].name), tool))
			return &tools[i];
	}
	return NULL;
}

bool tool_is(struct span tool, struct span name)
{
	const struct tool_row *r = tool_find(tool);
	return span_eq_any_case(tool, name) ||
	       (r && span_eq_any_case(span_of(tool_kind_name(r->kind)), name));
}
