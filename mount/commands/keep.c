#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/dialects/registry.h"
#include "core/file/newfile.h"
#include "core/file/whole.h"
#include "core/places/agents.h"
#include "core/session/kept.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"

/* Of a link that is to replace another one. */
#define NEW_SUFFIX ".sessfs-new"

/* Files beside a session, NAME.jsonl, that sessfs has made: labels, HEAD. */
static const struct span sidecars[] = { SPAN(".sessfs.json"),
					SPAN(".head.json") };

struct file_number {
	dev_t dev;
	ino_t ino;
};

struct keeping {
	struct buf kept;
	const struct dialect *agent; /* whose folder is walked over, */
	size_t root;		     /* and the length of its path */
	struct file_number *seen;    /* what agents have; sorted after all */
	size_t n_seen;
	size_t seen_cap;
	unsigned long linked;
	unsigned long moved;
	int status;
};

static void fail(struct keeping *k, const char *path, int err)
{
	k->status = status_fail(
		path, err == -EXDEV ? "is on another file system than the kept "
				      "sessions; set XDG_DATA_HOME"
				    : strerror(-err));
}

/* -- paths */

/* KEPT[/.live]/AGENT PATH, for the caller to free; NULL without memory. */
static char *kept_path(const struct keeping *k, bool live, const char *path)
{
	char *made = NULL;
	if (asprintf(&made, "%.*s%s/%s%s", (int)k->kept.len, k->kept.data,
		     live ? "/" KEPT_LIVE : "", k->agent->name, path) < 0)
		return NULL;
	return made;
}

/* Make the folders that a file is in, for this user alone. */
static int make_folders(const char *path)
{
	const char *name = strrchr(path, '/');
	return newfile_make_folders(
		(struct span){ path, (size_t)(name - path) }, 0700);
}

/* The n-th name for a path: "x.jsonl", "x~2.jsonl", ... */
static char *nth_path(const char *path, unsigned n)
{
	static const struct span suffix = SPAN(".jsonl");
	struct span all = span_of(path);
	size_t stem = all.n - (span_ends(all, suffix) ? suffix.n : 0);
	char *made = NULL;
	if (n == 1)
		return strdup(path);
	if (asprintf(&made, "%.*s~%u%s", (int)stem, path, n, path + stem) < 0)
		return NULL;
	return made;
}

/* Is it a sidecar? Of which length is the session's name, without ".jsonl"? */
static bool is_sidecar(struct span path, size_t *name)
{
	bool is = false;
	for (size_t i = 0; i < sizeof(sidecars) / sizeof(*sidecars); i++) {
		if (span_ends(path, sidecars[i])) {
			*name = path.n - sidecars[i].n;
			is = true;
		}
	}
	return is;
}

/* Has the agent deleted the file, or the session whose sidecar it leaves? */
static bool is_gone(const char *path)
{
	struct stat st;
	char *session = NULL;
	size_t name = 0;
	if (is_sidecar(span_of(path), &name) &&
	    asprintf(&session, "%.*s.jsonl", (int)name, path) < 0)
		return false;
	bool gone = lstat(session ? session : path, &st) < 0 &&
		    (errno == ENOENT || errno == ENOTDIR);
	free(session);
	return gone;
}

/* -- files that agents have deleted */

/* Move a link to where it is listed, under a name that is free. */
static int set_aside(struct keeping *k, const char *live, const char *path)
{
	char *gone = kept_path(k, false, path);
	int err = gone ? make_folders(gone) : -ENOMEM;
	bool moved = false;
	for (unsigned n = 1; !err && !moved; n++) {
		char *to = nth_path(gone, n);
		if (!to)
			err = -ENOMEM;
		else if (renameat2(AT_FDCWD, live, AT_FDCWD, to,
				   RENAME_NOREPLACE) == 0)
			moved = true;
		else if (errno != EEXIST)
			err = -errno;
		free(to);
	}
	k->moved += moved;
	free(gone);
	return err;
}

/* -- files that agents have */

/*
 * The agent has replaced the file. A session that does not begin with the old
 * one is another: the old one stays.
 */
