/*
 * What is special to the command grep.
 */
#ifndef SESSFS_GREP_OPTIONS_H
#define SESSFS_GREP_OPTIONS_H

struct grep_options {
	int files;
	int more;
	int color;
	int heading;
	int table;
	const char *name;
	const char *entry;
	const char *subtree;
	const char *role;
	const char *tool;
	const char *agent;
	const struct dialect *dialect; /* of that name, or NULL */
};

#endif
