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

/* What a plan is made from. */
struct planning {
	struct resume_plan *p;
	struct target *t;
	const struct session *s;
	const struct resume_how *how;
	const struct dialect *to; /* whose agent goes on */
	bool is_other;		  /* that is not the session's own */
	const struct dialect_resuming *rules;
	struct agent_folders found;
	const char **folders; /* their paths, and a NULL */
	bool is_head;	      /* HEAD is at the entry already */
};

static int out_of_memory(const struct planning *g)
{
	return status_error(g->t->source, -ENOMEM);
}

static int find_rules(struct planning *g)
{
	struct unopened u = session_unopened(g->s);
	struct buf why = { 0 };
	g->rules = g->to->resuming;
	if (!g->rules || (g->is_other && !g->to->receiving))
		return status_failf(g->t->source,
				    "no agent is known that continues a "
				    "session of format %s",
				    g->to->name);
	g->p->program = g->rules->program;
	g->p->flags = g->how->flags;
	if (!u.why || g->is_other)
		return STATUS_OK;
	buf_addf(&why, "%s does not open it: ", g->rules->program);
	if (u.base.n > 0) {
		buf_adds(&why, "base ");
		text_add_one_line(&why, u.base);
		buf_adds(&why, ": ");
	}
	buf_adds(&why, u.why);
	if (u.line > 0)
		buf_addf(&why, " (line %u)", u.line);
	if (g->s->dialect->rescue)
		buf_adds(&why, "; try sessfs rescue");
	return status_fail_made(g->t->source, &why);
}

/* The agent starts in the session's own directory, if that is there. */
static int find_cwd(struct planning *g)
{
	struct buf cwd BUF_SCOPED = { 0 };
	json_decode(&cwd, session_header(g->s, "cwd"));
	text_finish(&cwd, 0);
	const char *path = buf_cstr(&cwd);
	if (path && *path == '/' && strlen(path) == cwd.len &&
	    path_type_is(path, S_IFDIR) && access(path, X_OK) == 0) {
		g->p->cwd = strdup(path);
		cwd.failed = !g->p->cwd;
	}
	return buf_error(&cwd);
}

static int find_folders(struct planning *g)
{
	char *dir = realpath(g->p->cwd ? g->p->cwd : ".", NULL);
	int err = dir ? agent_folders_find(&g->found, &dialect_registry, g->to,
					   dir, AGENTS_MISSING)
		      : -errno;
	/* From elsewhere it goes on where the user is, which others may miss.
	 */
	if (!err && g->how->run && g->is_other && !g->p->cwd)
		(void)status_failf(
			g->t->source,
			"its directory is not there: %s goes on in %s",
			g->rules->program, dir);
	free(dir);
	if (err)
		return err;
	g->folders = calloc(g->found.n + 1, sizeof(*g->folders));
	for (size_t i = 0; i < g->found.n && g->folders; i++)
		g->folders[i] = g->found.list[i].path;
	return g->folders ? 0 : -ENOMEM;
}

/*
 * A file of the mount is needed: mount the session if it is not. What is only
 * printed leaves no mount behind, so it has the program mount it then.
 */
static int need_mount(struct planning *g)
{
	struct buf options BUF_SCOPED = { 0 };
	g->p->is_ours = !g->t->root && !g->how->run;
	if (g->t->root || g->p->is_ours)
		return STATUS_OK;
	if (g->t->file.how.forced)
		buf_addf(&options, "dialect=%s", g->t->file.how.forced->name);
	const char *text = options.len > 0 ? buf_cstr(&options) : "";
	return text ? mounts_open(g->t->source, text, &g->t->root)
		    : out_of_memory(g);
}

static void use(struct planning *g, const char *option, struct span operand)
{
	g->p->option = option;
	buf_clear(&g->p->operand);
	buf_add(&g->p->operand, operand);
}

/* Use the session itself. Without a name the agent does not find it. */
static bool use_itself(struct planning *g)
{
	struct buf name BUF_SCOPED = BUF_INTO(&g->p->operand);
	if (g->rules->add_name)
		g->rules->add_name(g->s, g->folders, &name);
	else
		buf_add(&name, span_of(g->s->log.path));
	bool found = name.len > 0;
	if (found)
		use(g, g->rules->opens, buf_span(&name));
	g->p->moves = found && !g->is_head;
	return found;
}

