/*
 * What a command is: a name, rows of options, and a function that runs it.
 *
 * Of the rows its words are parsed, its usage is printed, and completions are
 * made. Words are parsed as getopt_long() does: options may follow operands,
 * and letters may be joined. What is wrong is reported in one line on stderr.
 *
 * The options of -o are in one table: what is parsed, what help prints and what
 * completion offers is made of it. Not all have each of them. In a row of
 * options whose kind is OPTION_SESSION, `at` says which ones the command has.
 */
#ifndef SESSFS_OPTIONS_H
#define SESSFS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

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

/* -- options of -o */

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
	const char *help;
	unsigned takers;
	bool is_rare; /* not in the help of a mount, which is a screen */
	enum mount_option_kind kind;
	const char *value; /* what help calls its value; NULL: it has none */
	size_t at;	   /* in struct options */
	unsigned least;	   /* of a number */
	unsigned most;
};

/* The table. It ends with a row without a name. */
extern const struct mount_option mount_options[];

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

/* -- rows of options */

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
 * An option. It has a letter, a name, or both; the last row is zeroed. The
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

/*
 * Run a command with its words; argv[0] is its name. Values are borrowed from
 * argv, which is permuted, and lists in it are cut. Returns the exit status.
 */
int command_run(const struct command *c, int argc, char **argv);

/*
 * Are operands from this one on all there? False after reporting an empty one.
 * Those after the command's texts were looked at before it ran.
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

/* The name of an agent. */
bool options_agent(const char *name, const struct dialect **to);

#endif
