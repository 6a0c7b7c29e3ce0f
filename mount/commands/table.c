#include <stdlib.h>
#include <string.h>

#include "mount/cli/status.h"
#include "mount/commands/commands.h"

/* In the order of help. */
const struct command *const commands[] = {
	&command_grep,
	&command_open,
	&command_list,
	&command_log,
	&command_switch,
	&command_resume,
	&command_files,
	&command_restore,
	&command_keep,
	/* Plumbing. */
	&command_diff,
	&command_say,
	&command_export,
	&command_fast_export,
	&command_check,
	&command_rescue,
	&command_sources,
	&command_skill,
	&command_help,
	NULL,
};

const struct command *command_named(const char *name)
{
	const struct command *const *c = commands;
	while (*c && strcmp((*c)->name, name) != 0)
		c++;
	if (!*c && strcmp(name, command_complete.name) == 0)
		return &command_complete;
	return *c;
}

int command_run(const struct command *c, int argc, char **argv)
{
	struct options o = { 0 };
	int status = STATUS_USAGE;
	void *own = calloc(1, c->size ? c->size : 1);
	if (!own)
		return status_fail(c->name, "out of memory");
	switch (options_parse(c, argc, argv, &o, own)) {
	case OPTIONS_HELP:
		options_print_usage(c);
		status = STATUS_OK;
		break;
	case OPTIONS_OK:
		status = c->run(&o);
		break;
	case OPTIONS_WRONG:
		break;
	}
	options_free(c, &o, own);
	free(own);
	/* What is printed may be written, and fail, only now. */
	int flushed = status_flush();
	return status ? status : flushed;
}