/* Have the agent copy a file. */
static int use_fork(struct planning *g, struct span file)
{
	use(g, g->rules->forks, file);
	g->p->more = g->rules->forks_with;
	return STATUS_OK;
}

/* Have the agent copy the branch of the entry, which the mount has. */
static int use_branch_file(struct planning *g)
{
	struct buf path BUF_SCOPED = BUF_INTO(&g->p->operand);
	unsigned form;
	int status = need_mount(g);
	if (status || g->p->is_ours)
		return status;
	buf_addf(&path, "%s/by-id/", g->t->root);
	file_name_add(&path, index_id(&g->s->now.index, g->t->at),
		      FILE_NAME_ALONE);
	if (!g->is_other) {
		buf_adds(&path, "/" FILE_NAME_BRANCH);
	} else if (as_form_of(&dialect_registry, g->to, &form) == 0) {
		buf_adds(&path, "/" FILE_NAME_AS "/");
		as_form_add_name(&dialect_registry, form, &path);
	}
	status = use_fork(g, buf_span(&path));
	return status;
}

/* The copy has to be writable, or else the folder that it is made in. */
static int check_copy(struct planning *g)
{
	char *at = g->p->copy.failed ? NULL : strdup(buf_cstr(&g->p->copy));
	int status = at ? STATUS_OK : out_of_memory(g);
	while (at && access(at, F_OK) != 0 && strrchr(at, '/') > at)
		*strrchr(at, '/') = '\0';
	if (at && access(at, F_OK) == 0 && access(at, W_OK) != 0)
		status = status_fail(at, "you can't write to it");
	free(at);
	return status;
}

/* What has become of a copy. */
enum copy_state {
	COPY_ABSENT,
	COPY_AS_MADE,
	COPY_GROWN, /* or rewritten */
};

static int look_at_copy(const struct planning *g, enum copy_state *state)
{
	const char *path = buf_cstr(&g->p->copy);
	struct buf now BUF_SCOPED = { 0 };
	*state = COPY_ABSENT;
	if (!path)
		return -ENOMEM;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	int err = whole_read_all(fd, &now);
	close(fd);
	if (!err)
		*state = span_eq(buf_span(&now), buf_span(&g->p->branch))
				 ? COPY_AS_MADE
				 : COPY_GROWN;
	return err;
}

/* Make the nth copy, and find where the agent looks for it. */
static int make_nth(struct planning *g, unsigned nth)
{
	struct resume_plan *p = g->p;
	unsigned form;
	int err = 0;
	buf_clear(&p->branch);
	if (g->is_other)
		err = as_form_of(&dialect_registry, g->to, &form);
	if (!err)
		err = g->is_other ? as_form_add(g->s, form, g->t->at, nth,
						&p->branch)
				  : g->to->sending->branch(g->s, g->t->at, nth,
							   &p->branch);
	struct resuming_copy c = { .branch = buf_span(&p->branch),
				   .folders = g->folders };
	if (!err)
		err = g->rules->find_copy(g->is_other ? NULL : g->s, &c);
	use(g, g->rules->opens, buf_span(c.name.len > 0 ? &c.name : &c.path));
	buf_clear(&p->copy);
	buf_add(&p->copy, buf_span(&c.path));
	buf_free_into(&c.path, &p->copy);
	buf_free_into(&c.name, &p->operand);
	return err ? err : p->copy.failed ? -ENOMEM : 0;
}

