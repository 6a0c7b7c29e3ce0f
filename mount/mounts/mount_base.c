#include "mount/mounts/mount_base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/file/whole.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/mounts/mounted.h"
#include "mount/mounts/mounts.h"

/* Where the HEAD of a session was. */
#define BEFORE "head"

#define RECORDS ".mounts"
#define RECORD_LIMIT ((size_t)64 << 10)

/* A directory of this user, not a symlink, that only the user can enter. */
static bool is_ours(const char *path, mode_t mode, mode_t mask)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == getuid() && (st.st_mode & mask) == mode;
}

static void add_base(struct buf *out)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	char *folder = run && *run == '/' ? pathname_join(run, ".") : NULL;
	/* In /tmp another user may have created the folder first. */
	if (folder && is_ours(folder, 0700, 0700)) {
		buf_add(out, pathname_trim(span_of(run)));
		buf_adds(out, "/sessfs");
	} else {
		buf_addf(out, "/tmp/sessfs-%u", (unsigned)getuid());
	}
	free(folder);
}

/*
 * A systemd unit may have created it with another mode, in the private folder
 * of the login.
 */
static bool is_safe(const char *base)
{
	bool in_tmp = strncmp(base, "/tmp/sessfs-", 12) == 0;
	return is_ours(base, 0700, in_tmp ? 07777 : 0700);
}

/*
 * Append the folder of all mounts, which is made if it is not there. -EPERM:
 * somebody else may write there; or -ENOMEM.
 */
static int make_base(struct buf *out)
{
	add_base(out);
	const char *base = buf_cstr(out);
	if (!base)
		return -ENOMEM;
	/* What can't be made is not safe. */
	(void)mkdir(base, 0700);
	return is_safe(base) ? 0 : -EPERM;
}

static void add_place(struct buf *out, const char *path)
{
	buf_addc(out, '/');
	pathname_add_whole(out, span_of(path));
}

void mount_base_end(struct mount_base *b)
{
	if (b->lock >= 0)
		close(b->lock);
	free(b->path);
	free(b->records);
}

/* A descriptor of a file in a folder, or -errno. */
static int open_in(const char *folder, const char *name, int flags)
{
	char *path = pathname_join(folder, name);
	int fd = path ? whole_open(AT_FDCWD, path, flags, 0600) : -ENOMEM;
	free(path);
	return fd;
}

/* One process at a time: two could mount over each other. */
static int lock(const char *base)
{
	int fd = open_in(base, "lock", O_RDWR | O_CREAT);
	int err = fd < 0 ? fd : whole_lock(fd);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int mount_base_begin(struct mount_base *b)
{
	struct buf path = { 0 };
	*b = (struct mount_base){ .lock = -1 };
	int err = make_base(&path);
	b->path = path.data;
	if (err == -EPERM)
		return status_fail(b->path,
				   "not a directory of yours with mode 700");
	b->records = err ? NULL : pathname_join(b->path, RECORDS);
	if (!b->records)
		return status_fail("open", "out of memory");
	(void)mkdir(b->records, 0700);
	b->lock = lock(b->path);
	return b->lock < 0 ? status_error(b->path, b->lock) : STATUS_OK;
}

int mount_record_read(const struct mount_base *b, const char *name,
		      struct buf *out)
{
	int fd = open_in(b->records, name, O_RDONLY);
	if (fd < 0)
		return fd;
	int err = whole_read_file(fd, RECORD_LIMIT, out);
	close(fd);
	return err;
}

int mount_record_write(const struct mount_base *b, const char *name,
		       const struct buf *record)
{
	int fd = open_in(b->records, name, O_WRONLY | O_CREAT | O_TRUNC);
	if (fd < 0)
		return fd;
	int err = whole_write(fd, buf_span(record));
	close(fd);
	return err;
}

void mount_record_drop(const struct mount_base *b, const char *name)
{
	char *path = pathname_join(b->records, name);
	if (path)
		unlink(path);
	free(path);
}

bool mount_records_next(struct mount_records *r, const struct mount_base *b)
{
	if (!r->names)
		r->n = scandir(b->records, &r->names, NULL, alphasort);
	while (r->next < r->n) {
		r->name = r->names[r->next++]->d_name;
		buf_reset(&r->text);
		if (r->name[0] != '.' &&
		    mount_record_read(b, r->name, &r->text) == 0 &&
		    r->text.data)
			return true;
	}
	mount_records_end(r);
	return false;
}

void mount_records_end(struct mount_records *r)
{
	for (int i = 0; i < r->n; i++)
		free(r->names[i]);
	free(r->names);
	buf_free(&r->text);
	*r = (struct mount_records){ 0 };
}

/* -- what is remembered for a path: links */

/* The link is replaced, so that there is one at any time. */
static int remember(const char *path, const char *name, const char *target)
{
	struct buf link BUF_SCOPED = { 0 };
	struct buf new BUF_SCOPED = { 0 };
	int err = make_base(&link);
	add_place(&link, path);
	const char *place = buf_cstr(&link);
	if (!err && place && mkdir(place, 0700) < 0 && errno != EEXIST)
		err = -errno;
	buf_addf(&link, "/%s", name);
	buf_add(&new, buf_span(&link));
	buf_adds(&new, ".new");
	const char *to = buf_cstr(&link);
	const char *from = buf_cstr(&new);
	if (!err && (!to || !from))
		err = -ENOMEM;
	if (!err)
		(void)unlink(from);
	if (!err && (symlink(target, from) < 0 || rename(from, to) < 0))
		err = -errno;
	return err;
}

/*
 * The path of a link, for the caller to free; NULL if somebody else may have
 * made it, or without memory.
 */
static char *recall(const char *path, const char *name)
{
	struct buf link = { 0 };
	add_base(&link);
	bool safe = buf_cstr(&link) && is_safe(link.data);
	add_place(&link, path);
	buf_addf(&link, "/%s", name);
	if (!safe || !buf_cstr(&link))
		buf_free(&link);
	return link.data;
}

int mounts_remember(const char *dir, const char *mnt)
{
	struct mount_base b = { .lock = -1 };
	struct buf target BUF_SCOPED = { 0 };
	int status = mount_base_begin(&b);
	if (path_type_is(mnt, S_IFREG)) {
		buf_adds(&target, mnt);
	} else {
		buf_adds(&target, "../");
		buf_add(&target, span_last_part(span_of(mnt)));
	}
	const char *to = buf_cstr(&target);
	if (!status) {
		int err = to ? remember(dir, MOUNT_BASE_LAST, to) : -ENOMEM;
		status = err ? status_error(dir, err) : STATUS_OK;
	}
	mount_base_end(&b);
	return status;
}

int mounts_last(const char *dir, char **mnt)
{
	char *link = recall(dir, MOUNT_BASE_LAST);
	bool is = link && (mounted_kind_of(link) == MOUNTED_SESSION ||
			   path_type_is(link, S_IFREG));
	*mnt = is ? realpath(link, NULL) : NULL;
	int err = !is ? -ENOENT : *mnt ? 0 : -errno;
	free(link);
	return err;
}

void mounts_remember_head(const char *file, const char *was)
{
	char *path = realpath(file, NULL);
	if (path)
		(void)remember(path, BEFORE, was);
	free(path);
}

char *mounts_head_before(const char *file)
{
	char *path = realpath(file, NULL);
	char *link = path ? recall(path, BEFORE) : NULL;
	char *to = calloc(1, PATH_MAX);
	ssize_t n = link && to ? readlink(link, to, PATH_MAX - 1) : -1;
	free(path);
	free(link);
	if (n >= 0)
		return to;
	free(to);
	return NULL;
}
