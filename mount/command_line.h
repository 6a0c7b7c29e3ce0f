/*
 * The command line of a mount: options and operands. Errors are reported in one
 * line on stderr, before any file is opened.
 */
#ifndef SESSFS_COMMAND_LINE_H
#define SESSFS_COMMAND_LINE_H

#define FUSE_USE_VERSION 314
#include <fuse_opt.h>
#include <stdbool.h>

#include "mount/commands/commands.h"

struct command_line {
	struct options options;
	const char *mountpoint;
	int all;	  /* the folders of all agents are SOURCE */
	size_t n_sources; /* of options.names; the first ones */
	int foreground;
	int debug;
	int single_thread;
	struct fuse_args fuse; /* libfuse's own options */
	int help;	       /* is all that is wanted; or the version */
	int version;
	/* private */
	bool no_memory;
	size_t cap_names;
};

/* Returns an exit status. The caller calls command_line_free() in any case. */
int command_line_parse(struct command_line *c, int argc, char **argv);
void command_line_free(struct command_line *c);

#endif
