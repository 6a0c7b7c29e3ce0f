/*
 * What a command is: a name, rows of options, and a function that runs it.
 */
#ifndef SESSFS_COMMAND_H
#define SESSFS_COMMAND_H

#include "mount/cli/options.h"

struct dialect;

/* What a command and a mount are given. */
struct options {
	char **names; /* operands; borrowed, as all texts */
	size_t n_names;
	const char *source;	       /* the first one, or NULL */
	char **rest;		       /* the words after "--", up to a NULL,
					  for a command that takes them */
	const struct dialect *dialect; /* or NULL */
	unsigned keep;		       /* sessions in memory */
	unsigned columns;	       /* of tree.txt; 0: as many as usual */
	double poll;		       /* seconds; 0: only if needed */
	unsigned max_read; /* bytes in a read request; 0: as many as usual */
	int read_only;
	int force;
	int stats;
	int color;
	int resumable; /* list only what agents would go on from */
	void *own;     /* the command's own struct, which its rows set */
};

struct command {
	const char *name;
	const char *usage; /* its operands; completions read it, too */
	const char *help;  /* a line or a few, of what it does */
	const struct option_row *options; /* NULL: it has none */
	size_t size;	/* of its own struct; 0: it has none */
	unsigned least; /* operands */
	unsigned most;
	unsigned texts;	 /* the first ones are texts, which may be empty */
	bool takes_rest; /* words after "--" are no operands */
	bool once;	 /* comes to no session twice */
	int (*run)(const struct options *o);
};

#endif
