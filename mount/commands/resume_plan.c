#include "mount/commands/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/as/form.h"
#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "core/places/agents.h"
#include "core/session/file_name.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounts.h"
#include "mount/operands/target.h"

static int out_of_memory(const struct resume_plan *p)
{
	return status_error(p->t->source, -ENOMEM);
}

static int find_rules(struct resume_plan *p)
{
	struct unopened u = session_unopened(p->s);
	struct buf why = { 0 };
	p->rules = p->to->resuming;
	if (!p->rules || (p->is_other && !p->to->receiving))
		return status_failf(p->t->source,
				    "no agent is known that continues a "
				    "session of format %s",
				    p->to->name);
	p->program = p->rules->program;
	if (!u.why || p->is_other)
		return STATUS_OK;
	buf_addf(&why, "%s does not open it: ", p->rules->program);
	if (u.base.n > 0) {
		buf_adds(&why, "base ");
		text_add_one_line(&why, u.base);
		buf_adds(&why, ": ");
	}
	buf_adds(&why, u.why);
	if (u.line > 0)
		buf_addf(&why, " (line %u)", u.line);
	if (p->s->dialect->rescue)
		buf_adds(&why, "; try sessfs rescue");
	return status_fail_made(p->t->source, &why);
}

/* The agent starts in the session's own directory, if that is there. */
static int find_cwd(struct resume_plan *p)
{
	struct buf cwd BUF_SCOPED = { 0 };
	json_decode(&cwd, session_header(p->s, "cwd"));
	text_finish(&cwd, 0);
	const char *path = buf_cstr(&cwd);
	if (path && *path == '/' && strlen(path) == cwd.len &&
	    path_type_is(path, S_IFDIR) && access(path, X_OK) == 0) {
		p->cwd = strdup(path);
		cwd.failed = !p->cwd;
	}
	return buf_error(&cwd);
}

static int find_folders(struct resume_plan *p)
{
	char *dir = realpath(p->cwd ? p->cwd : ".", NULL);
	int err = dir ? agent_folders_find(&p->found, &dialect_registry, p->to,
					   dir, AGENTS_MISSING)
		      : -errno;
	/* From elsewhere it goes on where the user is, which others may miss.
	 */
	if (!err && p->how->run && p->is_other && !p->cwd)
		(void)status_failf(
			p->t->source,
			"its directory is not there: %s goes on in %s",
			p->rules->program, dir);
	free(dir);
	if (err)
		return err;
	p->folders = calloc(p->found.n + 1, sizeof(*p->folders));
	for (size_t i = 0; i < p->found.n && p->folders; i++)
		p->folders[i] = p->found.list[i].path;
	return p->folders ? 0 : -ENOMEM;
}

/*
 * A file of the mount is needed: mount the session if it is not. What is only
 * printed leaves no mount behind, so it has the program mount it then.
 */
static int need_mount(struct resume_plan *p)
{
	struct buf options BUF_SCOPED = { 0 };
	p->is_ours = !p->t->root && !p->how->run;
	if (p->t->root || p->is_ours)
		return STATUS_OK;
	if (p->t->file.how.forced)
		buf_addf(&options, "dialect=%s", p->t->file.how.forced->name);
	const char *text = options.len > 0 ? buf_cstr(&options) : "";
	return text ? mounts_open(p->t->source, text, &p->t->root)
		    : out_of_memory(p);
}

static void use(struct resume_plan *p, const char *option, struct span operand)
{
	p->option = option;
	buf_clear(&p->operand);
	buf_add(&p->operand, operand);
}

/* Use the session itself. Without a name the agent does not find it. */
static bool use_itself(struct resume_plan *p)
{
	struct buf name BUF_SCOPED = BUF_INTO(&p->operand);
	if (p->rules->add_name)
		p->rules->add_name(p->s, p->folders, &name);
	else
		buf_add(&name, span_of(p->s->log.path));
	bool found = name.len > 0;
	if (found)
		use(p, p->rules->opens, buf_span(&name));
	p->moves = found && !p->is_head;
	return found;
}