/* Put a copy where the agent finds it: the first that is nobody's yet. */
static int use_copy(struct planning *g)
{
	struct buf grown BUF_SCOPED = { 0 };
	enum copy_state state = COPY_GROWN;
	const char *at = g->t->source;
	int err = 0;
	for (unsigned nth = 1; !err && state == COPY_GROWN; nth++) {
		buf_clear(&grown);
		buf_add(&grown, buf_span(&g->p->copy));
		err = make_nth(g, nth);
		if (err)
			break;
		at = buf_cstr(&g->p->copy);
		err = grown.failed ? -ENOMEM : look_at_copy(g, &state);
	}
	int status = STATUS_OK;
	if (err == -ENOENT)
		status = status_failf(
			g->t->source,
			"is not in %s, where %s would look for it (put it "
			"there, or go on with --in another agent)",
			g->folders[0], g->rules->program);
	else
		status = err ? status_error(at, err) : check_copy(g);
	const char *from = buf_cstr(&grown);
	const char *to = buf_cstr(&g->p->copy);
	if (!status && from && *from && to && g->how->run)
		(void)status_failf(from,
				   "is an earlier copy, which has been gone on "
				   "with: goes on in a new one, %s",
				   to);
	return status;
}

/* Go on in a new session, with the entry's branch. */
static int use_branch(struct planning *g, bool as_copy)
{
	if (g->t->at == INDEX_NONE)
		return status_fail(
			g->t->source,
			"before the first entry there is nothing to fork");
	/* Of a directory for which the agent would make up a folder's name. */
	if (as_copy && g->folders[0])
		return use_copy(g);
	if (!g->rules->forks)
		return status_fail(g->t->source,
				   "its agent has no folder for a copy");
	return use_branch_file(g);
}

/* For HEAD the agent can copy the whole file. */
static int choose(struct planning *g)
{
	const struct dialect_resuming *d = g->rules;
	const char *source = g->s->log.path;
	if (g->is_other)
		return use_branch(g, !g->how->fork || !d->forks);
	if (g->how->fork || g->how->in)
		return use_branch(g, true);
	/*
	 * Is HEAD at the entry, or can it be moved there? That of a subagent's
	 * session is fixed, and the agent does not go on from it.
	 */
	const struct dialect_writing *w = g->s->dialect->writing;
	bool fixed = w && w->head_is_fixed && w->head_is_fixed(g->s);
	bool seen = !fixed && (g->is_head || session_writable(g->s) == 0) &&
		    (!d->sees_head || d->sees_head(g->s, g->t->at));
	if (seen && access(source, W_OK) == 0 && use_itself(g)) {
		/* In a mount a shell can move it. */
		g->p->is_ours = g->p->moves && !g->t->root;
		return STATUS_OK;
	}
	bool copies = d->forks && !(d->fork_loses && d->fork_loses(g->s));
	if (seen && g->is_head && copies && access(source, R_OK) == 0)
		return use_fork(g, span_of(source));
	return use_branch(g, !d->forks);
}

static int make(struct planning *g)
{
	g->to = g->how->in ? g->how->in : g->s->dialect;
	g->is_other = g->to != g->s->dialect;
	int status = find_rules(g);
	if (status)
		return status;
	/* The agent goes on below the notes that HEAD looks through. */
	if (g->t->at == session_head(g->s))
		g->t->at = session_at_leaf(g->s);
	g->is_head = g->t->at == session_at_leaf(g->s);
	buf_adds(&g->p->head, g->t->at == INDEX_NONE ? "tree" : "by-id/");
	if (g->t->at != INDEX_NONE)
		file_name_add(&g->p->head, index_id(&g->s->now.index, g->t->at),
			      FILE_NAME_ALONE);
	int err = find_cwd(g);
	if (!err)
		err = find_folders(g);
	if (err)
		return status_error(g->t->source, err);
	return choose(g);
}

int resume_plan_make(struct resume_plan *p, struct target *t,
		     const struct resume_how *how)
{
	struct planning g = { .p = p, .t = t, .how = how };
	int status = t->session ? STATUS_OK : target_open(t);
	g.s = t->session;
	if (!status)
		status = make(&g);
	if (!status && (p->operand.failed || p->head.failed || p->copy.failed))
		status = out_of_memory(&g);
	agent_folders_free(&g.found);
	free(g.folders);
	return status;
}

void resume_plan_free(struct resume_plan *p)
{
	buf_free(&p->operand);
	buf_free(&p->head);
	buf_free(&p->branch);
	buf_free(&p->copy);
	free(p->cwd);
}
