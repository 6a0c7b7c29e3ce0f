#include "core/places/agents.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/session/detect.h"
#include "core/session/kept.h"

struct finding_folders {
	struct agent_folders *to;
	const struct dialect *agent;
	const char *from; /* of relative paths */
	enum agents_which which;
};

static bool is_known(const struct agent_folders *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->list[i].path, path) == 0)
			return true;
	}
	return false;
}

/* Takes over the path. */
static int take(const struct finding_folders *f, char *path, bool shared)
{
	struct agent_folders *to = f->to;
	struct stat st;
	bool there = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	if ((!there && f->which == AGENTS_THERE) || is_known(to, path)) {
		free(path);
		return 0;
	}
	struct agent_folder folder = { f->agent, path, shared, false };
	int err = array_add(&to->list, &to->cap, &to->n, folder);
	if (err)
		free(path);
	return err;
}

static int add(const struct home_search *h, struct span path, bool shared)
{
	const struct finding_folders *f = h->added;
	struct buf whole = { 0 };
	if (path.n > 0 && path.p[0] != '/') {
		buf_adds(&whole, f->from);
		buf_adds(&whole, strcmp(f->from, "/") == 0 ? "" : "/");
	}
	buf_add(&whole, path);
	char *made = buf_take(&whole);
	return made ? take(f, made, shared) : -ENOMEM;
}

/* What `sessfs keep` has of the agent, or may have. */
static int add_kept(struct finding_folders *f)
{
	struct buf folder = { 0 };
	size_t before = f->to->n;
	enum agents_which which = f->which;
	kept_add_folder(&folder);
	/* Without a home directory there is none. */
	if (folder.len == 0 && !folder.failed)
		return 0;
	buf_addf(&folder, "/%s", f->agent->name);
	char *path = buf_take(&folder);
	if (!path)
		return -ENOMEM;
	if (which == AGENTS_MISSING)
		f->which = AGENTS_THERE;
	int err = take(f, path, true);
	f->which = which;
	if (!err && f->to->n > before)
		f->to->list[before].kept = true;
	return err;
}

int agent_folders_find(struct agent_folders *f,
		       const struct dialect_registry *r,
		       const struct dialect *only, const char *dir,
		       enum agents_which which)
{
	char *here = dir ? NULL : getcwd(NULL, 0);
	struct finding_folders to = { .to = f,
				      .from = dir    ? dir
					      : here ? here
						     : "/",
				      .which = which };
	const struct home_search h = { .dir = dir, .add = add, .added = &to };
	int err = 0;
	for (size_t i = 0; i < r->n && !err; i++) {
		to.agent = r->rows[i];
		if (to.agent->home && (!only || only == to.agent))
			err = to.agent->home->find(&h);
		if (!err && to.agent->home && (!only || only == to.agent))
			err = add_kept(&to);
	}
	free(here);
	return err;
}

void agent_folders_free(struct agent_folders *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].path);
	free(f->list);
	*f = (struct agent_folders){ 0 };
}

const struct dialect *agent_named(const struct dialect_registry *r,
				  const char *name)
{
	const struct dialect *d = dialect_in(r, span_of(name));
	return d && d->home ? d : NULL;
}

void agent_add_names(const struct dialect_registry *r, bool titles,
		     const char *last, struct buf *out)
{
	size_t left = 0;
	bool any = false;
	for (size_t i = 0; i < r->n; i++)
		left += r->rows[i]->home != NULL;
	for (size_t i = 0; i < r->n; i++) {
		const struct dialect *d = r->rows[i];
		if (!d->home)
			continue;
		if (any && left == 1)
			buf_addf(out, " %s ", last);
		else
			buf_adds(out, any ? ", " : "");
		buf_adds(out, titles ? d->home->agent : d->name);
		any = true;
		left--;
	}
}

struct span agent_ids_in_name(struct span name)
{
	static const char before[] = "rollout-YYYY-MM-DDThh-mm-ss-";
	static const struct span suffix = SPAN(".jsonl");
	size_t n = sizeof(before) - 1;
	if (span_ends(name, suffix))
		name.n -= suffix.n;
	if (span_starts(name, SPAN("rollout-")) && name.n > n)
		name = span_from(name, n);
	return name;
}

struct span agent_id_in_name(struct span name)
{
	struct span id = agent_ids_in_name(name);
	while (memchr(id.p, '_', id.n))
		(void)span_next(&id, '_');
	return id;
}
