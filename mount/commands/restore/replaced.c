#include "mount/commands/restore/replaced.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/file/folders.h"
#include "core/file/newfile.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

/* -- the folder */

static void add_base(struct buf *out)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	/* By the XDG specification a relative path counts for nothing. */
	if (state && *state == '/')
		buf_addf(out, "%s/sessfs/restored", state);
	else if (home && *home == '/')
		buf_addf(out, "%s/.local/state/sessfs/restored", home);
}

/* Create a file with these bytes, synced. A descriptor, or -errno. */
static int create(int folder, const char *name, struct span bytes, mode_t mode)
{
	int fd = whole_open(folder, name, O_WRONLY | O_CREAT | O_EXCL, mode);
	if (fd < 0)
		return fd;
	int err = whole_write(fd, bytes);
	if (!err)
		err = whole_sync(fd, fsync);
	if (!err)
		return fd;
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

static int begin(struct keeping *k, const char *root)
{
	struct buf path = { 0 };
	*k = (struct keeping){ .folder = -1, .done = -1 };
	add_base(&path);
	int err = path.len > 0 ? folders_make(buf_span(&path), 0700) : -ENOENT;
	if (!err)
		err = make_folder(&path);
	const char *name = err ? NULL : buf_cstr(&path);
	k->path = name ? strdup(name) : NULL;
	if (!err && !k->path)
		err = -ENOMEM;
	if (!err) {
		k->folder = open(k->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = k->folder < 0 ? -errno : 0;
	}
	int fd = err ? err : create(k->folder, "root", span_of(root), 0600);
	if (fd >= 0) {
		close(fd);
		k->done = create(k->folder, "done", (struct span){ 0 }, 0600);
	}
	err = fd < 0 ? fd : k->done < 0 ? k->done : 0;
	buf_free(&path);
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

/* Put a file in place, with the mode and owner of another one, if possible. */
static int put(const char *path, struct span bytes, const struct stat *like)
{
	struct newfile f;
	int err = make_parents(path);
	if (!err)
		err = newfile_write(&f, NULL, path, bytes, like, false);
	return err ? err : newfile_commit(&f);
}

static int take_away(const char *path)
{
	int folder = nofollow_open_folder(NULL, path);
	if (folder < 0)
		return folder;
	int err = unlinkat(folder, nofollow_name(path), 0) == 0 ? 0 : -errno;
	close(folder);
	return err ? err : newfile_sync_folder_of(NULL, path);
}

/* NUMBER, a tab, what is done, a tab, the new text's hash, a tab, PATH, NUL. */
static int record(struct keeping *k, size_t number, const struct change *c)
{
	struct buf name = { 0 };
	struct buf line = { 0 };
	buf_addf(&name, "%zu", number);
	const char *text = buf_cstr(&name);
	int fd = !text	     ? -ENOMEM
		 : c->exists ? create(k->folder, text, buf_span(&c->old),
				      c->st.st_mode & 0777)
			     : 0;
	if (fd > 0)
		close(fd);
	buf_addf(&line, "%zu\t%s\t%016llx\t%s", number,
		 c->removes  ? "removed"
		 : c->exists ? "replaced"
			     : "new",
		 (unsigned long long)hash_bytes(0, buf_span(&c->new)), c->path);
	buf_addc(&line, '\0');
	int err = fd < 0 ? fd : buf_error(&line);
	if (!err)
		err = whole_write(k->done, buf_span(&line));
	if (!err)
		err = whole_sync(k->done, fsync);
	if (!err)
		err = whole_sync(k->folder, fsync);
	buf_free(&line);
	buf_free(&name);
	return err;
}

static int make_change(struct keeping *k, size_t number, const struct change *c)
{
	struct stat like = c->st;
	if (!c->exists)
		like = (struct stat){ .st_mode = S_IFREG | c->mode,
				      .st_uid = geteuid(),
				      .st_gid = getegid() };
	int err = record(k, number, c);
	if (err)
		return status_error(k->path, err);
	err = c->removes ? take_away(c->path)
			 : put(c->path, buf_span(&c->new), &like);
	return err ? status_error(c->path, err) : STATUS_OK;
}

/* Make changes, and say where the old files are kept. */
static int make_changes(const char *root, const struct change *list, size_t n,
			bool undoes)
{
	struct keeping k;
	size_t i = 0;
	int err = begin(&k, root);
	int fd = err || !undoes
			 ? err
			 : create(k.folder, "undone", (struct span){ 0 }, 0600);
	if (!err && undoes && fd >= 0)
		close(fd);
	err = fd < 0 ? fd : 0;
	int status =
		err ? status_error(k.path ? k.path : "the state folder", err)
		    : STATUS_OK;
	while (!status && i < n) {
		status = make_change(&k, i, &list[i]);
		i++;
	}
	if (i > 0)
		fprintf(stderr, "what was there is kept in %s%s\n", k.path,
			undoes ? "" : ": sessfs restore --undo");
	end(&k);
	return status;
}

int replaced_apply(const struct plan *p)
{
	return make_changes(p->root, p->list, p->n, false);
}

/* -- taking back */

/* A record, and the change that takes it back. */
struct undo {
	struct change change;
	bool removed;
	uint64_t hash; /* of what it was made */
};

struct undos {
	struct undo *list;
	size_t n;
	size_t cap;
};

static void free_undos(struct undos *u)
{
	for (size_t i = 0; i < u->n; i++)
		change_free(&u->list[i].change);
	free(u->list);
}

static int read_in(const char *folder, const char *name, struct stat *st,
		   struct buf *out)
{
	struct buf path = { 0 };
	buf_addf(&path, "%s/%s", folder, name);
	const char *text = buf_cstr(&path);
	int got = text ? plan_read(text, st, out) : -ENOMEM;
	buf_free(&path);
	return got;
}

static int add_undo(struct undos *u, const char *folder, char *line)
{
	char *rest = line;
	const char *number = strsep(&rest, "\t");
	const char *what = strsep(&rest, "\t");
	const char *hash = strsep(&rest, "\t");
	if (!rest)
		return -EBADMSG;
	int err = array_reserve(&u->list, &u->cap, u->n, 1);
	if (err)
		return err;
	struct undo *add = &u->list[u->n];
	struct stat st = { 0 };
	*add = (struct undo){ .change.path = strdup(rest),
			      .change.removes = strcmp(what, "new") == 0,
			      .removed = strcmp(what, "removed") == 0,
			      .hash = strtoull(hash, NULL, 16) };
	u->n += add->change.path != NULL;
	if (!add->change.path)
		return -ENOMEM;
	int got = add->change.removes
			  ? 1
			  : read_in(folder, number, &st, &add->change.new);
	add->change.mode = st.st_mode & 0777;
	return got < 0 ? got : got == 0 ? -ENOENT : 0;
}

static int load_undos(struct undos *u, const char *folder)
{
	struct buf done = { 0 };
	struct stat st;
	int got = read_in(folder, "done", &st, &done);
	size_t at = 0;
	int err = got < 0 ? got : got == 0 ? -ENOENT : 0;
	while (!err && at < done.len) {
		size_t n = strnlen(done.data + at, done.len - at);
		/* The last record may be cut off: then nothing was changed. */
		if (at + n == done.len)
			break;
		err = add_undo(u, folder, done.data + at);
		at += n + 1;
	}
	buf_free(&done);
	return err;
}

/* Is the file as it was made? *done: it is as it was before. */
static int check_undo(struct undo *u, bool *left, bool *done)
{
	struct change *c = &u->change;
	int got = plan_read(c->path, &c->st, &c->old);
	struct span now = buf_span(&c->old);
	c->exists = got > 0;
	*done = c->removes ? !c->exists
			   : c->exists && span_eq(now, buf_span(&c->new));
	*left = c->exists != u->removed &&
		(!c->exists || hash_bytes(0, now) == u->hash);
	return got < 0 ? got : 0;
}

/* Only those that are not done stay. */
static int check_undos(struct undos *u, bool force, bool *refused)
{
	size_t n = 0;
	int err = 0;
	for (size_t i = 0; i < u->n; i++) {
		bool left = false;
		bool done = false;
		if (!err)
			err = check_undo(&u->list[i], &left, &done);
		if (!err && done) {
			change_free(&u->list[i].change);
			continue;
		}
		if (!err && !left && !force) {
			(void)status_fail(u->list[i].change.path,
					  "was changed since (--force replaces "
					  "it, and keeps a copy)");
			*refused = true;
		}
		u->list[n++] = u->list[i];
	}
	u->n = n;
	return err;
}

/* As restore prints it: below the root without that. */
static void print_undo(const struct change *c, const char *root)
{
	size_t n = strlen(root);
	bool below = strncmp(c->path, root, n) == 0 && c->path[n] == '/';
	printf("%s %s\n", c->removes ? "remove" : "write",
	       below ? c->path + n + 1 : c->path);
}

static int make_undos(struct undos *u, const char *root)
{
	struct change *list = calloc(u->n + 1, sizeof(*list));
	if (!list)
		return status_error(root, -ENOMEM);
	for (size_t i = 0; i < u->n; i++)
		list[i] = u->list[u->n - 1 - i].change;
	int status =
		u->n > 0 ? make_changes(root, list, u->n, true) : STATUS_OK;
	free(list);
	return status;
}

static int undo_all(const char *folder, const char *root, bool force, bool dry)
{
	struct undos u = { 0 };
	bool refused = false;
	int err = load_undos(&u, folder);
	if (!err)
		err = check_undos(&u, force, &refused);
	for (size_t i = u.n; !err && (dry || !refused) && i-- > 0;)
		print_undo(&u.list[i].change, root);
	int status = err       ? status_error(folder, err)
		     : refused ? status_fail(root, "nothing is changed")
		     : dry     ? STATUS_OK
			       : make_undos(&u, root);
	free_undos(&u);
	return status;
}

static int mark(const char *folder)
{
	int in = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = in < 0 ? -errno
			: create(in, "undone", (struct span){ 0 }, 0600);
	if (fd >= 0)
		close(fd);
	if (in >= 0)
		close(in);
	return fd < 0 ? status_error(folder, fd) : STATUS_OK;
}

/* Is it of a folder, or of one around it, and was it not taken back? */
static bool is_of(const char *folder, const char *root)
{
	struct buf text = { 0 };
	struct stat st;
	bool is = read_in(folder, "root", &st, &text) > 0;
	struct span of = buf_span(&text);
	struct span in = span_of(root);
	struct buf undone = { 0 };
	is = is && read_in(folder, "undone", &st, &undone) == 0;
	buf_free(&undone);
	is = is && of.n > 0 && span_starts(in, of) &&
	     (in.n == of.n || in.p[of.n] == '/');
	buf_free(&text);
	return is;
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Later ones have later names, and of one second higher numbers. */
static int compare(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

int replaced_undo(const char *root, bool force, bool dry)
{
	struct buf base = { 0 };
	struct dirent **list = NULL;
	add_base(&base);
	const char *path = buf_cstr(&base);
	int n = path && *path ? scandir(path, &list, is_shown, compare) : 0;
	char *found = NULL;
	for (int i = n; i-- > 0 && !found;) {
		struct buf folder = { 0 };
		buf_addf(&folder, "%s/%s", path, list[i]->d_name);
		const char *name = buf_cstr(&folder);
		if (name && is_of(name, root))
			found = strdup(name);
		buf_free(&folder);
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	buf_free(&base);
	if (!found)
		return status_fail(root, "nothing was restored here");
	int status = undo_all(found, root, force, dry);
	if (!status && !dry)
		status = mark(found);
	free(found);
	return status;
}
