#include "mount/command_line.h"

#include <ctype.h>
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
	OPTION("--against-requests", options.against_requests),
	OPTION("-f", foreground),
	OPTION("-d", debug),
	OPTION("debug", debug),
	OPTION("-s", single_thread),
	OPTION("ro", options.read_only),
	OPTION("force", options.force),
	OPTION("stats", options.stats),
	OPTION("color", options.color),
	OPTION("resumable", options.resumable),
	OPTION("dialect=%s", dialect_name),
	OPTION("keep=%s", keep_text),
	OPTION("poll=%s", poll_text),
	OPTION("columns=%s", columns_text),
	FUSE_OPT_END,
};

/* Only with --grep. */
static const struct fuse_opt grep_specs[] = {
	OPTION("--files", options.grepping.files),
	OPTION("--more", options.grepping.more),
	OPTION("--color", options.grepping.color),
	OPTION("--heading", options.grepping.heading),
	OPTION("--table", options.grepping.table),
	OPTION("--name=%s", options.grepping.name),
	OPTION("--entry=%s", options.grepping.entry),
	OPTION("--subtree=%s", options.grepping.subtree),
	OPTION("--role=%s", options.grepping.role),
	OPTION("--tool=%s", options.grepping.tool),
	OPTION("--agent=%s", agent_name),
	FUSE_OPT_END,
};

/*
 * Options that mount(8) passes on, and words of fstab that are for it and for
 * other programs. There are no access times. The last two have a value.
 */
static const char *const ignored[] = {
	"rw",	  "auto",     "noauto",	     "user",	 "nouser",   "users",
	"owner",  "group",    "nofail",	     "_netdev",	 "defaults", "nousers",
	"silent", "relatime", "strictatime", "lazytime", "comment=", "x-",
};

/* Each takes its operands in place of SOURCE and MOUNTPOINT. */
static const struct command {
	const char *option;
	const char *usage;
	size_t least; /* operands, without DIR of --export */
	size_t most;
	command_fn *run; /* NULL: mount */
	bool once;	 /* comes to no session twice */
} commands[] = {
	{ "--check", "--check [--against-requests] FILE...", 1, SIZE_MAX,
	  check_files, false },
	{ "--export", "--export DIR SOURCE", 1, 1, export_source, false },
	{ "--lines", "--lines SOURCE...", 1, SIZE_MAX, lines_print, true },
	{ "--list", "--list SOURCE...", 1, SIZE_MAX, list_print, false },
	{ "--grep", "--grep SOURCE... -- ARGUMENTS", 1, SIZE_MAX, grep_search,
	  true },
	{ "--outline", "--outline SESSION", 1, 1, outline_print, false },
	{ "--rescue", "--rescue OUT FILE", 2, 2, rescue_file, false },
	/* None is given. */
	{ "", "SOURCE MOUNTPOINT", 2, 2, NULL, false },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]) - 1)

/* The first of those in a set, which has a bit for each. */
static const struct command *first_command(unsigned set)
{
	return &commands[__builtin_ctz(set | 1U << N_COMMANDS)];
}

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
	if (key != FUSE_OPT_KEY_OPT) {
		if (!line->exporting || line->options.folder)
			return add_operand(line, arg);
		line->options.folder = strdup(arg);
		return line->options.folder ? 0 : no_memory(line);
	}
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (strcmp(arg, commands[i].option) != 0)
			continue;
		line->given |= 1U << i;
		line->exporting |= commands[i].run == export_source;
		return 0;
	}
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

/* A number in a range. Returns false after reporting that it is not. */
static bool parse_count(const char *name, const char *text, unsigned least,
			unsigned most, unsigned *n)
{
	char *end;
	if (!text)
		return true;
	unsigned long v = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || *end || v < least || v > most) {
		fprintf(stderr,
			"sessfs: %s=%s: must be a number from %u to %u\n", name,
			text, least, most);
		return false;
	}
	*n = (unsigned)v;
	return true;
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
static bool parse_numbers(struct command_line *line)
{
	line->options.keep = first_command(line->given)->once ? 1 : PLACES_KEEP;
	return parse_count("keep", line->keep_text, 1, PLACES_KEEP_MAX,
			   &line->options.keep) &&
	       parse_count("columns", line->columns_text, OUTLINE_COLUMNS_LEAST,
			   OUTLINE_COLUMNS_MOST, &line->options.columns) &&
	       parse_poll(line);
}

