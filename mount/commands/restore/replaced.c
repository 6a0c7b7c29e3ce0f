#include "mount/commands/restore/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/base/pathname.h"
#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"
#include "mount/cli/terminal.h"

/* -- the folder */

void replaced_add_folder(struct buf *out)
{
	pathname_add_xdg(out, "XDG_STATE_HOME", ".local/state",
			 "/sessfs/restored");
}

int replaced_create(int folder, const char *name, struct span bytes,
		    mode_t mode)
{
	int fd = whole_open(folder, name, O_WRONLY | O_CREAT | O_EXCL, mode);
	if (fd < 0)
		return fd;
	int err = whole_write(fd, bytes);
	if (!err)
		err = whole_sync(fd, fsync);
	close(fd);
	return err;
}

/* What is replaced now. */
struct keeping {
	char *path;
	int folder;
	int done; /* the records */
};

/* A new folder: the first number of this second that is free. */
static int make_folder(struct buf *path)
{
	char stamp[32];
	struct tm tm;
	time_t now = time(NULL);
	size_t base = path->len;
	int err = -EEXIST;
	if (!gmtime_r(&now, &tm) ||
	    !strftime(stamp, sizeof(stamp), "/%Y%m%dT%H%M%S", &tm))
		return -EOVERFLOW;
	for (unsigned i = 1; err == -EEXIST && i < 1000; i++) {
		path->len = base;
		buf_addf(path, "%s-%u", stamp, i);
		const char *name = buf_cstr(path);
		if (!name)
			return -ENOMEM;
		err = mkdir(name, 0700) == 0 ? 0 : -errno;
	}
	return err;
}