/* Have the agent copy a file. */
static int use_fork(struct resume_plan *p, struct span file)
{
	use(p, p->rules->forks, file);
	p->more = p->rules->forks_with;
	return STATUS_OK;
}

/* Have the agent copy the branch of the entry, which the mount has. */
static int use_branch_file(struct resume_plan *p)
{
	struct buf path BUF_SCOPED = BUF_INTO(&p->operand);
	unsigned form;
	int status = need_mount(p);
	if (status || p->is_ours)
		return status;
	buf_addf(&path, "%s/by-id/", p->t->root);
	file_name_add(&path, index_id(&p->s->now.index, p->t->at),
		      FILE_NAME_ALONE);
	if (!p->is_other) {
		buf_adds(&path, "/" FILE_NAME_BRANCH);
	} else if (as_form_of(&dialect_registry, p->to, &form) == 0) {
		buf_adds(&path, "/" FILE_NAME_AS "/");
		as_form_add_name(&dialect_registry, form, &path);
	}
	return use_fork(p, buf_span(&path));
}

/* The copy has to be writable, or else the folder that it is made in. */
static int check_copy(struct resume_plan *p)
{
	char *at = p->copy.failed ? NULL : strdup(buf_cstr(&p->copy));
	int status = at ? STATUS_OK : out_of_memory(p);
	while (at && access(at, F_OK) != 0 && strrchr(at, '/') > at)
		*strrchr(at, '/') = '\0';
	if (at && access(at, F_OK) == 0 && access(at, W_OK) != 0)
		status = status_fail(at, "you can't write to it");
	free(at);
	return status;
}

/* Is there a copy, and not as it was made? It has grown, or was rewritten. */
static int has_copy_grown(struct resume_plan *p, bool *grown)
{
	const char *path = buf_cstr(&p->copy);
	struct buf now BUF_SCOPED = { 0 };
	*grown = false;
	if (!path)
		return -ENOMEM;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	int err = whole_read_all(fd, &now);
	close(fd);
	*grown = !err && !span_eq(buf_span(&now), buf_span(&p->branch));
	return err;
}

/* Make the nth copy, and find where the agent looks for it. */
static int make_nth(struct resume_plan *p, unsigned nth)
{
	unsigned form;
	int err = 0;
	buf_clear(&p->branch);
	if (p->is_other)
		err = as_form_of(&dialect_registry, p->to, &form);
	if (!err)
		err = p->is_other ? as_form_add(p->s, form, p->t->at, nth,
						&p->branch)
				  : p->to->sending->branch(p->s, p->t->at, nth,
							   &p->branch);
	struct resuming_copy c = { .branch = buf_span(&p->branch),
				   .folders = p->folders };
	if (!err)
		err = p->rules->find_copy(p->is_other ? NULL : p->s, &c);
	use(p, p->rules->opens, buf_span(c.name.len > 0 ? &c.name : &c.path));
	buf_clear(&p->copy);
	buf_add(&p->copy, buf_span(&c.path));
	buf_free_into(&c.path, &p->copy);
	buf_free_into(&c.name, &p->operand);
	return err ? err : p->copy.failed ? -ENOMEM : 0;
}

/* Put a copy where the agent finds it: the first that is nobody's yet. */
static int use_copy(struct resume_plan *p)
{
	struct buf earlier BUF_SCOPED = { 0 };
	bool grown = true;
	const char *at = p->t->source;
	int err = 0;
	for (unsigned nth = 1; !err && grown; nth++) {
		buf_clear(&earlier);
		buf_add(&earlier, buf_span(&p->copy));
		err = make_nth(p, nth);
		if (err)
			break;
		at = buf_cstr(&p->copy);
		err = earlier.failed ? -ENOMEM : has_copy_grown(p, &grown);
	}
	int status = STATUS_OK;
	if (err == -ENOENT)
		status = status_failf(
			p->t->source,
			"is not in %s, where %s would look for it (put it "
			"there, or go on with --in another agent)",
			p->folders[0], p->rules->program);
	else
		status = err ? status_error(at, err) : check_copy(p);
	const char *from = buf_cstr(&earlier);
	const char *to = buf_cstr(&p->copy);
	if (!status && from && *from && to && p->how->run)
		(void)status_failf(from,
				   "is an earlier copy, which has been gone on "
				   "with: goes on in a new one, %s",
				   to);
	return status;
}

