#include "mount/options.h"

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

#define OPTION(template, field)                               \
	{                                                     \
		template, offsetof(struct options, field), 1, \
	}

static const struct fuse_opt specs[] = {
	OPTION("-h", help),
	OPTION("--help", help),
	OPTION("-V", version),
	OPTION("--version", version),
	OPTION("--check", check),
	FUSE_OPT_KEY("--export", KEY_EXPORT),
	OPTION("--lines", lines),
	OPTION("--list", list),
	OPTION("--grep", grep),
	OPTION("--outline", outline),
	OPTION("-f", foreground),
	OPTION("-d", debug),
	OPTION("debug", debug),
	OPTION("-s", single_thread),
	OPTION("ro", read_only),
	OPTION("force", force),
	OPTION("stats", stats),
	OPTION("color", color),
	{ "dialect=%s", offsetof(struct options, dialect_name), 0 },
	{ "keep=%s", offsetof(struct options, keep_text), 0 },
	{ "poll=%s", offsetof(struct options, poll_text), 0 },
	{ "columns=%s", offsetof(struct options, columns_text), 0 },
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
	OPTION("-l", grepping.list),
	OPTION("--files", grepping.files),
	OPTION("--null", grepping.null),
	OPTION("--more", grepping.more),
	OPTION("--color", grepping.color),
	OPTION("--heading", grepping.heading),
	{ "--name=%s", offsetof(struct options, grepping.name), 0 },
	{ "--entry=%s", offsetof(struct options, grepping.entry), 0 },
	{ "--subtree=%s", offsetof(struct options, grepping.subtree), 0 },
	{ "--role=%s", offsetof(struct options, grepping.role), 0 },
	{ "--tool=%s", offsetof(struct options, grepping.tool), 0 },
	{ "--agent=%s", offsetof(struct options, grepping.agent), 0 },
	FUSE_OPT_END,
};

static int no_memory(void)
{
	fputs("sessfs: out of memory\n", stderr);
	return -1;
}

static int add_operand(struct options *o, const char *name)
{
	if (array_reserve(&o->names, &o->cap_names, o->n_names, 1) < 0)
		return no_memory();
	o->names[o->n_names] = strdup(name);
	if (!o->names[o->n_names])
		return no_memory();
	o->n_names++;
	return 0;
}

static int parse_argument(void *data, const char *arg, int key,
			  struct fuse_args *out)
{
	struct options *o = data;
	(void)out;
	if (key == KEY_IGNORED ||
	    (key == FUSE_OPT_KEY_OPT && strncmp(arg, "x-", 2) == 0))
		return 0;
	if (key == KEY_EXPORT) {
		o->export = 1;
		return 0;
	}
	if (key != FUSE_OPT_KEY_NONOPT)
		return 1; /* libfuse's, or unknown: see are_known() */
	if (!o->export || o->folder)
		return add_operand(o, arg);
	o->folder = strdup(arg);
	return o->folder ? 0 : no_memory();
}

/*
 * Does libfuse know all options that are not ours? It reports unknown ones when
 * it makes a session. This session is never mounted.
 */