/* Returns false after reporting that a name is unknown. NULL: not given. */
static bool find_dialect(const char *name, const struct dialect **to)
{
	if (!name)
		return true;
	*to = dialect_named(span_of(name));
	if (*to)
		return true;
	struct buf names = { 0 };
	dialect_add_names(&names);
	const char *list = buf_cstr(&names);
	fprintf(stderr, "sessfs: unknown dialect '%s'; known: %s\n", name,
		list ? list : "");
	buf_free(&names);
	return false;
}

__attribute__((format(printf, 1, 2))) static enum action
refuse(const char *message, ...)
{
	va_list ap;
	va_start(ap, message);
	vfprintf(stderr, message, ap);
	va_end(ap);
	return ACTION_USAGE;
}

/* Find the command that is given, and check the number of operands. */
static enum action find_command(struct command_line *line)
{
	struct options *o = &line->options;
	const struct command *c = first_command(line->given);
	const struct command *other =
		first_command(line->given & (line->given - 1));
	if (other->run)
		return refuse("sessfs: %s and %s can't be combined\n",
			      c->option, other->option);
	if (o->against_requests && c->run != check_files)
		return refuse("sessfs: --against-requests needs --check\n");
	if (o->n_names < c->least)
		return refuse("usage: sessfs [-o OPTIONS] %s (-h for help)\n",
			      c->usage);
	if (o->n_names > c->most)
		return refuse("sessfs: unexpected argument: %s\n",
			      o->names[c->most]);
	if (c->most < SIZE_MAX)
		o->source = o->names[0];
	if (!c->run)
		line->mountpoint = o->names[1];
	line->run = c->run;
	return c->run ? ACTION_COMMAND : ACTION_MOUNT;
}

static int find_word(int n, char **words, const char *word)
{
	int i = 0;
	while (i < n && strcmp(words[i], word) != 0)
		i++;
	return i;
}

/* Parse what is special to --grep. Returns false after reporting an error. */
static bool parse_grep(struct command_line *line, int argc, char **argv)
{
	int end = find_word(argc, argv, "--");
	if (find_word(end, argv, "--grep") == end)
		return true;
	line->options.grepping.args = argv + end;
	line->options.grepping.n_args = argc - end;
	line->fuse.argc = end;
	return fuse_opt_parse(&line->fuse, line, grep_specs, NULL) == 0;
}

enum action command_line_parse(struct command_line *line, int argc, char **argv)
{
	*line = (struct command_line){ .fuse = FUSE_ARGS_INIT(argc, argv) };
	if (!parse_grep(line, argc, argv))
		return ACTION_USAGE;
	if (fuse_opt_parse(&line->fuse, line, specs, parse_argument) < 0)
		return ACTION_USAGE;
	if (line->help)
		return ACTION_HELP;
	if (line->version)
		return ACTION_VERSION;
	if (!are_known(line) || !parse_numbers(line) ||
	    !find_dialect(line->dialect_name, &line->options.dialect) ||
	    !find_dialect(line->agent_name, &line->options.grepping.agent))
		return ACTION_USAGE;
	return find_command(line);
}

void command_line_free(struct command_line *line)
{
	for (size_t i = 0; i < line->options.n_names; i++)
		free(line->options.names[i]);
	free(line->options.names);
	free(line->options.folder);
	free(line->dialect_name);
	free(line->agent_name);
	free(line->keep_text);
	free(line->poll_text);
	free(line->columns_text);
	free(line->options.grepping.name);
	free(line->options.grepping.entry);
	free(line->options.grepping.subtree);
	free(line->options.grepping.role);
	free(line->options.grepping.tool);
	fuse_opt_free_args(&line->fuse);
}

void command_line_print_help(void)
{
	fputs("usage: sessfs [-o OPTIONS] SOURCE MOUNTPOINT\n"
	      "       sessfs [-o OPTIONS] COMMAND\n"
	      "\n"
	      "Mount an AI agent's session, a JSONL file, or a folder of them, "
	      "as folders.\n"
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
	      "The commands mount nothing:\n"
	      "  --check FILE...      print what is wrong with files, "
	      "--against-requests too\n"
	      "  --export DIR SOURCE  write what a mount shows to DIR, as "
	      "plain files\n"
	      "  --lines SOURCE...    print the lines of all entries, each "
	      "after its path\n"
	      "  --list SOURCE..., --outline SESSION  print a line for each, "
	      "or its tree.txt\n"
	      "  --grep SOURCE... -- ARGUMENTS  search these lines, as "
	      "sessfs-grep does\n"
	      "  --rescue OUT FILE    write a damaged session anew, with all "
	      "that can be read\n"
	      "Unmount with: fusermount3 -u MOUNTPOINT. See the man page "
	      "sessfs(1).\n",
	      stdout);
}
