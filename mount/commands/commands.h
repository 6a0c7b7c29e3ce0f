/*
 * The commands: what sessfs does besides a mount. `sessfs NAME ...` runs one.
 *
 * A command is a row in the table (table.c). It reads the options that the user
 * gave, reports on stderr what fails, and returns the exit status.
 */
#ifndef SESSFS_COMMANDS_H
#define SESSFS_COMMANDS_H

#include "mount/cli/command.h"

/*
 * The table, which ends with a NULL. The first ones are for every day: the help
 * of sessfs says what they do.
 */
#define COMMANDS_OF_EVERY_DAY 9
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

/* Run a command with its words; argv[0] is its name. Returns the exit status.
 */
int command_run(const struct command *c, int argc, char **argv);

/*
 * check FILE...: report what is wrong with session files. Prints the faults
 * of each file of o->names (core/show/check.h), and how far the agent comes
 * from its tips (core/show/reach.h). Of several files those without faults are
 * left out. 0 if there are no faults, 1 if there are some, 2 if a file can't be
 * read; the other files are checked. Writes no file.
 */
extern const struct command command_check;

/*
 * export DIR SOURCE: write the files that a mount of the SOURCE shows to the
 * DIR, which is created or must be empty.
 *
 * An export walks the same tree as a mount (fs/tree/): the names, bytes, modes
 * and times are the same, except that the exporting user, who owns them, may
 * write to folders. tree/ is left out: it has the files of by-id/ again, and is
 * too deep for many programs. Files at a session's root that are not listed in
 * a mount are exported too.
 *
 * A session is entered once, so all of its files show it as of that moment. A
 * session that is rewritten meanwhile is given up; the rest of a folder is
 * exported all the same. SIGINT, SIGTERM and SIGHUP end the process between two
 * files.
 */
extern const struct command command_export;

/*
 * fast-export SESSION: print a stream for `git fast-import`: a commit for each
 * entry that is no bookkeeping, a branch for each tip (fast_export/history.h),
 * a tag for each label, and HEAD. With --files also what the file tools
 * wrote (fast_export/files.h).
 *
 * The stream is the same for the same session, so that commits have the same
 * names wherever it is imported. A folder of the tree is an entry, and those
 * before it stay: a commit adds files, and changes none.
 */
extern const struct command command_fast_export;

/*
 * files [PATH] SOURCE...: print the touches (core/show/touches.h) of all
 * sessions of the SOURCEs, or those of a file or of the files in a folder, a
 * line each, with tabs: time, session, entry, what was done, and the file's
 * path. 1 if nothing touched the PATH.
 */
extern const struct command command_files;

/*
 * list [SOURCE...]: print a line for each session, as in sessions.txt, of
 * o->names and of the folders among them, at any depth, the newest first
 * (core/catalogue/summary.h). The path is that of the file, below the SOURCE as
 * it was given, so it can be opened. Sessions are read on all processors,
 * unless they are unchanged since a former call (core/catalogue/store.h). One
 * that can't be read does not keep the others from being printed. Without a
 * SOURCE it prints all sessions of the agents, after the agent and a tab
 * (core/places/agents.h).
 */
extern const struct command command_list;

/*
 * sources: print the folders in which this user's agents keep sessions
 * (core/places/agents.h), one a line: AGENT, a tab, and the folder; with -c,
 * "shared" may be a third field. A backslash, tab or newline in a folder is
 * printed as \\, \t or \n.
 */
extern const struct command command_sources;

/*
 * keep: make hard links to the sessions of this user's agents, with what is in
 * their own folders, so that what an agent deletes stays (core/places/kept.h).
 * Links of files that their agents have deleted move to where they are listed
 * and searched. An agent's append shows in both, as it is one file.
 */
extern const struct command command_keep;

/*
 * open [DIR | SESSION | ID]: mount a session, and print the path of its mount
 * (mounts.h): the newest of a working directory that its agent would go on
 * from, a file, or the one whose id starts so. Without an operand the user
 * chooses from all sessions on a terminal; elsewhere it is the newest of the
 * working directory, which is said on stderr.
 */
extern const struct command command_open;

/*
 * skill install|uninstall [AGENT | DIR]...: link the skill that teaches an
 * agent to find and read past sessions where an AGENT looks for the user's
 * skills, or in DIR; by default for each agent that has a folder here. Prints
 * the links, or those that were removed. What is no link to the skill of sessfs
 * is left alone.
 */
extern const struct command command_skill;

/*
 * rescue OUT FILE: write a damaged session anew, so that its agent opens it
 * with everything in it that can be read. Salvages the lines of the FILE
 * (rescue/salvage.h), joins its broken links (rescue/joins.h), and writes the
 * OUT, which must not exist. Prints a line for each change, and how to open the
 * OUT. 0 if it was written, 1 if nothing needed to be changed, and nothing was
 * written, 2 on failure. The FILE is only read.
 */
extern const struct command command_rescue;

/*
 * complete WORD...: print what completion offers for the last one, for the
 * shells (mount/share/completion.*). It is in no help: command_named() finds
 * it, and the table lacks it. Records end with a NUL: w, or p for a word to
 * which more is added, or f for a path; the text; and a tab and what it is for.
 */
extern const struct command command_complete;

/*
 * resume [ENTRY] [PATH]: print or run the command with which the agent
 * continues from an entry (resume.h). 127 if the agent is not found.
 */
extern const struct command command_resume;

/*
 * grep PATTERN [PATH...]: search the contents of all entries of the sessions
 * that the PATHs are (target.h), or of all that the agents keep
 * (grep/search.h). What is found is exactly what grep -P finds in each content
 * by itself. Returns grep's exit status: 0 found, 1 not, 2 failed.
 */
extern const struct command command_grep;

/*
 * log [ENTRY | A..B | PATH]: show entries for people, the newest first: the
 * path from the root to an entry or HEAD, or to B from where A parts from it;
 * or what came after an entry. The first line says which session it is. With
 * --tree print the session's tree.txt.
 */
extern const struct command command_log;

/*
 * switch [ENTRY | -] [PATH]: let the user choose an entry of a session from
 * its tree.txt (choose.h), move HEAD to it, and print HEAD's target. With
 * "-" move it to where it was before it was last moved so: a link in the folder
 * of mounts.h remembers that. 130 if nothing is chosen.
 */
extern const struct command command_switch;

/*
 * restore [ENTRY] [NAME...]: make the files of the session's working directory
 * what they were at an entry (restore/plan.h), and keep what was there
 * (restore/replaced.h).
 */
extern const struct command command_restore;

/* say TEXT [PATH]: append a user's message to a session. */
extern const struct command command_say;

/*
 * diff A B [PATH]: compare the contexts at two entries (target.h), of the same
 * or of two sessions, with diff(1), whose exit status it returns.
 */
extern const struct command command_diff;

/* help [COMMAND]: print what -h prints. */
extern const struct command command_help;

#endif