static bool are_known(const struct options *o)
{
	static const struct fuse_lowlevel_ops none;
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *se = NULL;
	int err = 0;
	for (int i = 0; i < o->fuse.argc && !err; i++)
		err = fuse_opt_add_arg(&args, o->fuse.argv[i]);
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

static bool parse_poll(struct options *o)
{
	char *end;
	if (!o->poll_text)
		return true;
	o->poll = strtod(o->poll_text, &end);
	if (end == o->poll_text || *end || !(o->poll >= 0.01) ||
	    o->poll > 86400) {
		fprintf(stderr,
			"sessfs: poll=%s: must be a "
			"number of seconds from 0.01 to 86400\n",
			o->poll_text);
		return false;
	}
	return true;
}

/* Returns false after reporting an error. */
static bool parse_numbers(struct options *o)
{
	/* These come to no session twice. */
	o->keep = o->lines || o->grep ? 1 : PLACES_KEEP;
	return parse_count("keep", o->keep_text, 1, PLACES_KEEP_MAX,
			   &o->keep) &&
	       parse_count("columns", o->columns_text, OUTLINE_COLUMNS_LEAST,
			   OUTLINE_COLUMNS_MOST, &o->columns) &&
	       parse_poll(o);
}

/* Returns false after reporting an unknown dialect. */
static bool find_dialect(struct options *o)
{
	if (!o->dialect_name)
		return true;
	o->dialect = dialect_named(span_of(o->dialect_name));
	if (o->dialect)
		return true;
	struct buf names = { 0 };
	dialect_add_names(&names);
	const char *list = buf_cstr(&names);
	fprintf(stderr, "sessfs: unknown dialect '%s'; known: %s\n",
		o->dialect_name, list ? list : "");
	buf_free(&names);
	return false;
}

/* Each takes its operands in place of SOURCE and MOUNTPOINT. */
static const struct command {
	const char *option; /* NULL: none is given */
	size_t flag;	    /* where in struct options */
	const char *usage;
	size_t least; /* operands, without DIR of --export */
	size_t most;
	enum action action;
} commands[] = {
	{ "--check", offsetof(struct options, check), "--check FILE...", 1,
	  SIZE_MAX, ACTION_CHECK },
	{ "--export", offsetof(struct options, export), "--export DIR SOURCE",
	  1, 1, ACTION_EXPORT },
	{ "--lines", offsetof(struct options, lines), "--lines SOURCE...", 1,
	  SIZE_MAX, ACTION_LINES },
	{ "--list", offsetof(struct options, list), "--list SOURCE...", 1,
	  SIZE_MAX, ACTION_LIST },
	{ "--grep", offsetof(struct options, grep),
	  "--grep SOURCE... -- ARGUMENTS", 1, SIZE_MAX, ACTION_GREP },
	{ "--outline", offsetof(struct options, outline), "--outline SESSION",
	  1, 1, ACTION_OUTLINE },
	{ NULL, 0, "SOURCE MOUNTPOINT", 2, 2, ACTION_MOUNT },
};

static bool is_given(const struct options *o, const struct command *c)
{
	int flag;
	memcpy(&flag, (const char *)o + c->flag, sizeof(flag));
	return !c->option || flag;
}

/* The command that is given; NULL after reporting that several are. */
static const struct command *find_command(const struct options *o)
{
	const struct command *c = commands;
	while (!is_given(o, c))
		c++;
	for (const struct command *d = c + 1; c->option && d->option; d++) {
		if (!is_given(o, d))
			continue;
		fprintf(stderr, "sessfs: %s and %s can't be combined\n",
			c->option, d->option);
		return NULL;
	}
	return c;
}

/* Check the number of operands, and choose the action. */
static enum action check_operands(struct options *o)
{
	const struct command *c = find_command(o);
	if (!c)
		return ACTION_USAGE;
	if (o->n_names < c->least) {
		fprintf(stderr, "usage: sessfs [-o OPTIONS] %s (-h for help)\n",
			c->usage);
		return ACTION_USAGE;
	}
	if (o->n_names > c->most) {
		fprintf(stderr, "sessfs: unexpected argument: %s\n",
			o->names[c->most]);
		return ACTION_USAGE;
	}
	if (c->most < SIZE_MAX)
		o->source = o->names[0];
	if (c->action == ACTION_MOUNT)
		o->mountpoint = o->names[1];
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
static bool parse_grep(struct options *o, int argc, char **argv)
{
	int end = find_word(argc, argv, "--");
	if (find_word(end, argv, "--grep") == end)
		return true;
	if (end < argc) {
		o->grepping.args = argv + end + 1;
		o->grepping.n_args = (size_t)(argc - end - 1);
	}
	o->fuse.argc = end;
	return fuse_opt_parse(&o->fuse, o, grep_specs, NULL) == 0;
}

enum action options_parse(struct options *o, int argc, char **argv)
{
	*o = (struct options){ .fuse = FUSE_ARGS_INIT(argc, argv) };
	if (!parse_grep(o, argc, argv))
		return ACTION_USAGE;
	if (fuse_opt_parse(&o->fuse, o, specs, parse_argument) < 0)
		return ACTION_USAGE;
	if (o->help)
		return ACTION_HELP;
	if (o->version)
		return ACTION_VERSION;
	if (!are_known(o) || !parse_numbers(o) || !find_dialect(o))
		return ACTION_USAGE;
	return check_operands(o);
}

void options_free(struct options *o)
{
	for (size_t i = 0; i < o->n_names; i++)
		free(o->names[i]);
	free(o->names);
	free(o->folder);
	free(o->dialect_name);
	free(o->keep_text);
	free(o->poll_text);
	free(o->columns_text);
	free(o->grepping.name);
	free(o->grepping.entry);
	free(o->grepping.subtree);
	free(o->grepping.role);
	free(o->grepping.tool);
	free(o->grepping.agent);
	fuse_opt_free_args(&o->fuse);
}

void options_print_help(void)
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
	      "  -o force         write even if a running oh-my-pi has the "
	      "session open\n"
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
	      "  --check FILE...      print what is wrong with the files, by "
	      "line\n"
	      "  --export DIR SOURCE  write what a mount shows to DIR, as "
	      "plain files\n"
	      "  --lines SOURCE...    print the lines of all entries, each "
	      "after its path\n"
	      "  --list SOURCE...     print a line for each session, the "
	      "newest first\n"
	      "  --grep SOURCE... -- ARGUMENTS  search these lines, as "
	      "sessfs-grep does\n"
	      "  --outline SESSION    print its tree.txt\n"
	      "Unmount with: fusermount3 -u MOUNTPOINT. See the man page "
	      "sessfs(1).\n",
	      stdout);
}
