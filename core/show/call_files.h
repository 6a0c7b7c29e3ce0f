/*
 * Which files the arguments of a call name, and what the call does with each:
 * by the rows of tools (core/session/dialect/tools.h), and by the patch in
 * them. Agents have three forms of patches, all of which may be between
 * "*** Begin Patch" and "*** End Patch".
 *
 *     *** Add File: PATH          Codex's apply_patch, and oh-my-pi
 *     *** Delete File: PATH
 *     *** Update File: PATH
 *     *** Move to: PATH           after that
 *
 *     [PATH#TAG]                  oh-my-pi; then lines that change the file, or
 *     REM                         it is deleted, or
 *     MV PATH                     moved
 *
 *     *** SM:EDIT PATH [all]      oh-my-pi's mode "sloppy": then edits, which
 *     *** Edit File: PATH [all]   quote what they replace. Since 18.3.0 the
 *                                 second one. It may come again for a file
 */
#ifndef SESSFS_CALL_FILES_H
#define SESSFS_CALL_FILES_H

#include "core/json/json.h"
#include "core/session/dialect.h"

struct call_file {
	enum file_act act;
	struct span path;      /* as the call spells it */
	struct span body;      /* the lines of a patch for it; else empty */
	struct json arguments; /* the call's */
};

/* The row of a tool; NULL: it has none, or *err is -ENOMEM. */
const struct tool_row *call_files_row(struct json name, int *err);

/*
 * Call visit() for each file of a call with this name, in order, until it
 * returns anything but 0, which is returned. Else 0 or -ENOMEM.
 */
typedef int call_file_fn(void *data, const struct call_file *f);
int call_files(struct json name, struct json arguments, call_file_fn *visit,
	       void *data);

/* The same of all calls in an entry's line, one after the other. */
int call_files_of_line(const struct dialect *d, struct json line,
		       call_file_fn *visit, void *data);

/*
 * The same of the patches that the line's commands give a program, such as
 * "apply_patch <<EOF". Only a note tells whether it took them.
 */
int call_files_of_commands(const struct dialect *d, struct json line,
			   call_file_fn *visit, void *data);

/* One file of a patch. All spans are parts of the patch. */
struct patch_file {
	enum file_act act;
	struct span path;
	struct span to;	  /* of a file that is moved; else empty */
	struct span body; /* the lines that follow its head */
	bool quoting;	  /* it is of the third form */
};

/* Take the next file off a patch; false if there is none. */
bool patch_next(struct span *patch, struct patch_file *f);

#endif