static int begin(struct keeping *k, const struct plan *p)
{
	struct buf path BUF_SCOPED = { 0 };
	*k = (struct keeping){ .folder = -1, .done = -1 };
	replaced_add_folder(&path);
	int err = path.len > 0 ? newfile_make_folders(buf_span(&path), 0700)
			       : -ENOENT;
	if (!err)
		err = make_folder(&path);
	k->path = err ? NULL : buf_take(&path);
	if (!err && !k->path)
		err = -ENOMEM;
	if (!err) {
		k->folder = open(k->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = k->folder < 0 ? -errno : 0;
	}
	if (!err)
		err = replaced_create(k->folder, "root", span_of(p->root),
				      0600);
	if (!err && p->undoes)
		err = replaced_create(k->folder, "undone", (struct span){ 0 },
				      0600);
	if (!err) {
		k->done = whole_open(k->folder, "done",
				     O_WRONLY | O_CREAT | O_EXCL, 0600);
		err = k->done < 0 ? k->done : 0;
	}
	return err;
}

static void end(struct keeping *k)
{
	if (k->done >= 0)
		close(k->done);
	if (k->folder >= 0)
		close(k->folder);
	free(k->path);
}

/* -- changes */

/* Make the folders of a path that are missing; through no symlink. */
static int make_parents(const char *path)
{
	char *copy = strdup(path);
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int err = !copy ? -ENOMEM : fd < 0 ? -errno : 0;
	char *rest = copy ? copy + 1 : NULL;
	char *slash = NULL;
	while (!err && (slash = strchr(rest, '/')) != NULL) {
		*slash = '\0';
		if (mkdirat(fd, rest, 0777) < 0 && errno != EEXIST)
			err = errno == EROFS || errno == EACCES ? 0 : -errno;
		int next = err ? err
			       : openat(fd, rest,
					O_PATH | O_DIRECTORY | O_NOFOLLOW |
						O_CLOEXEC);
		if (!err && next < 0)
			err = -errno;
		close(fd);
		fd = next;
		rest = slash + 1;
	}
	if (fd >= 0)
		close(fd);
	free(copy);
	return err;
}

/* As git does: folders below the root that are empty then, but for the user's
   own. */
static void drop_empty(const char *path, const char *root)
{
	char *dir = strdup(path);
	char *here = realpath(".", NULL);
	int err = dir ? 0 : -ENOMEM;
	while (!err) {
		*strrchr(dir, '/') = '\0';
		if (strcmp(dir, root) == 0 || !pathname_is_below(dir, root) ||
		    (here && pathname_is_below(here, dir)))
			break;
		int around = nofollow_open_folder(NULL, dir);
		if (around < 0 ||
		    unlinkat(around, nofollow_name(dir), AT_REMOVEDIR) < 0)
			err = -ENOTEMPTY;
		if (around >= 0)
			close(around);
	}
	free(dir);
	free(here);
}

static int take_away(const char *path, const char *root)
{
	int folder = nofollow_open_folder(NULL, path);
	if (folder < 0)
		return folder;
	int err = unlinkat(folder, nofollow_name(path), 0) == 0 ? 0 : -errno;
	close(folder);
	if (!err)
		err = newfile_sync_folder_of(NULL, path);
	if (!err)
		drop_empty(path, root);
	return err;
}

/* NUMBER, a tab, what is done, a tab, the new text's hash, a tab, PATH, NUL. */
static int record(struct keeping *k, size_t number, const struct change *c)
{
	struct buf name BUF_SCOPED = { 0 };
	struct buf line BUF_SCOPED = { 0 };
	buf_addf(&name, "%zu", number);
	const char *text = buf_cstr(&name);
	int err = text ? 0 : -ENOMEM;
	if (!err && c->exists)
		err = replaced_create(k->folder, text, buf_span(&c->old),
				      c->st.st_mode & 0777);
	buf_addf(&line, "%zu\t%s\t%016llx\t%s", number,
		 c->removes  ? "removed"
		 : c->exists ? "replaced"
			     : "new",
		 (unsigned long long)hash_bytes(0, buf_span(&c->new)), c->path);
	buf_addc(&line, '\0');
	if (!err)
		err = buf_error(&line);
	if (!err)
		err = whole_write(k->done, buf_span(&line));
	if (!err)
		err = whole_sync(k->done, fsync);
	if (!err)
		err = whole_sync(k->folder, fsync);
	return err;
}

/* Has somebody else written the file since it was looked at? */
static int check_again(const struct change *c)
{
	struct buf now BUF_SCOPED = { 0 };
	struct stat st;
	int got = plan_read(c->path, &st, &now);
	bool same = c->exists == (got > 0) &&
		    span_eq(buf_span(&now), buf_span(&c->old));
	return got < 0 ? got : same ? 0 : -EBUSY;
}

static int make_change(struct keeping *k, size_t number, const struct change *c,
		       const char *root)
{
	struct stat like = c->st;
	if (!c->exists)
		like = (struct stat){ .st_mode = S_IFREG | c->mode,
				      .st_uid = geteuid(),
				      .st_gid = getegid() };
	int err = check_again(c);
	if (err)
		return status_error(c->path, err);
	err = record(k, number, c);
	if (err)
		return status_error(k->path, err);
	if (c->removes) {
		err = take_away(c->path, root);
	} else {
		struct newfile f;
		err = make_parents(c->path);
		if (!err)
			err = newfile_write(&f, NULL, c->path,
					    buf_span(&c->new), &like, false);
		if (!err)
			err = newfile_commit(&f);
	}
	return err ? status_error(c->path, err) : STATUS_OK;
}

static int fail_to_begin(const struct keeping *k, int err)
{
	struct buf folder BUF_SCOPED = { 0 };
	replaced_add_folder(&folder);
	const char *path = k->path ? k->path : buf_cstr(&folder);
	return path && *path ? status_error(path, err)
			     : status_fail("restore", "HOME is not set");
}

static int make_changes(const struct plan *p)
{
	struct keeping k;
	size_t i = 0;
	int err = begin(&k, p);
	int status = err ? fail_to_begin(&k, err) : STATUS_OK;
	while (!status && i < p->n) {
		status = make_change(&k, i, &p->list[i], p->root);
		i++;
	}
	bool kept = false;
	for (size_t j = 0; j < i; j++)
		kept = kept || p->list[j].exists;
	fflush(stdout);
	if (kept || (i > 0 && !p->undoes))
		fprintf(stderr, "what was there is kept in %s%s%s\n", k.path,
			p->undoes ? "" : ": sessfs restore --undo --to ",
			p->undoes ? "" : p->root);
	end(&k);
	return status;
}

/* -- showing them */

static int show_diff(const struct change *c, const char *name, bool shows,
		     bool colors)
{
	const struct diff_side old = { c->exists ? name : "/dev/null",
				       buf_span(&c->old) };
	const struct diff_side new = { c->removes ? "/dev/null" : name,
				       buf_span(&c->new) };
	if (status_flush())
		return STATUS_FAILED;
	int status = text_diff_print(old, new, shows, colors);
	if (status < 0)
		return status_error("diff", status);
	/* More than a difference: diff has said what, or nobody reads on. */
	return status > 1 ? STATUS_FAILED : STATUS_OK;
}

/* A line for each, or a patch, which a terminal shows as `sessfs diff` does. */
static int show_all(const struct plan *p)
{
	struct pager pager = { 0 };
	bool shows = isatty(STDOUT_FILENO);
	bool colors = terminal_has_colors(STDOUT_FILENO);
	int err = p->patch ? pager_begin(&pager) : 0;
	int status = err ? status_output(err) : STATUS_OK;
	for (size_t i = 0; !status && i < p->n; i++) {
		const struct change *c = &p->list[i];
		struct buf name BUF_SCOPED = { 0 };
		/* No diff tells of an empty file that comes or goes. */
		bool differs = p->patch && (c->old.len > 0 || c->new.len > 0);
		buf_add(&name, buf_span(&c->name));
		/* patch(1) would end the name at a blank. */
		if (differs && memchr(name.data, ' ', name.len))
			buf_addc(&name, '\t');
		const char *text = buf_cstr(&name);
		if (!text)
			status = status_error(c->path, -ENOMEM);
		else if (differs)
			status = show_diff(c, text, shows, colors);
		else
			printf("%s %s\n",
			       c->refused   ? "refused"
			       : c->removes ? "remove"
					    : "write",
			       text);
	}
	err = pager_end(&pager, 0);
	return !status && err ? status_output(err) : status;
}

int replaced_do(const struct plan *p)
{
	int status = p->dry || !p->refused ? show_all(p) : STATUS_OK;
	if (!status && p->refused)
		status =
			status_fail(p->root, p->dry ? "nothing would be changed"
						    : "nothing is changed");
	if (!status && p->n == 0)
		status_report(p->root, "there is nothing to change");
	return !status && !p->dry && p->n > 0 ? make_changes(p) : status;
}
