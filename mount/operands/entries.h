/*
 * Which entries: the options that grep, log and files have for that: see
 * SELECTION in sessfs(1). select.h has those that say which sessions.
 */
#ifndef SESSFS_ENTRIES_H
#define SESSFS_ENTRIES_H

#include "core/session/session.h"
#include "core/show/calls.h"
#include "core/show/touches.h"
#include "mount/cli/options.h"
#include "mount/operands/select.h"

/* As they were given. */
struct entry_options {
	struct texts roles;
	struct texts tools;
	const char *file;
};

#define ENTRY_ROW(at, ...) OPTION_ROW_AT(struct entry_options, at, __VA_ARGS__)
#define ENTRY_ROWS(at, file_help)                                           \
	ENTRY_ROW(at, "role", OPTION_LIST, roles, "ROLE",                   \
		  "only entries with this role"),                           \
		ENTRY_ROW(at, "tool", OPTION_LIST, tools, "TOOL",           \
			  "only entries with a call or a result of it, or " \
			  "of\nthe kind shell, edit, read, search or web; " \
			  "several add up"),                                \
		ENTRY_ROW(at, "file", OPTION_TEXT, file, "PATH", file_help)

/*
 * After nothing was found: report the first role or tool that no agent is known
 * to have, if any. Probably it is misspelled.
 */
void entries_report_unknown(const struct entry_options *o);

/*
 * The PATH of a file, or of a folder with files in it, whose touches are asked
 * for (core/show/touches.h). It is one of a session if it is that as seen from
 * the session's working directory, or from the user's; "." and what begins with
 * it only from the user's, if that is in the project.
 */
struct touched_path {
	const char *path; /* as it was typed; NULL: any */
	char *here;	  /* the user's working directory, or NULL */
};

struct touched_path touched_begin(const char *path);
void touched_end(struct touched_path *p);

/* Is it what a folder's file is called, or around that? 1, 0 or -errno. */
int touched_has(const struct touched_path *p, const struct session *s,
		uint32_t folder);

/* The filter of one session after the other, for one thread. */
struct entry_filter {
	/* The caller sets these, and zeroes the others. */
	const struct entry_options *o;
	const struct touched_path *file; /* of --file */
	const struct select_by *by;	 /* its times count; NULL: any time */
	/* private */
	bool is_begun;
	struct calls calls; /* with --tool: those that results answer */
};

/* Does an entry of the session, which is entered, pass? 0 or -errno. */
int entry_filter_has(struct entry_filter *f, const struct session *s,
		     uint32_t entry, bool *yes);

/* After the last entry of a session, before it is left. */
void entry_filter_end(struct entry_filter *f);

#endif
