/*
 * The command line: sessfs [-f] [-d] [-s] [-o OPTIONS] SOURCE MOUNTPOINT
 */
#ifndef SESSFS_OPTIONS_H
#define SESSFS_OPTIONS_H

#define FUSE_USE_VERSION 314
#include <fuse_opt.h>

#include <stdbool.h>

/* What to do, and the exit status that goes with the first three. */
enum action {
	ACTION_MOUNT,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_USAGE, /* wrong, and said so */
};

struct options {
	char *source;
	char *mountpoint;
	char *dialect; /* its name, or NULL */
	int help;
	int version;
	int foreground;
	int debug;
	int single_thread;
	int read_only;
	int stats;
	int color;
	char *keep_text;
	char *poll_text;
	unsigned keep;	       /* sessions in memory */
	double poll;	       /* seconds; 0: only where it is needed */
	struct fuse_args fuse; /* what libfuse is told */
};

/* Free with options_free(), whatever the action. */
enum action options_parse(struct options *o, int argc, char **argv);
void options_free(struct options *o);

void options_print_help(void);

#endif
