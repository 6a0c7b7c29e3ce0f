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

const struct tool_row *tool_find(const struct tool_row *rows, struct span tool)
{
	for (const struct tool_row *r = rows; r && r->name; r++) {
		if (span_eq_any_case(span_of(r->name), tool))
			return r;
	}
	return NULL;
}

bool tool_is(const struct tool_row *rows, struct span tool, struct span name)
{
	const struct tool_row *r = tool_find(rows, tool);
	return span_eq_any_case(tool, name) ||
	       (r && span_eq_any_case(span_of(tool_kind_name(r->kind)), name));
}
