/*
 * The kinds of the agents' tools, and what they do with files: agents give the
 * same tools different names, and people look for what was done. The table is
 * that of all agents: in a copy for another agent tools keep their names.
 */
#ifndef SESSFS_DIALECT_TOOLS_H
#define SESSFS_DIALECT_TOOLS_H

#include "core/base/buf.h"

enum tool_kind {
	TOOL_SHELL,  /* runs commands */
	TOOL_EDIT,   /* writes or changes files */
	TOOL_READ,   /* shows a file */
	TOOL_SEARCH, /* finds files, or lines in them */
	TOOL_WEB,    /* fetches pages, or searches the web */
	TOOL_KINDS
};

/* What a call does with a file that it names. */
enum file_act {
	FILE_NONE,  /* it names none, or only in a command */
	FILE_TOUCH, /* it is not known what, or it is a folder to search */
	FILE_READ,
	FILE_WRITE, /* as a whole */
	FILE_EDIT,
	FILE_DELETE,
	FILE_MOVE, /* from or to this path */
	FILE_ACTS
};

/* A tool by its name, in any case. */
struct tool_row {
	const char *name;
	enum tool_kind kind;
	enum file_act act;
	/* The argument with the file's path; NULL: TOOL_FILE_MEMBERS. */
	const char *file;
};

/*
 * The arguments with a path, of which the first string counts, of tools that
 * have no name of their own for it, and of tools that are in no row: those
 * touch the file. An edit without any of them is a patch
 * (core/show/call_files.h).
 */
#define TOOL_FILE_MEMBERS "path", "file_path", "filename"

/* What people call a kind. */
const char *tool_kind_name(enum tool_kind kind);

/* As names of links have it: "edit". */
const char *file_act_name(enum file_act act);

/* The same with "-failed" behind it, if it has. */
void file_act_add(struct buf *out, enum file_act act, bool failed);
#define FILE_ACT_FAILED "-failed"

/* The row of a tool; NULL: none. */
const struct tool_row *tool_find(struct span tool);

/*
 * Has a tool this name, in any case, or is it of a kind that is called so?
 */
bool tool_is(struct span tool, struct span name);

#endif
