#include "mount/commands/commands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/file/whole.h"
#include "fs/tree/agents.h"
#include "fs/tree/dir.h"
#include "fs/tree/ino.h"
#include "fs/tree/render.h"
#include "fs/tree/sessions.h"
#include "fs/tree/tree.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"
#include "mount/operands/selection.h"
#include "mount/operands/source.h"

/* What the command line says besides. */
struct exporter {
	struct tree *tree;
	const char *folder; /* DIR */
	struct buf path;    /* of the file that is being written */
	struct progress progress;
	sigset_t ending; /* signals that end the export; blocked */
	sigset_t old_mask;
	bool out_failed; /* the failure is with DIR, not with SOURCE */
	bool listing;	 /* several threads read sessions, for sessions.txt */
	int status;
};

/* Where the listing of a folder is. */
struct position {
	uint64_t next; /* as for dir_next(); in a session's root: a kind */
	/* sessions.txt was looked up; in a session's root: subagents/ */
	bool listed;
};

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

/* Report an error of the file that is being written, and return it. */
static int report(struct exporter *x, int err)
{
	const char *path = buf_cstr(&x->path);
	const char *reason = err == -EAGAIN || err == -ESTALE
				     ? "the session was rewritten or removed "
				       "during the export"
				     : strerror(-err);
	progress_end(&x->progress);
	x->status = status_failf(path ? path : x->folder,
				 "%s; %s is incomplete", reason, x->folder);
	return err;
}

/* Note that an error is with DIR. */
static int out(struct exporter *x, int err)
{
	x->out_failed = x->out_failed || err < 0;
	return err;
}

/* -- what is made on the disk; an existing name is an error */

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

