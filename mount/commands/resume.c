#include "mount/commands/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/file/newfile.h"
#include "core/session/session.h"
#include "mount/cli/spawn.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/operands/target.h"

/* As of a shell. */
#define STATUS_NO_PROGRAM 127

struct resume_options {
	int run;
	int fork;
	const char *in;
};

/* -- the line for a shell */

static bool has_control(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c < ' ' || c == 0x7f)
			return true;
	}
	return false;
}

/*
 * A word on one line, unless it ends with a newline, which a shell drops from
 * what printf prints.
 */
static void add_word(struct buf *out, const struct buf *text)
{
	struct span s = buf_span(text);
	buf_inherit(out, text);
	if (!has_control(s) || span_ends(s, SPAN("\n"))) {
		text_add_shell_word(out, s);
		return;
	}
	buf_adds(out, "\"$(printf '");
	for (size_t i = 0; i < s.n; i++)
		buf_addf(out, "\\%03o", (unsigned char)s.p[i]);
	buf_adds(out, "')\"");
}

static void add_word_of(struct buf *out, const char *text)
{
	struct buf word BUF_SCOPED = { 0 };
	buf_adds(&word, text);
	add_word(out, &word);
}

static void add_flags(struct buf *out, char *const *flags)
{
	for (; *flags; flags++) {
		buf_addc(out, ' ');
		add_word_of(out, *flags);
	}
}

/* The program as the user's shell finds it, else its path. */
static void add_self(struct buf *out)
{
	static const char name[] = "sessfs";
	struct buf self BUF_SCOPED = { 0 };
	spawn_add_self(&self);
	if (spawn_finds_self(name))
		buf_adds(out, name);
	else
		add_word(out, &self);
}

/* An id as it is, unless it is an option then, or another name. */
static void add_entry(struct buf *out, const struct target *t)
{
	struct span id = span_of(t->entry);
	struct buf word BUF_SCOPED = { 0 };
	/* Before the first one. */
	if (id.n == 0)
		buf_adds(&word, "tree");
	else if (span_starts(id, SPAN("-")) || memchr(id.p, '/', id.n) ||
		 span_eq(id, SPAN("HEAD")) || span_eq(id, SPAN("tree")))
		buf_adds(&word, "by-id/");
	buf_add(&word, id);
	add_word(out, &word);
}

/* The program makes the copy, or moves HEAD, and starts the agent. */
static void add_ours(struct buf *out, const struct resume_plan *p)
{
	const struct target *t = p->t;
	add_self(out);
	buf_adds(out, " resume -x ");
	if (p->how->in)
		buf_addf(out, "--in %s ", p->how->in->name);
	if (p->how->fork)
		buf_adds(out, "--fork ");
	add_entry(out, t);
	buf_addc(out, ' ');
	/* What the mount was told holds then, too. */
	bool by_mount = t->file.how.forced || t->file.how.read_only;
	add_word_of(out, by_mount ? t->root : t->session->log.path);
	if (*p->how->flags)
		buf_adds(out, " --");
	add_flags(out, p->how->flags);
	buf_addc(out, '\n');
}

/*
 * The shell that runs it stays where it is. Without exec: the agent may be an
 * alias.
 */
static void add_line(struct buf *out, const struct resume_plan *p)
{
	if (p->moves) {
		buf_adds(out, "ln -sfn ");
		add_word(out, &p->head);
		struct buf at BUF_SCOPED = { 0 };
		buf_addf(&at, "%s/HEAD", p->t->root);
		buf_addc(out, ' ');
		add_word(out, &at);
		buf_adds(out, " && ");
	}
	if (p->cwd) {
		buf_adds(out, "(cd ");
		add_word_of(out, p->cwd);
		buf_adds(out, " && ");
	}
	buf_addf(out, "%s %s ", p->program, p->option);
	add_word(out, &p->operand);
	if (p->more)
		buf_addf(out, " %s", p->more);
	add_flags(out, p->how->flags);
	buf_adds(out, p->cwd ? ")\n" : "\n");
}

/* -- running it */

/* Write the copy, with the mode of the session and for the user at least,
   unless it is there. */
