#include "mount/export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/array.h"
#include "fs/tree/attr.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"
#include "mount/mountpoint.h"
#include "mount/outfile.h"
#include "mount/progress.h"
#include "mount/status.h"

/* A folder that is being filled. */
struct level {
	struct node dir;   /* entered, if it is a place's own */
	uint64_t position; /* as for dir_next(); in a session's root: a kind */
	int fd;
	struct stat st; /* it gets these attributes, unless it was there */
	size_t path;	/* the length of its own in export.path */
	bool was_there;
};

struct export
{
	struct tree *tree;
	const char *folder; /* DIR */
	struct level *levels;
	size_t n;
	size_t cap;
	struct buf path; /* of what is being written */
	struct progress progress;
	sigset_t asking; /* signals that ask for the end; they are held */
	sigset_t mask_was;
	bool out_failed; /* by DIR, and not by SOURCE */
	int status;
};

static struct level *top(struct export *x)
{
	return &x->levels[x->n - 1];
}

/* Signals. */

/*
 * One that asks for the end is heeded between files: what is said about it is
 * the last that is said, and the terminal is the last that is said, and the
 * terminal is clean. Those that are ignored or held by who started us stay so.
 */
static void hold_signals(struct export *x)
{
	static const int asking[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction a;
	sigemptyset(&x->asking);
	sigprocmask(SIG_BLOCK, NULL, &x->mask_was);
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		if (sigaction(asking[i], NULL, &a) == 0 &&
		    a.sa_handler != SIG_IGN &&
		    !sigismember(&x->mask_was, asking[i]))
			sigaddset(&x->asking, asking[i]);
	sigprocmask(SIG_BLOCK, &x->asking, NULL);
}

/* If one has come, it ends the process here. */
static void heed_signals(struct export *x)
{
	sigset_t come;
	if (sigpending(&come) < 0)
		return;
	sigandset(&come, &come, &x->asking);
	if (sigisemptyset(&come))
		return;
	progress_end(&x->progress);
	status_fail(x->folder, "interrupted; the export is incomplete");
	sigprocmask(SIG_SETMASK, &x->mask_was, NULL);
}

/* While a session of a folder is read. */
static void reading_at(void *data, uint64_t done, uint64_t total)
{
	struct export *x = data;
	heed_signals(x);
	progress_at(&x->progress, done, total);
}

/* What went wrong. */

static const char *reason(int err)
{
	if (err == -EAGAIN || err == -ESTALE)
		return "the session was rewritten or removed during the export";
	return strerror(-err);
}

/* Say it of what is being written. */
static void say(struct export *x, int err)
{
	const char *path = buf_cstr(&x->path);
	struct buf why = { 0 };
	buf_addf(&why, "%s; %s is incomplete", reason(err), x->folder);
	const char *text = buf_cstr(&why);
	progress_end(&x->progress);
	x->status =
		status_fail(path ? path : x->folder, text ? text : reason(err));
	buf_free(&why);
}

/* The same where DIR is to blame. */
static int out(struct export *x, int err)
{
	x->out_failed = x->out_failed || err < 0;
	return err;
}

/* The walk. */

/* Has the folder been entered for itself? The others are in one that has. */
static bool is_place(const struct node *n)
{
	return n->kind == KIND_ROOT || n->kind == KIND_FOLDER;
}

/* Takes what is entered, and fd, in any case. */
static int push(struct export *x, const struct node *dir, int fd)
{
	if (array_reserve(&x->levels, &x->cap, x->n, 1) < 0) {
		close(fd);
		if (is_place(dir))
			tree_leave(dir);
		return -ENOMEM;
	}
	x->n++;
	*top(x) = (struct level){ .dir = *dir,
				  .position = DIR_AFTER_DOTS,
				  .fd = fd,
				  .path = x->path.len };
	if (dir->kind == KIND_ROOT) {
		top(x)->position = KIND_HEAD;
		progress_start(&x->progress, "writing", dir->place->path, 0);
	}
	return 0;
}

/* The folder is full, or given up. */
static int pop(struct export *x)
{
	struct level *l = top(x);
	int err = 0;
	x->path.len = l->path;
	if (l->was_there)
		close(l->fd);
	else
		err = out(x, outfile_finish_folder(l->fd, &l->st));
	if (is_place(&l->dir))
		tree_leave(&l->dir);
	x->n--;
	return err;
}

/* What a session's root has, listed or not, but for tree/. */
static int next_in_root(struct export *x, struct level *l, struct buf *name,
			struct node *n)
{
	while (l->position <= KIND_BRANCHES) {
		enum node_kind k = (enum node_kind)l->position++;
		if (k == KIND_TREE || !node_kinds[k].name ||
		    node_kinds[k].write_only)
			continue;
		buf_adds(name, node_kinds[k].name);
		int err = dir_lookup(x->tree, &l->dir,
				     span_of(node_kinds[k].name), n);
		return err ? err : 1;
	}
	return 0;
}

static int next(struct export *x, struct level *l, struct buf *name,
		struct node *n)
{
	if (l->dir.kind == KIND_ROOT)
		return next_in_root(x, l, name, n);
	return dir_next(x->tree, &l->dir, &l->position, name, n);
}

/* Let the folder that was found, and made as fd, be filled next. */
static int fill(struct export *x, const struct node *dir, int fd)
{
	struct stat st;
	int err = push(x, dir, fd);
	if (!err)
		err = attr_fill(x->tree, dir, &st);
	if (!err)
		top(x)->st = st;
	if (!err && dir->kind == KIND_FOLDER)
		err = place_scan(dir->place);
	return err;
}

/* A session or a folder of them: one that can't be entered is passed over. */
static int write_place(struct export *x, const struct node *found,
		       const char *name)
{
	struct node dir;
	progress_start(&x->progress, "reading", found->place->path,
		       PROGRESS_DELAY);
	int err = tree_enter(x->tree, ino_of(found), &dir);
	if (err) {
		say(x, err);
		return 0;
	}
	int fd = outfile_make_folder(top(x)->fd, name);
	if (fd < 0) {
		tree_leave(&dir);
		return out(x, fd);
	}
	return fill(x, &dir, fd);
}

static int write_folder(struct export *x, const struct node *n,
			const char *name)
{
	int fd = outfile_make_folder(top(x)->fd, name);
	return fd < 0 ? out(x, fd) : fill(x, n, fd);
}

/* A regular file or a link. */
static int write_file(struct export *x, const struct node *n, const char *name)
{
	struct rendering *r;
	struct stat st;
	struct buf target = { 0 };
	int folder = top(x)->fd;
	int err = render_file(x->tree, n, &r);
	if (err)
		return err;
	struct span bytes = buf_span(&r->bytes);
	err = attr_fill(x->tree, n, &st);
	if (!err && node_kinds[n->kind].type == S_IFLNK) {
		buf_add(&target, bytes);
		const char *to = buf_cstr(&target);
		err = to ? out(x, outfile_link(folder, name, to, &st))
			 : -ENOMEM;
	} else if (!err) {
		err = out(x, outfile_write(folder, name, bytes, &st));
	}
	buf_free(&target);
	cache_put(r);
	return err;
}

static int write_node(struct export *x, const struct node *n, const char *name)
{
	if (n->kind == KIND_ID_ENTRY)
		progress_at(&x->progress, n->entry,
			    n->place->session->now.index.n);
	if (is_place(n))
		return write_place(x, n, name);
	if (node_kinds[n->kind].type == S_IFDIR)
		return write_folder(x, n, name);
	return write_file(x, n, name);
}

/* One file, or the end of a folder. */
static int step(struct export *x)
{
	struct buf name = { 0 };
	struct node dir = top(x)->dir;
	struct node n;
	heed_signals(x);
	x->path.len = top(x)->path;
	int got = next(x, top(x), &name, &n);
	if (got <= 0) {
		buf_free(&name);
		return got < 0 ? got : pop(x);
	}
	const char *text = buf_cstr(&name);
	buf_addf(&x->path, "/%s", text ? text : "");
	int err = text ? write_node(x, &n, text) : -ENOMEM;
	dir_put(&dir, &n);
	buf_free(&name);
	return err;
}

/* What can't be read costs its session, or its folder, alone. */
static int give_up_place(struct export *x)
{
	int err = 0;
	bool last = false;
	while (!last && !err) {
		last = is_place(&top(x)->dir);
		err = pop(x);
	}
	return err;
}

static void walk(struct export *x)
{
	while (x->n > 0) {
		int err = step(x);
		if (!err)
			continue;
		say(x, err);
		if (!x->out_failed && x->n > 0)
			give_up_place(x);
		if (x->out_failed)
			break;
	}
	while (x->n > 0)
		pop(x);
}

/* DIR. */

static bool is_empty(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned n = 0;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (n < 3 && readdir(dir))
		n++;
	closedir(dir);
	return n < 3; /* "." and ".." */
}

/* Why it will not do; NULL if it will. */
static const char *unfit(const struct export *x, int fd)
{
	const struct place *source = x->tree->places->source;
	char *path = realpath(x->folder, NULL);
	const char *why = NULL;
	if (!path)
		why = strerror(errno);
	else if (source->is_folder && mountpoint_is_below(path, source->path))
		why = "is inside SOURCE, which is to be exported";
	else if (!is_empty(fd))
		why = "is not empty";
	free(path);
	return why;
}

/* Make it, or take an empty one; -1 if that is not possible, as is said. */
static int open_folder(struct export *x, bool *was_there)
{
	int fd = outfile_make_folder(AT_FDCWD, x->folder);
	*was_there = fd == -EEXIST;
	if (*was_there) {
		/* It is the user's word: a link is followed. */
		fd = open(x->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	const char *why = fd < 0 ? strerror(-fd) : unfit(x, fd);
	if (!why)
		return fd;
	x->status = status_fail(x->folder, why);
	if (fd >= 0) {
		close(fd);
		if (!*was_there)
			rmdir(x->folder);
	}
	return -1;
}

static void write_all(struct export *x)
{
	struct node dir;
	bool was_there;
	int fd = open_folder(x, &was_there);
	if (fd < 0)
		return;
	buf_adds(&x->path, x->folder);
	int err = tree_enter(x->tree, KIND_ROOT, &dir);
	if (err)
		close(fd);
	else
		err = fill(x, &dir, fd);
	if (x->n > 0)
		top(x)->was_there = was_there;
	if (err) {
		say(x, err);
		while (x->n > 0)
			pop(x);
	}
	walk(x);
}

/* Folders of sessions may be deep, and each that is being filled is open. */
static void raise_limit(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int export_source(const struct options *o, struct places *places)
{
	struct tree tree = { 0 };
	struct export x = { .tree = &tree, .folder = o->folder };
	if (tree_init(&tree, places, NULL, NULL) < 0) {
		tree_free(&tree);
		return status_fail(o->source, "out of memory");
	}
	places->opening.progress = reading_at;
	places->opening.progress_data = &x;
	raise_limit();
	hold_signals(&x);
	write_all(&x);
	progress_end(&x.progress);
	sigprocmask(SIG_SETMASK, &x.mask_was, NULL);
	places->opening.progress = NULL;
	buf_free(&x.path);
	free(x.levels);
	tree_free(&tree);
	return x.status;
}