/* Go on in a new session, with the entry's branch. */
static int use_branch(struct resume_plan *p, bool as_copy)
{
	if (p->t->at == INDEX_NONE)
		return status_fail(
			p->t->source,
			"before the first entry there is nothing to fork");
	/* Of a directory for which the agent would make up a folder's name. */
	if (as_copy && p->folders[0])
		return use_copy(p);
	if (!p->rules->forks)
		return status_fail(p->t->source,
				   "its agent has no folder for a copy");
	return use_branch_file(p);
}

/* For HEAD the agent can copy the whole file. */
static int choose(struct resume_plan *p)
{
	const struct dialect_resuming *d = p->rules;
	const char *source = p->s->log.path;
	if (p->is_other)
		return use_branch(p, !p->how->fork || !d->forks);
	if (p->how->fork || p->how->in)
		return use_branch(p, true);
	/*
	 * Is HEAD at the entry, or can it be moved there? That of a subagent's
	 * session is fixed, and the agent does not go on from it.
	 */
	const struct dialect_writing *w = p->s->dialect->writing;
	bool fixed = w && w->head_is_fixed && w->head_is_fixed(p->s);
	bool seen = !fixed && (p->is_head || session_writable(p->s) == 0) &&
		    (!d->sees_head || d->sees_head(p->s, p->t->at));
	if (seen && access(source, W_OK) == 0 && use_itself(p)) {
		/* In a mount a shell can move it. */
		p->is_ours = p->moves && !p->t->root;
		return STATUS_OK;
	}
	bool copies = d->forks && !(d->fork_loses && d->fork_loses(p->s));
	if (seen && p->is_head && copies && access(source, R_OK) == 0)
		return use_fork(p, span_of(source));
	return use_branch(p, !d->forks);
}

static int make(struct resume_plan *p)
{
	p->to = p->how->in ? p->how->in : p->s->dialect;
	p->is_other = p->to != p->s->dialect;
	int status = find_rules(p);
	if (status)
		return status;
	/* The agent goes on below the notes that HEAD looks through. */
	if (p->t->at == session_head(p->s))
		p->t->at = session_at_leaf(p->s);
	p->is_head = p->t->at == session_at_leaf(p->s);
	buf_adds(&p->head, p->t->at == INDEX_NONE ? "tree" : "by-id/");
	if (p->t->at != INDEX_NONE)
		file_name_add(&p->head, index_id(&p->s->now.index, p->t->at),
			      FILE_NAME_ALONE);
	int err = find_cwd(p);
	if (!err)
		err = find_folders(p);
	if (err)
		return status_error(p->t->source, err);
	return choose(p);
}

int resume_plan_make(struct resume_plan *p, struct target *t,
		     const struct resume_how *how)
{
	*p = (struct resume_plan){ .t = t, .how = how };
	int status = t->session ? STATUS_OK : target_open(t);
	p->s = t->session;
	if (!status)
		status = make(p);
	if (!status && (p->operand.failed || p->head.failed || p->copy.failed))
		status = out_of_memory(p);
	return status;
}

void resume_plan_free(struct resume_plan *p)
{
	buf_free(&p->operand);
	buf_free(&p->head);
	buf_free(&p->branch);
	buf_free(&p->copy);
	free(p->cwd);
	agent_folders_free(&p->found);
	free(p->folders);
}
