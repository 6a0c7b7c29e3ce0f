/*
 * What sessfs does without a mount. Each command reads the options that the
 * user gave, reports on stderr what fails, and returns the exit status. A mount
 * has the same options; mount/command_line.h parses them.
 */
#ifndef SESSFS_COMMANDS_H
#define SESSFS_COMMANDS_H

#include <stddef.h>

struct dialect;

/* What is special to --grep. */
struct grep_options {
	char **args; /* "--" and the arguments of grep after it; borrowed */
	int n_args;  /* with the "--"; 0: there is none */
	int files;
	int more;
	int color;
	int heading;
	int table;
	char *name;
	char *entry;
	char *subtree;
	char *role;
	char *tool;
	const struct dialect *agent; /* or NULL */
};

struct options {
	char **names; /* operands: FILE..., SOURCE..., or SOURCE MOUNTPOINT */
	size_t n_names;
	const char *source;	       /* NULL for commands that take several */
	char *folder;		       /* DIR of --export */
	const struct dialect *dialect; /* or NULL */
	unsigned keep;		       /* sessions in memory */
	unsigned columns;	       /* of tree.txt; 0: as many as usual */
	int read_only;
	int force;
	int stats;
	int color;
	int against_requests; /* of --check */
	int resumable;	      /* --list only what agents would go on from */
	struct grep_options grepping;
};

typedef int command_fn(const struct options *o);

/*
 * --check FILE...: report what is wrong with session files. Prints the faults
 * of each file of o->names (core/show/check.h), and how far the agent comes
 * from its tips (core/show/reach.h). Of several files those without faults are
 * left out. 0 if there are no faults, 1 if there are some, 2 if a file can't be
 * read; the other files are checked. Writes no file.
 */
command_fn check_files;

/*
 * --export DIR SOURCE: write the files that a mount of o->source shows to
 * o->folder, which is created or must be empty.
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
command_fn export_source;

/*
 * --lines SOURCE...: print every line of every entry's content, behind its path
 * (core/show/lines.h), of all sessions of o->names (pieces.h). Quiet if the
 * reader of a pipe has ended.
 */
command_fn lines_print;

/*
 * --list SOURCE...: print a line for each session, as in sessions.txt, of
 * o->names and of the folders among them, at any depth, the newest first
 * (core/show/summary.h). The path is that of the file, below the SOURCE as it
 * was given, so it can be opened. Sessions are read on all processors, unless
 * they are unchanged since a former call (list_cache.h). One that can't be read
 * does not keep the others from being printed.
 */
command_fn list_print;

/* --outline SESSION: print its tree.txt. */
command_fn outline_print;

/*
 * --rescue OUT FILE: write a damaged session anew, so that its agent opens it
 * with everything in it that can be read. Salvages the lines of the FILE
 * (rescue/salvage.h), joins its broken links (rescue/joins.h), and writes the
 * OUT, which must not exist. Prints a line for each change, and how to open the
 * OUT. 0 if it was written, 1 if nothing needed to be changed, and nothing was
 * written, 2 on failure. The FILE is only read.
 */
command_fn rescue_file;

/*
 * --grep SOURCE... -- GREP-ARGUMENTS: search the contents of all entries of
 * o->names with grep (grep/grep.c). scripts/bin/sessfs-grep is made of it. What
 * is found is exactly what grep finds in each content by itself. Returns grep's
 * exit status: 0 found, 1 not, 2 failed.
 */
command_fn grep_search;

#endif
