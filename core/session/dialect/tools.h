/*
 * The kinds of a dialect's tools: agents give the same tools different names,
 * and people look for what was done.
 */
#ifndef SESSFS_DIALECT_TOOLS_H
#define SESSFS_DIALECT_TOOLS_H

#include "core/base/span.h"

enum tool_kind {
	TOOL_SHELL,  /* runs commands */
	TOOL_EDIT,   /* writes or changes files */
	TOOL_READ,   /* shows a file */
	TOOL_SEARCH, /* finds files, or lines in them */
	TOOL_WEB,    /* fetches pages, or searches the web */
	TOOL_KINDS
};

/* A tool by its name, in any case. */
struct tool_row {
	const char *name;
	enum tool_kind kind;
};

/* What people call a kind. */
const char *tool_kind_name(enum tool_kind kind);

/*
 * Has a tool this name, in any case, or is it of a kind that is called so?
 * `rows` are the dialect's, up to one without a name; NULL: none.
 */
bool tool_is(const struct tool_row *rows, struct span tool, struct span name);

#endif
