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

bool tool_is(const struct tool_row *rows, struct span tool, struct span name)
{
	if (span_eq_any_case(tool, name))
		return true;
	for (const struct tool_row *r = rows; r && r->name; r++) {
		if (span_eq_any_case(span_of(r->name), tool))
			return span_eq_any_case(
				span_of(tool_kind_name(r->kind)), name);
	}
	return false;
}
