/*
 * The options of -o, in one table: what is parsed, what help prints and what
 * completion offers is made of it.
 *
 * Not all have each of them. In a row of options (options.h) whose kind is
 * OPTION_SESSION, `at` says which ones the command has.
 */
#ifndef SESSFS_MOUNT_OPTIONS_H
#define SESSFS_MOUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum mount_option_takers {
	TAKEN_BY_MOUNT = 1,   /* sessfs -o, and open */
	TAKEN_BY_READING = 2, /* commands that read sessions */
	TAKEN_BY_EXPORT = 4,
	TAKEN_BY_LIST = 8,
};

enum mount_option_kind {
	MOUNT_OPTION_FLAG,    /* int */
	MOUNT_OPTION_NUMBER,  /* unsigned */
	MOUNT_OPTION_SECONDS, /* double */
	MOUNT_OPTION_DIALECT, /* const struct dialect * */
	MOUNT_OPTION_OTHER,   /* libfuse's own */
};

struct mount_option {
	const char *name;
	const char *value; /* what help calls its value; NULL: it has none */
	const char *help;
	unsigned takers;
	bool is_rare; /* not in the help of a mount, which is a screen */
	enum mount_option_kind kind;
	size_t at;	/* in struct options (command.h) */
	unsigned least; /* of a number */
	unsigned most;
};

/* The table. It ends with a row without a name. */
extern const struct mount_option mount_options[];

struct options;

enum mount_option_taken {
	MOUNT_OPTION_TAKEN,
	MOUNT_OPTION_UNKNOWN, /* or another's; not reported */
	MOUNT_OPTION_WRONG,   /* its value, which is reported */
};

/* Take an option, as NAME or NAME=VALUE, that one of these has. */
enum mount_option_taken mount_option_take(unsigned takers, struct options *o,
					  const char *option);

/* Print a line for each that one of these has; of a mount no rare ones. */
void mount_options_print(unsigned takers);

#endif
