#include <stdio.h>
#include <string.h>

#include "mount/cli/status.h"
#include "mount/commands/commands.h"

/* In the order of help. Of the first ones, of every day, it says what they do.
 */
#define OF_EVERY_DAY 9
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

void help_print(void)
{
	const struct command *const *c = commands;
	fputs("usage: sessfs COMMAND [OPTIONS] ...\n"
	      "       sessfs [-o OPTIONS] SOURCE... MOUNTPOINT, or --all "
	      "MOUNTPOINT\n"
	      "AI agents' sessions, JSONL files or folders of them, as "
	      "folders: man sessfs\n"
	      "Commands of every day (sessfs help COMMAND, man "
	      "sessfs-COMMAND):\n",
	      stdout);
	for (size_t i = 0; i < OF_EVERY_DAY; i++, c++)
		printf("  %-8s %.*s\n", (*c)->name,
		       (int)strcspn((*c)->help, "\n"), (*c)->help);
	fputs("Plumbing:", stdout);
	for (; *c; c++)
		printf(" %s", (*c)->name);
	fputs("\nOptions of a mount, which fusermount3 -u unmounts:\n"
	      "  -f, -d             stay in the foreground; -d prints every "
	      "request\n",
	      stdout);
	mount_options_print(TAKEN_BY_MOUNT);
	fputs("  -o OPTION[,...]    any other option, of mount(8) too\n"
	      "  -h, -V             print this help, or the version (--help, "
	      "--version)\n",
	      stdout);
}

static int help(const struct options *o)
{
	const struct command *c = o->source ? command_named(o->source) : NULL;
	if (o->source && !c)
		return status_trouble(o->source, "no such command (sessfs -h "
						 "lists them)");
	if (c)
		options_print_usage(c);
	else
		help_print();
	return STATUS_OK;
}

const struct command command_help = {
	.name = "help",
	.usage = "[COMMAND]",
	.help = "Print the options of a command, or the commands.",
	.most = 1,
	.run = help,
};
