#include "mount/commands/commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/file/whole.h"
#include "fs/tree/agents.h"
#include "fs/tree/attr.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"
#include "mount/commands/progress.h"
#include "mount/commands/status.h"

/* A folder that is being filled. */
struct level {
	struct node dir;   /* entered, if is_place() */
	uint64_t position; /* as for dir_next(); in a session's root: a kind */
	int fd;
	struct stat st; /* for the new folder, unless it existed */
	size_t path;	/* the length of its path in exporter.path */
	bool existed;
	/* sessions.txt was looked up; in a session's root: subagents/ */
	bool listed;
};

struct exporter {
	struct tree *tree;
	const char *folder; /* DIR */
	struct level *levels;
	size_t n;
	size_t cap;
	struct buf path; /* of the file that is being written */
	struct progress progress;
	sigset_t ending; /* signals that end the export; blocked */
	sigset_t old_mask;
	bool out_failed; /* the failure is with DIR, not with SOURCE */
	bool listing;	 /* several threads read sessions, for sessions.txt */
	int status;
};

/* Set mode and times unless there is an error, and close. First error wins. */
static int finish(int fd, mode_t mode, const struct stat *like, int err)
{
	const struct timespec times[] = { like->st_mtim, like->st_mtim };
	if (!err && (fchmod(fd, mode) < 0 || futimens(fd, times) < 0))
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	return err;
}

/*
 * Create a file or a link with the mode and mtime of `like`. An existing name
 * is an error; symlinks are not followed.
 */
