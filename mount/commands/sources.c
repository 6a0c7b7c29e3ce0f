#include "mount/commands/commands.h"

#include <stdlib.h>

#include "core/dialects/registry.h"
#include "core/places/agents.h"
#include "mount/cli/status.h"
#include "mount/operands/source.h"

struct sources_options {
	const char *agent;
	const char *dir;
	int missing;
};

/* A path as one field of a line. */
static void add_field(struct buf *out, const char *path)
{
	for (; *path; path++) {
		switch (*path) {
		case '\\':
			buf_adds(out, "\\\\");
			break;
		case '\t':
			buf_adds(out, "\\t");
			break;
		case '\n':
			buf_adds(out, "\\n");
			break;
		default:
			buf_addc(out, *path);
		}
	}
}

static int sources_print(const struct options *o)
{
	const struct sources_options *own = o->own;
	const struct dialect *only = NULL;
	struct agent_folders folders = { 0 };
	struct buf out = { 0 };
	char *dir = NULL;
	if (!options_agent(own->agent, &only))
		return STATUS_USAGE;
	if (own->dir && !(dir = source_directory(own->dir)))
		return STATUS_FAILED;
	int err = agent_folders_find(&folders, &dialect_registry, only, dir,
				     own->missing ? AGENTS_MISSING
						  : AGENTS_THERE);
	for (size_t i = 0; i < folders.n && !err; i++) {
		const struct agent_folder *f = &folders.list[i];
		buf_addf(&out, "%s\t", f->agent->name);
		add_field(&out, f->path);
		buf_adds(&out, f->shared ? "\tshared\n" : "\n");
	}
	int status = err ? status_error("sources", err) : status_print(&out);
	agent_folders_free(&folders);
	free(dir);
	return status;
}

#define AT(member) offsetof(struct sources_options, member)

static const struct option_row rows[] = {
	{ 'a', "agent", OPTION_TEXT, AT(agent), "AGENT",
	  "only those of pi, omp, claude, codex or qwen" },
	{ 'c', NULL, OPTION_TEXT, AT(dir), "DIR",
	  "only those with sessions of this working directory;\n"
	  "\"shared\" are those that have sessions of others, too" },
	{ 'm', NULL, OPTION_FLAG, AT(missing), NULL,
	  "also those that do not exist" },
	{ 0 },
};

const struct command command_sources = {
	.name = "sources",
	.usage = "",
	.help = "Print the folders in which agents keep sessions.",
	.options = rows,
	.size = sizeof(struct sources_options),
	.run = sources_print,
};
