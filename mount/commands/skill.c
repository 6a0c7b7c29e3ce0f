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
#include "core/file/folders.h"
#include "core/places/agents.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"

/* The link, and what it leads to where sessfs is installed, or built. */
#define SKILL_NAME "sessfs"
static const char *const places[] = { "/share/sessfs/skill",
				      "/mount/share/skill" };
#define N_PLACES (sizeof(places) / sizeof(places[0]))

struct skill {
	char *path; /* of the skill; NULL to uninstall */
	bool all;   /* no agent or folder was named */
	int status;
};

static void note(struct skill *s, const char *name, const char *reason)
{
	s->status = status_fail(name, reason);
}

static bool has_skill(const char *path)
{
	char *file = pathname_join(path, "SKILL.md");
	bool has = file && access(file, F_OK) == 0;
	free(file);
	return has;
}

/* In a folder that may be a prefix, or the sources. */
static void look_in(struct skill *s, const char *folder)
{
	for (size_t i = 0; i < N_PLACES && !s->path; i++) {
		struct buf path = { 0 };
		buf_adds(&path, folder);
		buf_adds(&path, places[i]);
		const char *text = buf_cstr(&path);
		if (text && has_skill(text))
			s->path = realpath(text, NULL);
		buf_free(&path);
	}
}

/* The skill of PREFIX/bin/sessfs, build/sessfs, or build/san/sessfs. */
static int find_skill(struct skill *s)
{
	struct buf self = { 0 };
	spawn_add_self(&self);
	char *above = buf_cstr(&self) ? realpath(self.data, NULL) : NULL;
	int status = above ? STATUS_OK : status_fail("skill", "out of memory");
	for (int up = 0; up < 3 && above && *above && !s->path; up++) {
		*strrchr(above, '/') = '\0';
		look_in(s, above);
	}
	if (!status && !s->path)
		status = status_fail(self.data, "there is no skill with it");
	free(above);
	buf_free(&self);
	return status;
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

static bool is_there(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static void install(struct skill *s, const char *folder, const char *link)
{
	bool ours = is_ours(link);
	if (!ours && is_there(link)) {
		note(s, link, "is not ours: move it away, then install again");
		return;
	}
	int err = folders_make(span_of(folder), 0777);
	if (!err && ours && unlink(link) < 0)
		err = -errno;
	if (!err && symlink(s->path, link) < 0)
		err = -errno;
	if (err)
		note(s, link, strerror(-err));
	else
		puts(link);
}

static void uninstall(struct skill *s, const char *link)
{
	if (is_ours(link)) {
		if (unlink(link) < 0)
			note(s, link, strerror(errno));
		else
			puts(link);
	} else if (is_there(link)) {
		note(s, link, "is not ours: it is left there");
	} else if (!s->all) {
		note(s, link, "is not there");
	}
}

/* In a folder of skills. */
static void act_in(struct skill *s, const char *folder)
{
	char *link = pathname_join(folder, SKILL_NAME);
	if (!link)
		note(s, folder, "out of memory");
	else if (s->path)
		install(s, folder, link);
	else
		uninstall(s, link);
	free(link);
}

/* The agent's own folder, for the caller to free; NULL without memory. */
static char *folder_of(const struct dialect *agent)
{
	struct buf path = { 0 };
	agent->home->add_folder(&path);
	if (!buf_cstr(&path))
		buf_free(&path);
	return path.data;
}

static bool has_home(void)
{
	const char *home = getenv("HOME");
	if (home && *home)
		return true;
	fputs("sessfs: HOME is not set\n", stderr);
	return false;
}

static void act_for(struct skill *s, const struct dialect *agent)
{
	char *own = folder_of(agent);
	char *skills = own ? pathname_join(own, "skills") : NULL;
	if (skills)
		act_in(s, skills);
	else
		note(s, agent->name, "out of memory");
	free(own);
	free(skills);
}

static void report_unknown(struct skill *s, const char *name)
{
	struct buf reason = { 0 };
	buf_adds(&reason, "no such agent or folder; there are ");
	agent_add_names(&dialect_registry, &reason);
	const char *text = buf_cstr(&reason);
	note(s, name, text ? text : "no such agent or folder");
	buf_free(&reason);
}

/* For an agent, or in a folder. */
static void act_on(struct skill *s, const char *name)
{
	const struct dialect *agent = agent_named(&dialect_registry, name);
	struct stat st;
	if (agent && has_home()) {
		act_for(s, agent);
	} else if (agent) {
		s->status = STATUS_FAILED;
	} else if (strchr(name, '/')) {
		char *folder = name[0] == '/' ? strdup(name)
					      : pathname_join(".", name);
		size_t n = folder ? strlen(folder) : 0;
		if (n > 1 && folder[n - 1] == '/')
			folder[n - 1] = '\0';
		act_in(s, folder ? folder : name);
		free(folder);
	} else if (*name && stat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
		char *folder = pathname_join(".", name);
		act_in(s, folder ? folder : name);
		free(folder);
	} else {
		report_unknown(s, name);
	}
}

/* For each agent that has been used here. Two may have the same folder. */
static void act_on_all(struct skill *s)
{
	char *seen = NULL;
	struct stat st;
	if (!has_home()) {
		s->status = STATUS_FAILED;
		return;
	}
	for (size_t i = 0; i < dialect_registry.n; i++) {
		const struct dialect *agent = dialect_registry.rows[i];
		char *own = agent->home ? folder_of(agent) : NULL;
		if (own && stat(own, &st) == 0 && S_ISDIR(st.st_mode) &&
		    !(seen && strcmp(own, seen) == 0)) {
			act_for(s, agent);
			free(seen);
			seen = own;
		} else {
			free(own);
		}
	}
	if (!seen) {
		struct buf reason = { 0 };
		buf_adds(&reason, "there is no folder of ");
		agent_add_titles(&dialect_registry, "or", &reason);
		buf_adds(&reason, "; name an agent or a folder");
		const char *text = buf_cstr(&reason);
		note(s, "skill", text ? text : "there is no folder");
		buf_free(&reason);
	}
	free(seen);
}

static int skill_run(const struct options *o)
{
	struct skill s = { .all = o->n_names == 1 };
	const char *what = o->names[0];
	bool is_path = strcmp(what, "path") == 0;
	if ((!is_path && strcmp(what, "install") != 0 &&
	     strcmp(what, "uninstall") != 0) ||
	    (is_path && !s.all)) {
		fprintf(stderr, "usage: sessfs skill %s (-h for help)\n",
			command_skill.usage);
		return STATUS_USAGE;
	}
	if (strcmp(what, "uninstall") != 0)
		s.status = find_skill(&s);
	if (!s.status && is_path)
		puts(s.path);
	else if (!s.status && s.all)
		act_on_all(&s);
	for (size_t i = 1; i < o->n_names && (s.path || *what == 'u'); i++)
		act_on(&s, o->names[i]);
	free(s.path);
	return s.status;
}

static const struct option_row rows[] = { OPTION_ROW_END };

const struct command command_skill = {
	.name = "skill",
	.usage = "install | uninstall | path [AGENT | DIR]...",
	.help = "Link the skill that teaches agents to read past sessions.",
	.options = rows,
	.least = 1,
	.most = UINT_MAX,
	.run = skill_run,
};