static int write_bytes(int folder, const char *name, struct span bytes,
		       const struct stat *like)
{
	int fd = openat(folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	if (fd < 0)
		return -errno;
	return finish(fd, like->st_mode & 0777, like, whole_write(fd, bytes));
}

static int make_link(int folder, const char *name, const char *target,
		     const struct stat *like)
{
	const struct timespec times[] = { like->st_mtim, like->st_mtim };
	if (symlinkat(target, folder, name) < 0 ||
	    utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return 0;
}

/* A descriptor, or -errno. Until the end only the owner has access to it. */
static int make_folder(int folder, const char *name)
{
	if (mkdirat(folder, name, 0700) < 0)
		return -errno;
	int fd = openat(folder, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The owner keeps write access even if `like` has none. */
static int finish_folder(int fd, const struct stat *like)
{
	return finish(fd, (like->st_mode & 0777) | S_IRWXU, like, 0);
}

static struct level *top(struct exporter *x)
{
	return &x->levels[x->n - 1];
}

/*
 * Signals that end the export take effect between two files, so that their
 * message is the last one and the progress line is cleared. Signals that were
 * ignored or blocked at the start stay so.
 */
static void block_signals(struct exporter *x)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction a;
	sigemptyset(&x->ending);
	sigprocmask(SIG_BLOCK, NULL, &x->old_mask);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (sigaction(ending[i], NULL, &a) == 0 &&
		    a.sa_handler != SIG_IGN &&
		    !sigismember(&x->old_mask, ending[i]))
			sigaddset(&x->ending, ending[i]);
	sigprocmask(SIG_BLOCK, &x->ending, NULL);
}

/* A pending one ends the process here. */
static void check_signals(struct exporter *x)
{
	sigset_t pending;
	if (sigpending(&pending) < 0)
		return;
	sigandset(&pending, &pending, &x->ending);
	if (sigisemptyset(&pending))
		return;
	progress_end(&x->progress);
	status_fail(x->folder, "interrupted; the export is incomplete");
	sigprocmask(SIG_SETMASK, &x->old_mask, NULL);
}

/* The progress of reading a session of a folder. */
static void on_progress(void *data, uint64_t done, uint64_t total)
{
	struct exporter *x = data;
	if (x->listing)
		return;
	check_signals(x);
	progress_at(&x->progress, done, total);
}

static const char *reason(int err)
{
	if (err == -EAGAIN || err == -ESTALE)
		return "the session was rewritten or removed during the export";
	return strerror(-err);
}

/* Report an error of the file that is being written. */
static void report(struct exporter *x, int err)
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

/* Note that an error is with DIR. */
static int out(struct exporter *x, int err)
{
	x->out_failed = x->out_failed || err < 0;
	return err;
}

/* Is the folder entered? Others are in a session that is. */
static bool is_place(const struct node *n)
{
	return n->kind == KIND_ROOT || n->kind == KIND_FOLDER;
}

/* Takes over fd, and the folder if it is entered, even on failure. */
static int push(struct exporter *x, const struct node *dir, int fd)
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

/* The folder is complete, or given up. */
static int pop(struct exporter *x)
{
	struct level *l = top(x);
	int err = 0;
	x->path.len = l->path;
	if (l->existed)
		close(l->fd);
	else
		err = out(x, finish_folder(l->fd, &l->st));
	if (is_place(&l->dir))
		tree_leave(&l->dir);
	x->n--;
	return err;
}

/*
 * All files of a session's root, listed or not, except those in parts and
 * tree/. The folder of its subagents is the last one.
 */
static int next_in_root(struct exporter *x, struct level *l, struct buf *name,
			struct node *n)
{
	while (l->position <= KIND_BRANCHES) {
		enum node_kind k = (enum node_kind)l->position++;
		if (k == KIND_TREE || !node_kinds[k].name ||
		    node_kinds[k].write_only || node_kinds[k].parts)
			continue;
		int err = dir_lookup(x->tree, &l->dir,
				     span_of(node_kinds[k].name), n);
		if (err == -ENOENT)
			continue;
		buf_adds(name, node_kinds[k].name);
		return err ? err : 1;
	}
	if (l->listed)
		return 0;
	l->listed = true;
	int err = agents_next_folder(&l->dir, name, n);
	return err == -ENOENT ? 0 : err ? err : 1;
}

/*
 * sessions.txt, unless a session or a folder has that name. It is the last one:
 * the folder is scanned again for it, and what is new then is not exported.
 */
static int next_list(struct exporter *x, struct level *l, struct buf *name,
		     struct node *n)
{
	struct span list = span_of(node_kinds[KIND_SESSIONS].name);
	l->listed = true;
	int err = dir_lookup(x->tree, &l->dir, list, n);
	if (err)
		return err;
	if (n->kind != KIND_SESSIONS) {
		dir_put(&l->dir, n);
		return 0;
	}
	buf_add(name, list);
	return 1;
}

static int next(struct exporter *x, struct level *l, struct buf *name,
		struct node *n)
{
	if (l->dir.kind == KIND_ROOT)
		return next_in_root(x, l, name, n);
	if (l->listed)
		return 0;
	int got = dir_next(x->tree, &l->dir, &l->position, name, n);
	if (got == 0 && l->dir.kind == KIND_FOLDER)
		got = next_list(x, l, name, n);
	return got;
}

/* Fill the folder next; fd is the new one in DIR. */
static int fill(struct exporter *x, const struct node *dir, int fd)
{
	struct stat st;
	int err = push(x, dir, fd);
	if (!err)
		err = attr_fill(x->tree, dir, &st);
	if (!err)
		top(x)->st = st;
	if (!err)
		err = dir_scan(dir);
	return err;
}

/* A session or a folder of them; one that can't be entered is skipped. */
static int write_place(struct exporter *x, const struct node *found,
		       const char *name)
{
	struct node dir;
	progress_start(&x->progress, "reading", found->place->path,
		       PROGRESS_DELAY);
	int err = tree_enter(x->tree, ino_of(found), &dir);
	if (err) {
		report(x, err);
		return 0;
	}
	int fd = make_folder(top(x)->fd, name);
	if (fd < 0) {
		tree_leave(&dir);
		return out(x, fd);
	}
	return fill(x, &dir, fd);
}

static int write_folder(struct exporter *x, const struct node *n,
			const char *name)
{
	int fd = make_folder(top(x)->fd, name);
	return fd < 0 ? out(x, fd) : fill(x, n, fd);
}

/* A regular file or a link. */
static int write_file(struct exporter *x, const struct node *n,
		      const char *name)
{
	struct rendering *r;
	struct stat st;
	struct buf target = { 0 };
	int folder = top(x)->fd;
	x->listing = n->kind == KIND_SESSIONS;
	int err = render_file(x->tree, n, &r);
	if (!err) {
		err = attr_fill(x->tree, n, &st);
		if (err)
			cache_put(r);
	}
	x->listing = false;
	if (err)
		return err;
	struct span bytes = buf_span(&r->bytes);
	if (node_kinds[n->kind].type == S_IFLNK) {
		buf_add(&target, bytes);
		const char *to = buf_cstr(&target);
		err = to ? out(x, make_link(folder, name, to, &st)) : -ENOMEM;
	} else {
		err = out(x, write_bytes(folder, name, bytes, &st));
	}
	buf_free(&target);
	cache_put(r);
	return err;
}

static int write_node(struct exporter *x, const struct node *n,
		      const char *name)
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

/* Write one file, or finish a folder. */
static int step(struct exporter *x)
{
	struct buf name = { 0 };
	struct node dir = top(x)->dir;
	struct node n;
	check_signals(x);
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

/* After an error, give up the session, or the folder of sessions. */
static int give_up_place(struct exporter *x)
{
	int err = 0;
	bool last = false;
	while (!last && !err) {
		last = is_place(&top(x)->dir);
		err = pop(x);
	}
	return err;
}

static void walk(struct exporter *x)
{
	while (x->n > 0) {
		int err = step(x);
		if (!err)
			continue;
		report(x, err);
		if (!x->out_failed && x->n > 0)
			give_up_place(x);
		if (x->out_failed)
			break;
	}
	while (x->n > 0)
		pop(x);
}

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

/* Why DIR can't be exported to; NULL if it can. */
static const char *find_fault(const struct exporter *x, int fd)
{
	const struct place *source = x->tree->places->source;
	char *path = realpath(x->folder, NULL);
	const char *why = NULL;
	if (!path)
		why = strerror(errno);
	else if (source->is_folder && pathname_is_below(path, source->path))
		why = "is inside SOURCE, which is to be exported";
	else if (!is_empty(fd))
		why = "is not empty";
	free(path);
	return why;
}

/* Create DIR, or open an empty one. -1 after reporting an error. */
static int open_folder(struct exporter *x, bool *existed)
{
	int fd = make_folder(AT_FDCWD, x->folder);
	*existed = fd == -EEXIST;
	if (*existed) {
		/* The user named it, so a symlink is followed. */
		fd = open(x->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	const char *why = fd < 0 ? strerror(-fd) : find_fault(x, fd);
	if (!why)
		return fd;
	x->status = status_fail(x->folder, why);
	if (fd >= 0) {
		close(fd);
		if (!*existed)
			rmdir(x->folder);
	}
	return -1;
}

static void write_all(struct exporter *x)
{
	struct node dir;
	bool existed;
	int fd = open_folder(x, &existed);
	if (fd < 0)
		return;
	buf_adds(&x->path, x->folder);
	int err = tree_enter(x->tree, KIND_ROOT, &dir);
	if (err)
		close(fd);
	else
		err = fill(x, &dir, fd);
	if (x->n > 0)
		top(x)->existed = existed;
	if (err) {
		report(x, err);
		while (x->n > 0)
			pop(x);
	}
	walk(x);
}

/* A descriptor is open for each level, and folders may be deep. */
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
	struct exporter x = { .tree = &tree, .folder = o->folder };
	if (tree_init(&tree, places, NULL, NULL) < 0) {
		tree_free(&tree);
		return status_fail(o->source, "out of memory");
	}
	tree.stats.on = o->stats;
	places->opening.progress = on_progress;
	places->opening.progress_data = &x;
	raise_limit();
	block_signals(&x);
	write_all(&x);
	progress_end(&x.progress);
	sigprocmask(SIG_SETMASK, &x.old_mask, NULL);
	places->opening.progress = NULL;
	buf_free(&x.path);
	free(x.levels);
	tree_free(&tree);
	return x.status;
}