static int make_copy(struct resume_plan *p)
{
	struct newfile f;
	struct stat like = p->t->session->log.st;
	const char *path = buf_cstr(&p->copy);
	struct span folder = span_folder(buf_span(&p->copy));
	if (path && access(path, F_OK) == 0)
		return STATUS_OK;
	like.st_mode |= S_IRUSR | S_IWUSR;
	int err = path ? newfile_make_folders(folder, 0777) : -ENOMEM;
	/* The agent's folder may be reached through links. */
	char *name = err ? NULL : strndup(folder.p, folder.n);
	char *real = name ? realpath(name, NULL) : NULL;
	char *to = real ? pathname_join(real, path + folder.n) : NULL;
	if (!err && !to)
		err = -errno;
	if (!err)
		err = newfile_write(&f, NULL, to, buf_span(&p->branch), &like,
				    false);
	if (!err)
		err = newfile_commit_new(&f);
	free(name);
	free(real);
	free(to);
	return err && err != -EEXIST ? status_error(path ? path : "copy", err)
				     : STATUS_OK;
}

static int run_plan(struct resume_plan *p)
{
	char **flags = p->how->flags;
	const char *operand = buf_cstr(&p->operand);
	int status = STATUS_OK;
	if (!spawn_finds(p->program)) {
		status_fail(p->program, "command not found");
		return STATUS_NO_PROGRAM;
	}
	if (p->moves)
		status = target_move_head(p->t, p->t->at);
	else if (p->copy.len > 0)
		status = make_copy(p);
	if (!status && p->cwd && chdir(p->cwd) < 0)
		status = status_error(p->cwd, -errno);
	if (status || !operand)
		return status ? status : status_error(p->program, -ENOMEM);
	size_t n = 0;
	while (flags[n])
		n++;
	const char **words = calloc(n + 5, sizeof(*words));
	if (!words)
		return status_error(p->program, -ENOMEM);
	const char **to = words;
	*to++ = p->program;
	*to++ = p->option;
	*to++ = operand;
	if (p->more)
		*to++ = p->more;
	for (size_t i = 0; i < n; i++)
		*to++ = flags[i];
	execvp(p->program, (char *const *)words);
	status = status_error(p->program, -errno);
	free(words);
	return status;
}

/* -- */

static int resume(struct target *t, const struct resume_how *how)
{
	struct resume_plan p;
	struct buf line = { 0 };
	if (session_file_is_pipe(&t->file))
		return status_fail(t->source,
				   "is a pipe, so no agent can go on from it");
	int status = resume_plan_make(&p, t, how);
	if (!status && how->run)
		status = run_plan(&p);
	else if (!status && (p.copy.len > 0 || p.is_ours))
		add_ours(&line, &p);
	else if (!status)
		add_line(&line, &p);
	if (!status && !how->run)
		status = status_print(&line);
	resume_plan_free(&p);
	return status;
}

int resume_print(struct target *t)
{
	static char *none[] = { NULL };
	return resume(t, &(struct resume_how){ .flags = none });
}

static int run(const struct options *o)
{
	struct target t;
	const struct resume_options *own = o->own;
	struct resume_how how = { .fork = own->fork,
				  .run = own->run,
				  .flags = o->rest };
	const char *path = o->n_names > 1 ? o->names[1] : NULL;
	if (!options_agent(own->in, &how.in))
		return STATUS_USAGE;
	int status = target_entry(&t, o->source, path);
	if (!status)
		status = target_tell(&t, false);
	if (!status)
		status = resume(&t, &how);
	target_free(&t);
	return status;
}

#define AT(member) offsetof(struct resume_options, member)

static const struct option_row rows[] = {
	{ 'x', NULL, OPTION_FLAG, AT(run), NULL,
	  "run it: the status is the agent's, 1 if HEAD can't be\n"
	  "moved, and 127 if the agent is not found" },
	{ 0, "fork", OPTION_FLAG, AT(fork), NULL,
	  "leave the session as it is: continue in a new copy,\n"
	  "which is put where the agent and sessfs open find it" },
	{ 0, "in", OPTION_TEXT, AT(in), "AGENT",
	  "continue in another agent, with the same conversation\n"
	  "in a session of its own, put where it finds that" },
	{ 0 },
};

const struct command command_resume = {
	.name = "resume",
	.usage = "[ENTRY] [PATH] [-- FLAG...]",
	.help = "Print the command with which the agent continues from an "
		"entry.\n\n"
		"ENTRY " ENTRY_HELP ";\n"
		"by default HEAD. PATH is the session, or in it.\n"
		"    eval \"$(sessfs resume ENTRY)\"\n"
		"runs it. If needed, it moves HEAD there. If HEAD can't be "
		"moved, or you can't\n"
		"write to the session, the agent gets a fork of it. Each FLAG "
		"is the agent's.",
	.options = rows,
	.size = sizeof(struct resume_options),
	.most = 2,
	.takes_rest = true,
	.run = run,
};
