#include "mount/commands/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/dialects/registry.h"
#include "core/file/newfile.h"
#include "core/places/agents.h"
#include "mount/cli/path_type.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"

/* The link, and what it leads to where sessfs is installed, or built. */
#define SKILL_NAME "sessfs"
static const char *const places[] = { "/share/sessfs/skill",
				      "/mount/share/skill" };
#define N_PLACES (sizeof(places) / sizeof(places[0]))

struct skill {
	char *path; /* of the skill; NULL to uninstall */
	int status;
};

static void note(struct skill *s, const char *name, const char *reason)
{
	s->status = status_fail(name, reason);
}

/* The skill below a folder that may be a prefix, or the sources. */
static char *skill_in(const char *folder)
{
	char *found = NULL;
	for (size_t i = 0; i < N_PLACES && !found; i++) {
		struct buf path BUF_SCOPED = { 0 };
		buf_addf(&path, "%s%s/SKILL.md", folder, places[i]);
		const char *text = buf_cstr(&path);
		if (text && access(text, F_OK) == 0)
			found = realpath(text, NULL);
	}
	if (found)
		*strrchr(found, '/') = '\0';
	return found;
}

/* That of PREFIX/bin/sessfs, build/sessfs, or build/san/sessfs. */
static void find_skill(struct skill *s)
{
	struct buf self BUF_SCOPED = { 0 };
	spawn_add_self(&self);
	char *above = buf_cstr(&self) ? realpath(self.data, NULL) : NULL;
	for (int up = 0; up < 3 && above && *above && !s->path; up++) {
		*strrchr(above, '/') = '\0';
		s->path = skill_in(above);
	}
	if (!s->path)
		note(s, above ? self.data : "skill",
		     "there is no skill with it");
	free(above);
}

/* A link to the skill of any sessfs, be that still there or not. */
static bool is_ours(const char *link)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target));
	for (size_t i = 0; i < N_PLACES && n >= 0; i++) {
		if (span_ends((struct span){ target, (size_t)n },
			      span_of(places[i])))
			return true;
	}
	return false;
}

/* Make or remove the link in a folder of skills, and print it. */
static void act_in(struct skill *s, const char *folder)
{
	struct stat st;
	char *link = folder ? pathname_join(folder, SKILL_NAME) : NULL;
	bool ours = link && is_ours(link);
	int err = link ? 0 : -ENOMEM;
	if (link && !ours && lstat(link, &st) == 0) {
		note(s, link, "is not ours, and is left there");
		free(link);
		return;
	}
	if (!err && s->path)
		err = newfile_make_folders(span_of(folder), 0777);
	if (!err && ours && unlink(link) < 0)
		err = -errno;
	if (!err && s->path && symlink(s->path, link) < 0)
		err = -errno;
	if (err)
		note(s, link ? link : "skill", strerror(-err));
	else if (s->path || ours)
		puts(link);
	free(link);
}

/* The folder in which an agent has its skills, if its own is there, or in any
 * case; for the caller to free. NULL: there is none, or no memory. */
static char *skills_of(const struct dialect *agent, bool in_any_case)
{
	struct buf path BUF_SCOPED = { 0 };
	agent->home->add_folder(&path);
	const char *own = buf_cstr(&path);
	bool is = own && (in_any_case || path_type_is(own, S_IFDIR));
	return is ? pathname_join(own, "skills") : NULL;
}

/* In an agent's own folder of skills, which may have been made for the link. */
static void act_in_own(struct skill *s, const char *folder)
{
	act_in(s, folder);
	if (!s->path && folder)
		(void)rmdir(folder);
}

/* For an agent, or in a folder. */
static void act_on(struct skill *s, const char *name, bool has_home)
{
	const struct dialect *agent = agent_named(&dialect_registry, name);
	bool is_folder = strchr(name, '/') || path_type_is(name, S_IFDIR);
	if (agent && has_home) {
		char *skills = skills_of(agent, true);
		act_in_own(s, skills);
		free(skills);
	} else if (agent) {
		note(s, "HOME", "is not set");
	} else if (is_folder) {
		act_in(s, name);
	} else {
		note(s, name, "no such agent or folder");
	}
}

/* For each agent that has been used here. Two may have the same folder. */
static void act_on_all(struct skill *s, bool has_home)
{
	char *last = NULL;
	for (size_t i = 0; i < dialect_registry.n && has_home; i++) {
		const struct dialect *agent = dialect_registry.rows[i];
		char *skills = agent->home ? skills_of(agent, false) : NULL;
		bool again = skills && last && strcmp(skills, last) == 0;
		if (skills && !again)
			act_in_own(s, skills);
		if (skills) {
			free(last);
			last = skills;
		}
	}
	if (!has_home)
		note(s, "HOME", "is not set");
	else if (!last)
		note(s, "skill",
		     "no agent has a folder here; name an agent or a folder");
	free(last);
}

static int skill_run(const struct options *o)
{
	struct skill s = { 0 };
	const char *home = getenv("HOME");
	bool has_home = home && *home;
	bool installs = strcmp(o->names[0], "install") == 0;
	if (!installs && strcmp(o->names[0], "uninstall") != 0) {
		fprintf(stderr, "usage: sessfs skill %s (-h for help)\n",
			command_skill.usage);
		return STATUS_USAGE;
	}
	if (installs)
		find_skill(&s);
	if (s.path || !installs) {
		for (size_t i = 1; i < o->n_names; i++)
			act_on(&s, o->names[i], has_home);
		if (o->n_names == 1)
			act_on_all(&s, has_home);
	}
	free(s.path);
	return s.status;
}

const struct command command_skill = {
	.name = "skill",
	.usage = "install | uninstall [AGENT | DIR]...",
	.help = "Link the skill that teaches agents to read past sessions.\n\n"
		"That is done, or undone, for each agent that was used here, "
		"for an AGENT\n"
		"(pi, omp, claude, codex, qwen), or in a DIR of skills.",
	.least = 1,
	.most = UINT_MAX,
	.run = skill_run,
};
