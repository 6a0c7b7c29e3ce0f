#include "mount/command_line.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fuse_lowlevel.h>

#include "core/base/array.h"
#include "core/dialects/registry.h"
#include "core/places/places.h"
#include "core/show/outline.h"

enum key {
	KEY_IGNORED,
	KEY_EXPORT,
};

#define OPTION(template, field)                                    \
	{                                                          \
		template, offsetof(struct command_line, field), 1, \
	}

static const struct fuse_opt specs[] = {
	OPTION("-h", help),
	OPTION("--help", help),
	OPTION("-V", version),
	OPTION("--version", version),
	OPTION("--check", check),
	OPTION("--against-requests", options.against_requests),
	FUSE_OPT_KEY("--export", KEY_EXPORT),
	OPTION("--lines", lines),
	OPTION("--list", list),
	OPTION("--grep", grep),
	OPTION("--outline", outline),
	OPTION("--rescue", rescue),
	OPTION("-f", foreground),
	OPTION("-d", debug),
	OPTION("debug", debug),
	OPTION("-s", single_thread),
	OPTION("ro", options.read_only),
	OPTION("force", options.force),
	OPTION("stats", options.stats),
	OPTION("color", options.color),
	OPTION("resumable", options.resumable),
	{ "dialect=%s", offsetof(struct command_line, dialect_name), 0 },
	{ "keep=%s", offsetof(struct command_line, keep_text), 0 },
	{ "poll=%s", offsetof(struct command_line, poll_text), 0 },
	{ "columns=%s", offsetof(struct command_line, columns_text), 0 },
	/* mount(8) passes it on; sessfs does not need it. */
	FUSE_OPT_KEY("rw", KEY_IGNORED),
	/* Words of fstab that mount(8) and other programs use. */
	FUSE_OPT_KEY("auto", KEY_IGNORED),
	FUSE_OPT_KEY("noauto", KEY_IGNORED),
	FUSE_OPT_KEY("user", KEY_IGNORED),
	FUSE_OPT_KEY("nouser", KEY_IGNORED),
	FUSE_OPT_KEY("users", KEY_IGNORED),
	FUSE_OPT_KEY("owner", KEY_IGNORED),
	FUSE_OPT_KEY("group", KEY_IGNORED),
	FUSE_OPT_KEY("nofail", KEY_IGNORED),
	FUSE_OPT_KEY("_netdev", KEY_IGNORED),
	FUSE_OPT_KEY("defaults", KEY_IGNORED),
	FUSE_OPT_KEY("nousers", KEY_IGNORED),
	FUSE_OPT_KEY("silent", KEY_IGNORED),
	/* There are no access times. */
	FUSE_OPT_KEY("relatime", KEY_IGNORED),
	FUSE_OPT_KEY("strictatime", KEY_IGNORED),
	FUSE_OPT_KEY("lazytime", KEY_IGNORED),
	FUSE_OPT_KEY("comment=", KEY_IGNORED),
	FUSE_OPT_END,
};