static int replace(struct keeping *k, const char *from, const char *live)
{
	char *new = NULL;
	if (asprintf(&new, "%s" NEW_SUFFIX, live) < 0)
		return -ENOMEM;
	int err = 0;
	(void)unlink(new);
	if (link(from, new) < 0)
		err = -errno;
	if (!err && span_ends(span_of(live), SPAN(".jsonl")) &&
	    !kept_begins(from, live))
		err = set_aside(k, live, from);
	if (!err && rename(new, live) < 0)
		err = -errno;
	if (err)
		(void)unlink(new);
	free(new);
	return err;
}

/* A sidecar whose session is gone is linked only until both are kept. */
static int keep_file(struct keeping *k, const char *from, const struct stat *st,
		     bool gone)
{
	struct stat had;
	char *live = kept_path(k, true, from);
	int err = live ? 0 : -ENOMEM;
	bool there = !err && lstat(live, &had) == 0;
	bool done = there ? had.st_dev == st->st_dev && had.st_ino == st->st_ino
			  : gone;
	if (!err && done) {
		free(live);
		return 0;
	}
	if (!err && there)
		err = replace(k, from, live);
	else if (!err && (err = make_folders(live)) == 0 &&
		 link(from, live) < 0)
		err = -errno;
	k->linked += !err;
	free(live);
	/* Deleted just now. */
	return err == -ENOENT ? 0 : err;
}

static int by_number(const void *a, const void *b)
{
	const struct file_number *x = a;
	const struct file_number *y = b;
	int dev = (x->dev > y->dev) - (x->dev < y->dev);
	return dev ? dev : (x->ino > y->ino) - (x->ino < y->ino);
}

/* The last link to a file stays: its agent has deleted it since it was seen. */
static bool is_needless(const struct keeping *k, const char *path)
{
	struct stat st;
	if (k->n_seen == 0 || lstat(path, &st) < 0 || st.st_nlink == 1)
		return false;
	const struct file_number number = { st.st_dev, st.st_ino };
	return bsearch(&number, k->seen, k->n_seen, sizeof(number), by_number);
}

/* Is it a folder beside a session of its name? What is in it is kept, too. */
static bool is_own_folder(const FTSENT *e)
{
	struct stat st;
	char *session = NULL;
	if (e->fts_level == 0 ||
	    asprintf(&session, "%s.jsonl", e->fts_path) < 0)
		return false;
	bool is = lstat(session, &st) == 0 && S_ISREG(st.st_mode);
	free(session);
	return is;
}

static bool is_wanted(const FTSENT *e)
{
	struct span name = { e->fts_name, e->fts_namelen };
	size_t session;
	return e->fts_parent->fts_number || span_ends(name, SPAN(".jsonl")) ||
	       span_ends(name, SPAN(".jsonl.zst")) ||
	       is_sidecar(name, &session);
}

/*
 * Walk over a folder, which may be a symlink, as an agent's may: fts(3) keeps
 * its own stack. No other symlinks are followed.
 */
static int walk(struct keeping *k, char *folder,
		int (*visit)(struct keeping *k, FTSENT *e))
{
	char *const folders[] = { folder, NULL };
	FTS *fts = fts_open(
		folders, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR | FTS_XDEV,
		NULL);
	FTSENT *e;
	int err = fts ? 0 : -errno;
	k->root = strlen(folder);
	while (!err && (e = fts_read(fts))) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			fail(k, e->fts_path, -e->fts_errno);
		else
			err = visit(k, e);
	}
	if (fts)
		fts_close(fts);
	return err;
}

static int visit_own(struct keeping *k, FTSENT *e)
{
	if (e->fts_info == FTS_D)
		e->fts_number = e->fts_parent->fts_number || is_own_folder(e);
	if (e->fts_info != FTS_F || !is_wanted(e))
		return 0;
	const struct stat *st = e->fts_statp;
	bool gone = is_gone(e->fts_path);
	const struct file_number number = { st->st_dev, st->st_ino };
	if (!gone && array_add(&k->seen, &k->seen_cap, &k->n_seen, number))
		return -ENOMEM;
	int err = keep_file(k, e->fts_path, st, gone);
	if (err)
		fail(k, e->fts_path, err);
	/* So are all others of the folder. */
	return err == -EXDEV ? err : 0;
}

/* -- links to files that agents had */

