#include "mount/command_line.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fuse_lowlevel.h>

#include "core/base/array.h"
#include "core/dialects/registry.h"
#include "core/places/places.h"
#include "core/show/outline.h"

/* A flag, which becomes 1, or a text, with "=%s" in the template. */
#define OPTION(template, field)                                    \
	{                                                          \
		template, offsetof(struct command_line, field), 1, \
	}

static const struct fuse_opt specs[] = {
	OPTION("-h", help),
	OPTION("--help", help),
	OPTION("-V", version),
	OPTION("--version", version),
	OPTION("-f", foreground),
	OPTION("-d", debug),
	OPTION("debug", debug),
	OPTION("-s", single_thread),
	OPTION("--all", all),
	OPTION("ro", options.read_only),
	OPTION("force", options.force),
	OPTION("stats", options.stats),
	OPTION("color", options.color),
	OPTION("dialect=%s", dialect_name),
	OPTION("keep=%s", keep_text),
	OPTION("poll=%s", poll_text),
	OPTION("columns=%s", columns_text),
	OPTION("max_read=%s", max_read_text),
	FUSE_OPT_END,
};

/*
 * Options of mount(8) for every filesystem that libfuse does not know, and
 * words of fstab that are for it and for other programs. There are no access
 * times. The last three have a value.
 */
static const char *const ignored[] = {
	"rw",	     "auto",	    "noauto",	   "user",
	"nouser",    "users",	    "nousers",	   "owner",
	"noowner",   "group",	    "nogroup",	   "nofail",
	"_netdev",   "defaults",    "silent",	   "loud",
	"relatime",  "norelatime",  "strictatime", "nostrictatime",
	"lazytime",  "nolazytime",  "diratime",	   "nodiratime",
	"symfollow", "nosymfollow", "iversion",	   "noiversion",
	"mand",	     "nomand",	    "comment=",	   "x-",
	"X-",
};

/* No fault of the user's: the exit status is not that of a wrong option. */
static int no_memory(struct command_line *line)
{
	line->no_memory = true;
	fputs("sessfs: out of memory\n", stderr);
	return -1;
}

static int add_operand(struct command_line *line, const char *name)
{
	if (array_reserve(&line->options.names, &line->cap_names,
			  line->options.n_names, 1) < 0)
		return no_memory(line);
	line->options.names[line->options.n_names] = strdup(name);
	if (!line->options.names[line->options.n_names])
		return no_memory(line);
	line->options.n_names++;
	return 0;
}

static bool is_ignored(const char *option)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		size_t n = strlen(ignored[i]);
		bool has_value = strchr("=-", ignored[i][n - 1]);
		if (strncmp(option, ignored[i], n) == 0 &&
		    (has_value || option[n] == '\0'))
			return true;
	}
	return false;
}

static int parse_argument(void *data, const char *arg, int key,
			  struct fuse_args *out)
{
	struct command_line *line = data;
	(void)out;
	if (key != FUSE_OPT_KEY_OPT)
		return add_operand(line, arg);
	/* 1: libfuse's, or unknown: see are_known() */
	return !is_ignored(arg);
}

/*
 * Does libfuse know all options that are not ours? It reports unknown ones when
 * it makes a session. This session is never mounted.
 */
static bool are_known(const struct command_line *line)
{
	static const struct fuse_lowlevel_ops none;
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *se = NULL;
	int err = 0;
	for (int i = 0; i < line->fuse.argc && !err; i++)
		err = fuse_opt_add_arg(&args, line->fuse.argv[i]);
	if (!err)
		se = fuse_session_new(&args, &none, sizeof(none), NULL);
	if (se)
		fuse_session_destroy(se);
	fuse_opt_free_args(&args);
	return se != NULL;
}

static bool parse_poll(struct command_line *line)
{
	char *end;
	if (!line->poll_text)
		return true;
	line->poll = strtod(line->poll_text, &end);
	if (end == line->poll_text || *end || !(line->poll >= 0.01) ||
	    line->poll > 86400) {
		fprintf(stderr,
			"sessfs: poll=%s: must be a "
			"number of seconds from 0.01 to 86400\n",
			line->poll_text);
		return false;
	}
	return true;
}

/* Returns false after reporting an error. */
static bool parse_values(struct command_line *line)
{
	struct options *o = &line->options;
	o->keep = PLACES_KEEP;
	return options_number("keep", line->keep_text, 1, PLACES_KEEP_MAX,
			      &o->keep) &&
	       options_number("columns", line->columns_text,
			      OUTLINE_COLUMNS_LEAST, OUTLINE_COLUMNS_MOST,
			      &o->columns) &&
	       options_number("max_read", line->max_read_text, 0, INT_MAX,
			      &line->max_read) &&
	       parse_poll(line) &&
	       options_dialect(line->dialect_name, &o->dialect);
}