/* Only with --grep. */
static const struct fuse_opt grep_specs[] = {
	OPTION("--files", options.grepping.files),
	OPTION("--more", options.grepping.more),
	OPTION("--color", options.grepping.color),
	OPTION("--heading", options.grepping.heading),
	OPTION("--table", options.grepping.table),
	{ "--name=%s", offsetof(struct command_line, options.grepping.name),
	  0 },
	{ "--entry=%s", offsetof(struct command_line, options.grepping.entry),
	  0 },
	{ "--subtree=%s",
	  offsetof(struct command_line, options.grepping.subtree), 0 },
	{ "--role=%s", offsetof(struct command_line, options.grepping.role),
	  0 },
	{ "--tool=%s", offsetof(struct command_line, options.grepping.tool),
	  0 },
	{ "--agent=%s", offsetof(struct command_line, agent_name), 0 },
	FUSE_OPT_END,
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

static int parse_argument(void *data, const char *arg, int key,
			  struct fuse_args *out)
{
	struct command_line *line = data;
	(void)out;
	if (key == KEY_IGNORED ||
	    (key == FUSE_OPT_KEY_OPT && strncmp(arg, "x-", 2) == 0))
		return 0;
	if (key == KEY_EXPORT) {
		line->export = 1;
		return 0;
	}
	if (key != FUSE_OPT_KEY_NONOPT)
		return 1; /* libfuse's, or unknown: see are_known() */
	if (!line->export || line->options.folder)
		return add_operand(line, arg);
	line->options.folder = strdup(arg);
	return line->options.folder ? 0 : no_memory(line);
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
	/* These come to no session twice. */
	line->options.keep = line->lines || line->grep ? 1 : PLACES_KEEP;
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

static bool find_dialects(struct command_line *line)
{
	struct options *o = &line->options;
	return find_dialect(line->dialect_name, &o->dialect) &&
	       find_dialect(line->agent_name, &o->grepping.agent);
}

/* Each takes its operands in place of SOURCE and MOUNTPOINT. */
static const struct command {
	const char *option; /* NULL: none is given */
	size_t flag;	    /* where in struct command_line */
	const char *usage;
	size_t least; /* operands, without DIR of --export */
	size_t most;
	enum action action;
} commands[] = {
	{ "--check", offsetof(struct command_line, check),
	  "--check [--against-requests] FILE...", 1, SIZE_MAX, ACTION_CHECK },
	{ "--export", offsetof(struct command_line, export),
	  "--export DIR SOURCE", 1, 1, ACTION_EXPORT },
	{ "--lines", offsetof(struct command_line, lines), "--lines SOURCE...",
	  1, SIZE_MAX, ACTION_LINES },
	{ "--list", offsetof(struct command_line, list), "--list SOURCE...", 1,
	  SIZE_MAX, ACTION_LIST },
	{ "--grep", offsetof(struct command_line, grep),
	  "--grep SOURCE... -- ARGUMENTS", 1, SIZE_MAX, ACTION_GREP },
	{ "--outline", offsetof(struct command_line, outline),
	  "--outline SESSION", 1, 1, ACTION_OUTLINE },
	{ "--rescue", offsetof(struct command_line, rescue),
	  "--rescue OUT FILE", 2, 2, ACTION_RESCUE },
	{ NULL, 0, "SOURCE MOUNTPOINT", 2, 2, ACTION_MOUNT },
};

static bool is_given(const struct command_line *line, const struct command *c)
{
	int flag;
	memcpy(&flag, (const char *)line + c->flag, sizeof(flag));
	return !c->option || flag;
}

/* The command that is given; NULL after reporting that several are. */
static const struct command *find_command(const struct command_line *line)
{
	const struct command *c = commands;
	while (!is_given(line, c))
		c++;
	for (const struct command *d = c + 1; c->option && d->option; d++) {
		if (!is_given(line, d))
			continue;
		fprintf(stderr, "sessfs: %s and %s can't be combined\n",
			c->option, d->option);
		return NULL;
	}
	return c;
}

/* Check the number of operands, and choose the action. */
static enum action check_operands(struct command_line *line)
{
	const struct command *c = find_command(line);
	if (!c)
		return ACTION_USAGE;
	if (line->options.against_requests && c->action != ACTION_CHECK) {
		fputs("sessfs: --against-requests needs --check\n", stderr);
		return ACTION_USAGE;
	}
	if (line->options.n_names < c->least) {
		fprintf(stderr, "usage: sessfs [-o OPTIONS] %s (-h for help)\n",
			c->usage);
		return ACTION_USAGE;
	}
	if (line->options.n_names > c->most) {
		fprintf(stderr, "sessfs: unexpected argument: %s\n",
			line->options.names[c->most]);
		return ACTION_USAGE;
	}
	if (c->most < SIZE_MAX)
		line->options.source = line->options.names[0];
	if (c->action == ACTION_MOUNT)
		line->mountpoint = line->options.names[1];
	return c->action;
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
	if (end < argc) {
		line->options.grepping.args = argv + end + 1;
		line->options.grepping.n_args = (size_t)(argc - end - 1);
	}
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
	if (!are_known(line) || !parse_numbers(line) || !find_dialects(line))
		return ACTION_USAGE;
	return check_operands(line);
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
