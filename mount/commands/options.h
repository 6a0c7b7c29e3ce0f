/*
 * What the user wants of sessfs, for all that reads sessions: the commands, and
 * a mount. mount/command_line.h parses it.
 */
#ifndef SESSFS_OPTIONS_H
#define SESSFS_OPTIONS_H

#include <stddef.h>

struct dialect;

/* What is special to --grep. */
struct grep_options {
	char **args; /* of grep: those after "--"; borrowed */
	size_t n_args;
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

#endif