/* Check the number of operands. */
static enum action take_operands(struct command_line *line)
{
	struct options *o = &line->options;
	if (o->n_names < (line->all ? 1 : 2)) {
		fputs("usage: sessfs [-o OPTIONS] SOURCE... MOUNTPOINT, or "
		      "--all MOUNTPOINT (-h for help)\n",
		      stderr);
		return ACTION_USAGE;
	}
	if (line->all && o->n_names > 1) {
		fprintf(stderr, "sessfs: unexpected argument with --all: %s\n",
			o->names[0]);
		return ACTION_USAGE;
	}
	for (size_t i = 0; i < o->n_names; i++) {
		if (!*o->names[i]) {
			fputs("sessfs: an operand can't be empty (-h for "
			      "help)\n",
			      stderr);
			return ACTION_USAGE;
		}
	}
	line->n_sources = o->n_names - 1;
	o->source = o->names[0];
	line->mountpoint = o->names[line->n_sources];
	return ACTION_MOUNT;
}

enum action command_line_parse(struct command_line *line, int argc, char **argv)
{
	*line = (struct command_line){ .fuse = FUSE_ARGS_INIT(argc, argv) };
	if (fuse_opt_parse(&line->fuse, line, specs, parse_argument) < 0)
		return ACTION_USAGE;
	if (line->help)
		return ACTION_HELP;
	if (line->version)
		return ACTION_VERSION;
	if (!are_known(line) || !parse_values(line))
		return ACTION_USAGE;
	return take_operands(line);
}

/* The name in a link such as /usr/bin/sessfs-list, or NULL. */
static const char *name_in_link(const char *program)
{
	static const char prefix[] = "sessfs-";
	const char *base = strrchr(program, '/');
	base = base ? base + 1 : program;
	return strncmp(base, prefix, sizeof(prefix) - 1) == 0
		       ? base + sizeof(prefix) - 1
		       : NULL;
}

const struct command *command_line_command(int argc, char **argv)
{
	const char *linked = argc > 0 ? name_in_link(argv[0]) : NULL;
	const struct command *c = linked ? command_named(linked) : NULL;
	if (c || argc < 2)
		return c;
	int at = 1;
	c = command_named(argv[1]);
	for (int i = 1; !c && i < argc && strcmp(argv[i], "--") != 0; i++) {
		at = i;
		if (strncmp(argv[i], "--", 2) == 0)
			c = command_named(argv[i] + 2);
	}
	if (c)
		memmove(argv + at, argv + at + 1,
			(size_t)(argc - at) * sizeof(*argv));
	return c;
}

void command_line_free(struct command_line *line)
{
	for (size_t i = 0; i < line->options.n_names; i++)
		free(line->options.names[i]);
	free(line->options.names);
	free(line->dialect_name);
	free(line->keep_text);
	free(line->poll_text);
	free(line->columns_text);
	free(line->max_read_text);
	fuse_opt_free_args(&line->fuse);
}

void command_line_print_help(void)
{
	fputs("usage: sessfs [-o OPTIONS] SOURCE... MOUNTPOINT\n"
	      "       sessfs [-o OPTIONS] --all MOUNTPOINT\n"
	      "       sessfs COMMAND [OPTIONS] ...\n"
	      "\n"
	      "Mount AI agents' sessions, JSONL files or folders of them, as "
	      "folders.\n"
	      "\n"
	      "  -f, -d           stay in the foreground; -d prints every "
	      "request\n"
	      "  -o ro            refuse every write\n"
	      "  -o force         write even if a running agent has the "
	      "session "
	      "open\n"
	      "  -o dialect=NAME  read sessions in this format, whatever "
	      "their lines say\n"
	      "  -o keep=N        keep at most N sessions of a folder in "
	      "memory (32)\n"
	      "  -o poll=SECONDS  check files this often (1 on "
	      "network filesystems)\n"
	      "  -o stats         count requests, and show the counts in "
	      "info\n"
	      "  -o color, -o columns=N  color tree.txt (less -R), cut its "
	      "lines (100)\n"
	      "  -o allow_other   let other users in, if the mode of "
	      "SOURCE allows it\n"
	      "  -o OPTION[,...]  any other option of mount(8) or libfuse\n"
	      "  -h, -V           print this help, or the version (--help, "
	      "--version)\n"
	      "\n"
	      "The commands, each of which prints its own help with -h:\n",
	      stdout);
	for (const struct command *const *c = commands; *c; c++)
		printf("  %-11s %.*s\n", (*c)->name,
		       (int)strcspn((*c)->help, "\n"), (*c)->help);
	fputs("\n"
	      "Unmount with: fusermount3 -u MOUNTPOINT. See the man page "
	      "sessfs(1).\n",
	      stdout);
}
