/*
 * A command's own options: rows, from which its words are parsed, its usage is
 * printed, and completions are made.
 *
 * Words are parsed as getopt_long() does: options may follow operands, and
 * letters may be joined. What is wrong is reported in one line on stderr.
 */
#ifndef SESSFS_OPTIONS_H
#define SESSFS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "mount/cli/mount_options.h"

/* All texts of an option that adds up, in order. */
struct texts {
	const char **list;
	size_t n;
	size_t cap;
};

enum option_kind {
	OPTION_FLAG,  /* int: how often it was given */
	OPTION_TEXT,  /* const char *: the last value, "" for one that may have
			 none; NULL: the option was not given */
	OPTION_TEXTS, /* struct texts: all values */
	OPTION_LIST,  /* the same, of values with commas between them */
	OPTION_SESSION, /* struct options: those of -o that `at` says */
};

/*
 * An option. It has a letter, a name, or both; the last row has neither. The
 * members are in the order in which people read a row, whatever it takes.
 */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct option_row {
	char letter;
	const char *name; /* without dashes */
	enum option_kind kind;
	size_t at;	   /* of what is set, in the command's own struct */
	const char *value; /* what usage calls its value; NULL: it has none; in
			      brackets: it may have none, and is a flag, too */
	const char *help;  /* a line or a few; NULL: the row above has it */
};

/* For rows: the option -o of commands that read sessions, or of these. */
#define OPTION_ROW_SESSION_OF(takers)                         \
	{                                                     \
		'o', NULL, OPTION_SESSION, takers, "OPTIONS", \
			"how sessions are read"               \
	}
#define OPTION_ROW_SESSION OPTION_ROW_SESSION_OF(TAKEN_BY_READING)
/* A row without a letter, of a struct that the command's own has at `at`. */
#define OPTION_ROW_AT(type, at, name, kind, member, value, help)          \
	{                                                                 \
		0, name, kind, (at) + offsetof(type, member), value, help \
	}
#define OPTION_ROW_END                              \
	{                                           \
		0, NULL, OPTION_FLAG, 0, NULL, NULL \
	}

struct command;
struct options;

/*
 * Parse the words argv[1] to argv[argc - 1] of a command. `own` is its own
 * struct, zeroed. Values are borrowed from argv, which is permuted, and lists
 * in it are cut. The caller
 * calls options_free() in any case.
 */
enum options_parsed {
	OPTIONS_OK,
	OPTIONS_HELP,  /* -h or --help was given */
	OPTIONS_WRONG, /* and reported */
};
enum options_parsed options_parse(const struct command *c, int argc,
				  char **argv, struct options *o, void *own);
void options_free(const struct command *c, struct options *o, void *own);

/*
 * Are operands from this one on all there? False after reporting an empty one.
 * options_parse() has looked at those after the command's texts.
 */
bool options_have_names(const struct command *c, const struct options *o,
			size_t from);

/* Print the usage of a command, as for -h. */
void options_print_usage(const struct command *c);

/*
 * Values of options. A NULL text leaves what is set, and another one is right
 * or reported in one line on stderr: false.
 */

/* A number from `least` to `most`. */
bool options_number(const char *option, const char *text, unsigned least,
		    unsigned most, unsigned *n);

/* The name of a dialect, or of one that is an agent's. */
struct dialect;
bool options_dialect(const char *name, const struct dialect **to);
bool options_agent(const char *name, const struct dialect **to);

#endif
