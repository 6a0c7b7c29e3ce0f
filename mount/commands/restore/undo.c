#include "mount/commands/restore/replaced.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

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

/* A file in a folder of the user's own: 1, 0 if it is not there, or -errno. */
static int read_in(const char *folder, const char *name, struct stat *st,
		   struct buf *out)
{
	struct buf path = { 0 };
	buf_addf(&path, "%s/%s", folder, name);
	const char *text = buf_cstr(&path);
	int fd = text ? open(text, O_RDONLY | O_CLOEXEC) : -1;
	int err = !text ? -ENOMEM : fd < 0 ? -errno : 0;
	if (!err && fstat(fd, st) < 0)
		err = -errno;
	if (!err)
		err = whole_read_file(fd, (size_t)st->st_size, out);
	if (fd >= 0)
		close(fd);
	buf_free(&path);
	return err == -ENOENT ? 0 : err ? err : 1;
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
			*refused = u->list[i].change.refused = true;
		}
		u->list[n++] = u->list[i];
	}
	u->n = n;
	return err;
}

/* The last first, each with its name: below the root without that. */
static struct change *list_changes(const struct undos *u, const char *root)
{
	size_t n = strlen(root);
	struct change *list = calloc(u->n + 1, sizeof(*list));
	for (size_t i = 0; list && i < u->n; i++) {
		list[i] = u->list[u->n - 1 - i].change;
		const char *path = list[i].path;
		bool below = strncmp(path, root, n) == 0 && path[n] == '/';
		buf_adds(&list[i].name, below ? path + n + 1 : path);
	}
	return list;
}

/* The changes but for their names are the undos'. */
static void free_list(struct change *list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		buf_free(&list[i].name);
	free(list);
}

static int undo_all(const char *folder, const char *root, bool force, bool dry,
		    bool patch)
{
	struct undos u = { 0 };
	bool refused = false;
	int err = load_undos(&u, folder);
	if (!err)
		err = check_undos(&u, force, &refused);
	struct change *list = err ? NULL : list_changes(&u, root);
	int status = err     ? status_error(folder, err)
		     : !list ? status_error(root, -ENOMEM)
			     : STATUS_OK;
	if (!status && (dry || !refused))
		status = change_show(list, u.n, patch);
	if (!status && refused)
		status = status_fail(root, dry ? "nothing would be changed"
					       : "nothing is changed");
	if (!status && !dry && u.n > 0)
		status = replaced_make(root, list, u.n, true);
	free_list(list, u.n);
	free_undos(&u);
	return status;
}

static int mark(const char *folder)
{
	int in = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = in < 0 ? -errno
			: replaced_create(in, "undone", (struct span){ 0 },
					  0600);
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

int replaced_undo(const char *root, bool force, bool dry, bool patch)
{
	struct buf base = { 0 };
	struct dirent **list = NULL;
	replaced_add_folder(&base);
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
	int status = undo_all(found, root, force, dry, patch);
	if (!status && !dry)
		status = mark(found);
	free(found);
	return status;
}
