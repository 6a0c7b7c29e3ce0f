#include "mount/commands/restore/restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

/* A file in a folder of the user's own: 1, 0 if it is not there, or -errno. */
static int read_in(const char *folder, const char *name, struct stat *st,
		   struct buf *out)
{
	struct buf path BUF_SCOPED = { 0 };
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
	return err == -ENOENT ? 0 : err ? err : 1;
}

/* Add the change that takes a record back. */
static int add_undo(struct plan *u, const char *folder, char *line)
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
	struct change *c = &u->list[u->n++];
	struct stat st = { 0 };
	*c = (struct change){ .path = strdup(rest),
			      .removes = strcmp(what, "new") == 0,
			      .removed = strcmp(what, "removed") == 0,
			      .hash = strtoull(hash, NULL, 16) };
	if (!c->path)
		return -ENOMEM;
	text_add_one_line(&c->name,
			  pathname_from(span_of(c->path), span_of(u->root)));
	int got = c->removes ? 1 : read_in(folder, number, &st, &c->new);
	c->mode = st.st_mode & 0777;
	return got < 0 ? got : got == 0 ? -ENOENT : 0;
}

/* The last record first. */
static int load_undos(struct plan *u, const char *folder)
{
	struct buf done BUF_SCOPED = { 0 };
	struct stat st;
	int got = read_in(folder, "done", &st, &done);
	int err = got < 0 ? got : got == 0 ? -ENOENT : 0;
	/* The last record may be cut off: then nothing was changed. */
	char *end = done.len > 0 ? memrchr(done.data, '\0', done.len) : NULL;
	while (!err && end) {
		char *before =
			memrchr(done.data, '\0', (size_t)(end - done.data));
		err = add_undo(u, folder, before ? before + 1 : done.data);
		end = before;
	}
	return err;
}

/* Is the file as it was made? *done: it is as it was before. */
static int check_undo(struct change *c, bool *left, bool *done)
{
	int got = plan_read(c->path, &c->st, &c->old);
	struct span now = buf_span(&c->old);
	c->exists = got > 0;
	*done = c->removes ? !c->exists
			   : c->exists && span_eq(now, buf_span(&c->new));
	*left = c->exists != c->removed &&
		(!c->exists || hash_bytes(0, now) == c->hash);
	return got < 0 ? got : 0;
}

/* Only those that are not done stay. */
static int check_undos(struct plan *u)
{
	size_t n = 0;
	int err = 0;
	for (size_t i = 0; i < u->n; i++) {
		struct change *c = &u->list[i];
		bool left = false;
		bool done = false;
		if (!err)
			err = check_undo(c, &left, &done);
		if (!err && done) {
			change_free(c);
			continue;
		}
		if (!err && !left && !u->force) {
			(void)status_fail(c->path, "was changed since (--force "
						   "replaces it, and keeps a "
						   "copy)");
			u->refused = c->refused = true;
		}
		u->list[n++] = *c;
	}
	u->n = n;
	return err;
}

/* Is it of a folder, or of one around it, and was it not taken back? */
static bool is_of(const char *folder, const char *root)
{
	struct buf text BUF_SCOPED = { 0 };
	struct stat st;
	bool is = read_in(folder, "root", &st, &text) > 0;
	struct span of = buf_span(&text);
	struct buf undone BUF_SCOPED = { 0 };
	is = is && read_in(folder, "undone", &st, &undone) == 0;
	return is && of.n > 0 && pathname_is_in(span_of(root), of);
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

int replaced_undo(struct plan *u)
{
	struct buf base BUF_SCOPED = { 0 };
	struct dirent **list = NULL;
	replaced_add_folder(&base);
	const char *path = buf_cstr(&base);
	int n = path && *path ? scandir(path, &list, is_shown, compare) : 0;
	char *found = NULL;
	for (int i = n; i-- > 0 && !found;) {
		found = pathname_join(path, list[i]->d_name);
		if (found && !is_of(found, u->root)) {
			free(found);
			found = NULL;
		}
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	if (!found)
		return status_fail(u->root, "nothing was restored here");
	int err = load_undos(u, found);
	if (!err)
		err = check_undos(u);
	int status = err ? status_error(found, err) : replaced_do(u);
	plan_free(u);
	if (!status && !u->dry) {
		int in = open(found, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		err = in < 0 ? -errno
			     : replaced_create(in, "undone", (struct span){ 0 },
					       0600);
		if (in >= 0)
			close(in);
		if (err)
			status = status_error(found, err);
	}
	free(found);
	return status;
}
