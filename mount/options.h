/*
 * The command line:
 *
 *     sessfs [-f] [-d] [-s] [-o OPTIONS] SOURCE MOUNTPOINT
 *     sessfs [-o OPTIONS] --check FILE...
 *     sessfs [-o OPTIONS] --export DIR SOURCE
 *     sessfs [-o OPTIONS] --lines SOURCE...
 *     sessfs [-o dialect=NAME] --list SOURCE...
 *     sessfs [-o OPTIONS] --grep [FILTERS] SOURCE... -- GREP-ARGUMENTS
 *     sessfs [-o OPTIONS] --outline SESSION
 *
 * Errors are reported in one line on stderr, before any file is opened.
 */
#ifndef SESSFS_OPTIONS_H
#define SESSFS_OPTIONS_H

#define FUSE_USE_VERSION 314
#include <fuse_opt.h>

#include <stdbool.h>
#include <stddef.h>

struct dialect;

enum action {
	ACTION_MOUNT,
	ACTION_CHECK,
	ACTION_EXPORT,
	ACTION_LINES,
	ACTION_LIST,
	ACTION_GREP,
	ACTION_OUTLINE,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_USAGE, /* wrong, and reported */
};

/* What is special to --grep. */
struct grep_options {
	char **args; /* of grep: those after "--"; borrowed */
	size_t n_args;
	int list;
	int files;
	int null;
	int more;
	int color;
	int heading;
	char *name;
	char *entry;
	char *subtree;
	char *role;
	char *tool;
	char *agent;
};

struct options {
	char **names; /* operands: FILE... or SOURCE..., or the next two */
	size_t n_names;
	size_t cap_names;
	const char *source;	/* NULL for commands that take several */
	const char *mountpoint; /* NULL except for a mount */
	char *folder;		/* DIR of --export */
	char *dialect_name;
	const struct dialect *dialect; /* or NULL */
	int check;
	int export;
	int lines;
	int list;
	int grep;
	struct grep_options grepping;
	int outline;
	int help;
	int version;
	int foreground;
	int debug;
	int single_thread;
	int read_only;
	int force;
	int stats;
	int color;
	char *keep_text;
	char *poll_text;
	char *columns_text;
	unsigned keep;	       /* sessions in memory */
	double poll;	       /* seconds; 0: only if needed */
	unsigned columns;      /* of tree.txt; 0: as many as usual */
	struct fuse_args fuse; /* libfuse's own options */
};

/* The caller calls options_free() after every action. */
enum action options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);

void options_print_help(void);

#endif