static int visit_live(struct keeping *k, FTSENT *e)
{
	/* What the agent calls the file. */
	struct span file = { e->fts_path + k->root, e->fts_pathlen - k->root };
	if (e->fts_info == FTS_DP)
		(void)rmdir(e->fts_path); /* if it is empty */
	if (e->fts_info != FTS_F)
		return 0;
	/* Left by a `sessfs keep` that was killed. */
	bool left = span_ends(file, SPAN(NEW_SUFFIX));
	file.n -= left ? strlen(NEW_SUFFIX) : 0;
	char *path = strndup(file.p, file.n);
	int err = path ? 0 : -ENOMEM;
	/* Its agent may have it under another name, as for archived ones. */
	if (!err && (left || is_gone(path))) {
		if (is_needless(k, e->fts_path))
			(void)unlink(e->fts_path);
		else
			err = set_aside(k, e->fts_path, path);
		if (err)
			fail(k, e->fts_path, err);
	}
	free(path);
	return err == -ENOMEM ? err : 0;
}

/*
 * What an agent has again, such as after its disk was away, or a copy of it
 * that was put back, is no loss.
 */
static int visit_gone(struct keeping *k, FTSENT *e)
{
	struct span name = { e->fts_name, e->fts_namelen };
	if (e->fts_info == FTS_DP)
		(void)rmdir(e->fts_path);
	if (e->fts_info == FTS_F &&
	    (is_needless(k, e->fts_path) ||
	     (span_ends(name, SPAN(".jsonl")) &&
	      kept_begins(e->fts_path + k->root, e->fts_path))))
		(void)unlink(e->fts_path);
	return 0;
}

/* -- the command */

/* Make the folder, and wait for another `sessfs keep`. A descriptor. */
static int lock(struct keeping *k)
{
	const char *path = buf_cstr(&k->kept);
	int err =
		path ? newfile_make_folders(buf_span(&k->kept), 0700) : -ENOMEM;
	if (err)
		return err;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = whole_lock(fd);
	if (err)
		close(fd);
	return err ? err : fd;
}

static int keep_all(struct keeping *k)
{
	const struct dialect_registry *r = &dialect_registry;
	struct agent_folders folders = { 0 };
	int err = agent_folders_find(&folders, r, NULL, NULL, AGENTS_THERE);
	for (size_t i = 0; i < folders.n && !err; i++) {
		const struct agent_folder *f = &folders.list[i];
		k->agent = f->agent;
		int failed = f->kept ? 0 : walk(k, f->path, visit_own);
		if (failed == -ENOMEM)
			err = failed;
	}
	agent_folders_free(&folders);
	if (k->n_seen > 0)
		qsort(k->seen, k->n_seen, sizeof(*k->seen), by_number);
	for (size_t i = 0; i < 2 * r->n && !err; i++) {
		bool live = i % 2 == 0;
		struct stat st;
		k->agent = r->rows[i / 2];
		if (!k->agent->home)
			continue;
		char *folder = kept_path(k, live, "");
		err = folder ? 0 : -ENOMEM;
		if (!err && lstat(folder, &st) == 0)
			err = walk(k, folder, live ? visit_live : visit_gone);
		free(folder);
	}
	return err;
}

static int keep(const struct options *o)
{
	struct keeping k = { 0 };
	(void)o;
	kept_add_folder(&k.kept);
	if (k.kept.len == 0) {
		buf_free(&k.kept);
		return status_fail("keep", "HOME is not set");
	}
	int fd = lock(&k);
	int err = fd < 0 ? fd : keep_all(&k);
	const char *path = buf_cstr(&k.kept);
	if (err)
		k.status = status_error(path ? path : "keep", err);
	if (k.linked > 0 || k.moved > 0)
		printf("%lu newly linked, %lu newly kept that agents have "
		       "deleted\n",
		       k.linked, k.moved);
	if (fd >= 0)
		close(fd);
	free(k.seen);
	buf_free(&k.kept);
	return k.status;
}

const struct command command_keep = {
	.name = "keep",
	.usage = "",
	.help = "Keep sessions that agents will delete, by hard links.\n\n"
		"They are in ~/.local/share/sessfs/kept. From the next "
		"sessfs keep on, what was\n"
		"deleted is listed, searched and opened as the others are; "
		"sessfs list --kept\n"
		"lists it alone.",
	.run = keep,
};
