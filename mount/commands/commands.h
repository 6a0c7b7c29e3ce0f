/*
 * The commands: what sessfs does besides a mount. `sessfs NAME ...` runs one.
 *
 * A command is a row in the table (table.c). It reads the options that the user
 * gave, reports on stderr what fails, and returns the exit status.
 */
#ifndef SESSFS_COMMANDS_H
#define SESSFS_COMMANDS_H

#include "mount/cli/options.h"

/* The table, which ends with a NULL. */
extern const struct command *const commands[];

/* Print the help of sessfs, as for -h. */
void help_print(void);

/* Of a help text: which words name an entry. */
#define ENTRY_HELP                                                       \
	"is an id or the start of one, a label, a branch, HEAD/parent, " \
	"or a path,\n"                                                   \
	"also SESSION/by-id/ID, as grep prints it"

/* A command by its name, the hidden one as well, or NULL. */
const struct command *command_named(const char *name);

/*
 * What each does, prints and returns is on its page, mount/share/man/. Here is
 * where to look, and what only the code knows.
 */

/* -- of every day */

extern const struct command command_grep;    /* grep/search.h */
extern const struct command command_open;    /* mounts.h */
extern const struct command command_list;    /* core/catalogue/summary.h */
extern const struct command command_log;     /* log_show.h */
extern const struct command command_switch;  /* choose.h, and a target.h */
extern const struct command command_resume;  /* resume.h */
extern const struct command command_files;   /* core/show/touches.h */
extern const struct command command_restore; /* restore/restore.h */
extern const struct command command_keep;    /* core/session/kept.h */

/* -- plumbing */

extern const struct command command_diff;
extern const struct command command_say;

/*
 * An export walks the same tree as a mount (fs/tree/). A session is entered
 * once, so all of its files show it as of that moment. SIGINT, SIGTERM and
 * SIGHUP end the process between two files.
 */
extern const struct command command_export;

/*
 * The stream is the same for the same session, so that commits have the same
 * names wherever it is imported (fast_export/fast_export.h).
 */
extern const struct command command_fast_export;

extern const struct command command_check;   /* core/show/check.h */
extern const struct command command_rescue;  /* rescue/rescue.h */
extern const struct command command_sources; /* core/places/agents.h */
extern const struct command command_skill;
extern const struct command command_help;

/*
 * complete WORD...: print what completion offers for the last one, for the
 * shells (mount/share/completion.*). It is in no help: command_named() finds
 * it, and the table lacks it. Records end with a NUL: w, or p for a word to
 * which more is added, or f for a path; the text; and a tab and what it is for.
 */
extern const struct command command_complete;

#endif