/* Create a file or a link with the mode and mtime of `like`. */
static int make_file(int folder, const char *name, struct span bytes,
		     const struct stat *like)
{
	int fd = whole_open(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return fd < 0 ? fd
		      : finish(fd, like->st_mode & 0777, like,
			       whole_write(fd, bytes));
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
	return whole_open(folder, name, O_RDONLY | O_DIRECTORY, 0);
}

/* False, too, if that can't be told. */
static bool is_empty(int folder)
{
	int fd = whole_open(folder, ".", O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned n = 0;
	if (!dir && fd >= 0)
		close(fd);
	if (!dir)
		return false;
	while (n < 3 && readdir(dir))
		n++;
	closedir(dir);
	return n < 3; /* "." and ".." */
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

/* -- the walk */

static int write_folder(struct exporter *x, int folder, const struct node *n,
			const char *name);

/*
 * All files of a session's root, listed or not, except those in parts, as/,
 * which has the context seven times more, and tree/. The folder of its
 * subagents is the last one.
 */
static int next_in_root(struct exporter *x, const struct node *dir,
			struct position *at, struct buf *name, struct node *n)
{
	while (at->next <= KIND_BRANCHES) {
		enum node_kind k = (enum node_kind)at->next++;
		if (k == KIND_AS || k == KIND_TREE || !node_kinds[k].name ||
		    node_kinds[k].traits & NODE_WRITE_ONLY ||
		    node_kinds[k].parts)
			continue;
		int err = dir_lookup(x->tree, dir, span_of(node_kinds[k].name),
				     n);
		if (err == -ENOENT)
			continue;
		buf_adds(name, node_kinds[k].name);
		return err ? err : 1;
	}
	if (at->listed)
		return 0;
	at->listed = true;
	int err = agents_next_folder(dir, name, n);
	return err == -ENOENT ? 0 : err ? err : 1;
}

/*
 * The next file of a folder: 1, 0 at the end, or -errno. In a folder of
 * sessions, sessions.txt is the last one, unless a session or a folder has that
 * name: the folder is scanned again for it, and what is new then is not
 * exported.
 */
static int next(struct exporter *x, const struct node *dir, struct position *at,
		struct buf *name, struct node *n)
{
	struct span list = span_of(node_kinds[KIND_SESSIONS].name);
	if (dir->kind == KIND_ROOT)
		return next_in_root(x, dir, at, name, n);
	if (at->listed)
		return 0;
	int got = dir_next(x->tree, dir, &at->next, name, n);
	if (got != 0 || dir->kind != KIND_FOLDER)
		return got;
	at->listed = true;
	int err = dir_lookup(x->tree, dir, list, n);
	if (err)
		return err;
	if (n->kind != KIND_SESSIONS) {
		dir_put(dir, n);
		return 0;
	}
	buf_add(name, list);
	return 1;
}

static int write_link(struct exporter *x, int folder, const struct node *n,
		      const char *name)
{
	struct buf target BUF_SCOPED = { 0 };
	struct stat st;
	int err = render_link(x->tree, n, &target);
	if (!err && !buf_cstr(&target))
		err = -ENOMEM;
	if (!err)
		err = attr_fill(x->tree, n, &st);
	if (!err)
		err = out(x, make_link(folder, name, target.data, &st));
	return err;
}

static int write_file(struct exporter *x, int folder, const struct node *n,
		      const char *name)
{
	struct rendering *r;
	struct stat st;
	x->listing = n->kind == KIND_SESSIONS;
	int err = render_file(x->tree, n, &r);
	if (!err) {
		err = attr_fill(x->tree, n, &st);
		if (!err)
			err = out(x, make_file(folder, name,
					       buf_span(&r->bytes), &st));
		cache_put(r);
	}
	x->listing = false;
	return err;
}

/* Returns an error, which is reported. */
static int write_node(struct exporter *x, int folder, const struct node *n,
		      const char *name)
{
	mode_t type = node_kinds[n->kind].type;
	if (type == S_IFDIR)
		return write_folder(x, folder, n, name);
	int err = type == S_IFLNK ? write_link(x, folder, n, name)
				  : write_file(x, folder, n, name);
	return err ? report(x, err) : 0;
}

/* Write one file of a folder: 1, 0 at the end, or an error that is reported. */
static int write_next(struct exporter *x, const struct node *dir, int fd,
		      struct position *at)
{
	struct buf name BUF_SCOPED = { 0 };
	struct node n;
	size_t path = x->path.len;
	check_signals(x);
	int err = 0;
	int got = next(x, dir, at, &name, &n);
	if (got > 0) {
		const char *text = buf_cstr(&name);
		buf_addf(&x->path, "/%s", text ? text : "");
		if (n.kind == KIND_ID_ENTRY)
			progress_at(&x->progress, n.entry,
				    n.place->session->now.index.n);
		err = text ? write_node(x, fd, &n, text) : report(x, -ENOMEM);
		dir_put(dir, &n);
		x->path.len = path;
	} else if (got < 0) {
		err = report(x, got);
	}
	return err ? err : got;
}

/*
 * Write the files of a folder to fd, and close it. Returns an error, which is
 * reported.
 */
static int fill(struct exporter *x, const struct node *dir, int fd,
		bool existed)
{
	struct position at = { .next = DIR_AFTER_DOTS };
	struct stat st = { 0 };
	if (dir->kind == KIND_ROOT) {
		at.next = KIND_HEAD;
		progress_start(&x->progress, "writing", dir->place->path, 0);
	}
	int err = attr_fill(x->tree, dir, &st);
	if (!err)
		err = dir_scan(x->tree, dir);
	int got = err ? report(x, err) : 1;
	while (got > 0)
		got = write_next(x, dir, fd, &at);
	if (existed)
		close(fd);
	else /* The owner keeps write access. */
		err = out(x, finish(fd, (st.st_mode & 0777) | S_IRWXU, &st, 0));
	if (err && !got)
		got = report(x, err);
	return got;
}

/*
 * Write a folder. Returns an error, which is reported, if the folder around it
 * is to be given up as well: what goes wrong in a session is the end of that
 * alone. Without tree/ the folders are no deeper than paths are long.
 */
static int write_folder(struct exporter *x, int folder, const struct node *n,
			const char *name)
{
	struct node dir = *n;
	/* Other folders are in a session that is entered, or need none. */
	bool place = n->kind == KIND_ROOT || n->kind == KIND_FOLDER;
	if (place) {
		progress_start(&x->progress, "reading", n->place->path,
			       PROGRESS_DELAY);
		int err = tree_enter(x->tree, ino_of(n), &dir);
		if (err) {
			report(x, err);
			return 0;
		}
	}
	int fd = out(x, make_folder(folder, name));
	int err = fd < 0 ? report(x, fd) : fill(x, &dir, fd, false);
	if (place)
		tree_leave(&dir);
	return place && !x->out_failed ? 0 : err;
}

/* Why DIR can't be exported to; NULL if it can. */
static const char *find_fault(const struct exporter *x, int fd)
{
	const struct places *p = x->tree->places;
	char *path = realpath(x->folder, NULL);
	const char *why = path ? NULL : strerror(errno);
	for (size_t i = 0; path && p->source->is_folder && p->paths[i]; i++) {
		if (pathname_is_below(path, p->paths[i]))
			why = "is inside SOURCE, which is to be exported";
	}
	if (!why && !is_empty(fd))
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
	if (err) {
		close(fd);
		report(x, err);
		return;
	}
	fill(x, &dir, fd, existed);
	tree_leave(&dir);
}

static int write_source(const struct options *o, struct places *places)
{
	struct tree tree = { 0 };
	struct exporter x = { .tree = &tree, .folder = o->names[0] };
	if (tree_init(&tree, places, NULL, NULL) < 0) {
		tree_free(&tree);
		return status_fail("export", "out of memory");
	}
	tree.stats.on = o->stats;
	/* What is deleted from here on is missed, and not passed over. */
	if (places->source->is_folder)
		(void)sessions_keep(&tree);
	places->opening.progress = on_progress;
	places->opening.progress_data = &x;
	raise_limit();
	block_signals(&x);
	write_all(&x);
	progress_end(&x.progress);
	sigprocmask(SIG_SETMASK, &x.old_mask, NULL);
	places->opening.progress = NULL;
	places->opening.progress_data = NULL;
	buf_free(&x.path);
	tree_free(&tree);
	return x.status;
}

/* A folder for each session that is selected. *missed is the status for those
 * that can't be read. */
static int open_selected(const struct options *o, struct places *places,
			 int *missed)
{
	const struct select_options *own = o->own;
	struct select_by by = { .forced = o->dialect };
	struct selection s = { 0 };
	struct source_set set = { 0 };
	int status = select_parse(&by, own, "export");
	if (!status)
		status = selection_make(&s, &by, o->names + 1, o->n_names - 1);
	if (!status && s.rows.n == 0)
		status = select_report_none(own, "export");
	if (!status)
		status = source_set_selected(&set, &s.rows);
	if (!status)
		status = source_open_set(o, &set, NULL, places);
	else
		set_free(&set);
	*missed = s.status;
	selection_free(&s);
	select_by_free(&by);
	return status;
}

static int export_sources(const struct options *o)
{
	const struct select_options *own = o->own;
	struct places places = { 0 };
	bool one = o->n_names == 2 && !select_is_given(own);
	int missed = STATUS_OK;
	int status = one ? source_open(o, o->names[1], NULL, &places)
			 : open_selected(o, &places, &missed);
	if (!status)
		status = write_source(o, &places);
	places_free(&places);
	return status ? status : missed;
}

static const struct option_row rows[] = {
	SELECT_ROWS(0),
	OPTION_ROW_SESSION_OF(TAKEN_BY_EXPORT),
	{ 0 },
};

const struct command command_export = {
	.name = "export",
	.usage = "DIR [SOURCE...]",
	.help = "Write what a mount of SOURCE shows to DIR, as plain files.\n\n"
		"Of an entry it is what is listed: context.txt and files/ are "
		"the root's alone.\n"
		"Of several, or with --here and the like, DIR has a folder for "
		"each session that\n"
		"they select; without SOURCE, of all agents.",
	.options = rows,
	.size = sizeof(struct select_options),
	.least = 1,
	.most = UINT_MAX,
	.run = export_sources,
};
