#include "mount/command_line.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fuse_lowlevel.h>

#include "core/base/array.h"
#include "core/places/places.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"

/* A flag, which becomes 1. What is of -o is in options.h. */
#define OPTION(template, field)                                    \
	{                                                          \
		template, offsetof(struct command_line, field), 1, \
	}

static const struct fuse_opt specs[] = {
	OPTION("-h", help),	  OPTION("--help", help),
	OPTION("-V", version),	  OPTION("--version", version),
	OPTION("-f", foreground), OPTION("-d", debug),
	OPTION("debug", debug),	  OPTION("-s", single_thread),
	OPTION("--all", all),	  FUSE_OPT_END,
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

/* That there is no memory is no fault of the user's. */
static int add_operand(struct command_line *line, const char *name)
{
	struct options *o = &line->options;
	char *copy = strdup(name);
	if (copy &&
	    array_reserve(&o->names, &line->cap_names, o->n_names, 1) >= 0) {
		o->names[o->n_names++] = copy;
		return 0;
	}
	free(copy);
	line->no_memory = true;
	fputs("sessfs: out of memory\n", stderr);
	return -1;
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
	enum mount_option_taken taken =
		mount_option_take(TAKEN_BY_MOUNT, &line->options, arg);
	if (taken != MOUNT_OPTION_UNKNOWN)
		return taken == MOUNT_OPTION_TAKEN ? 0 : -1;
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

/* A word that is no command, before what can't be mounted on. */
static bool is_mistyped(const struct command_line *line)
{
	const struct options *o = &line->options;
	if (line->all || o->n_names == 0 || strchr(o->names[0], '/') ||
	    !*o->names[0] || access(o->names[0], F_OK) == 0)
		return false;
	return o->n_names == 1 ||
	       !path_type_is(o->names[o->n_names - 1], S_IFDIR);
}

/* Check the number of operands. */
static int take_operands(struct command_line *line)
{
	struct options *o = &line->options;
	if (o->n_names < (line->all ? 1 : 2)) {
		fputs("usage: sessfs COMMAND ..., or sessfs [-o OPTIONS] "
		      "SOURCE... MOUNTPOINT (-h for help)\n",
		      stderr);
		return STATUS_USAGE;
	}
	if (line->all && o->n_names > 1) {
		fprintf(stderr, "sessfs: unexpected argument with --all: %s\n",
			o->names[0]);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < o->n_names; i++) {
		if (!*o->names[i]) {
			fputs("sessfs: an operand can't be empty (-h for "
			      "help)\n",
			      stderr);
			return STATUS_USAGE;
		}
	}
	line->n_sources = o->n_names - 1;
	o->source = o->names[0];
	line->mountpoint = o->names[line->n_sources];
	return STATUS_OK;
}

int command_line_parse(struct command_line *line, int argc, char **argv)
{
	*line = (struct command_line){ .options.keep = PLACES_KEEP,
				       .fuse = FUSE_ARGS_INIT(argc, argv) };
	if (fuse_opt_parse(&line->fuse, line, specs, parse_argument) < 0)
		return line->no_memory ? STATUS_FAILED : STATUS_USAGE;
	if (line->help || line->version)
		return STATUS_OK;
	if (is_mistyped(line)) {
		(void)status_fail(line->options.names[0],
				  "no such command or source (sessfs -h lists "
				  "the commands)");
		return STATUS_USAGE;
	}
	if (!are_known(line))
		return STATUS_USAGE;
	return take_operands(line);
}

void command_line_free(struct command_line *line)
{
	for (size_t i = 0; i < line->options.n_names; i++)
		free(line->options.names[i]);
	free(line->options.names);
	fuse_opt_free_args(&line->fuse);
}
