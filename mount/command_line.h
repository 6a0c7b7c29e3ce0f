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

enum action {
	ACTION_MOUNT,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_USAGE, /* wrong, and reported */
};

struct command_line {
	struct options options;
	const char *mountpoint;
	int all;	  /* the folders of all agents are SOURCE */
	size_t n_sources; /* of options.names; the first ones */
	int foreground;
	int debug;
	int single_thread;
	bool no_memory;	       /* why it is ACTION_USAGE, if it is */
	struct fuse_args fuse; /* libfuse's own options */

	/* private */
	int help;
	int version;
	size_t cap_names;
};

/* The caller calls command_line_free() after every action. */
enum action command_line_parse(struct command_line *c, int argc, char **argv);
void command_line_free(struct command_line *c);

#endif
