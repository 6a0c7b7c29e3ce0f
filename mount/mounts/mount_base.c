#include "mount/mounts/mount_base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/pathname.h"
#include "core/file/whole.h"
#include "mount/cli/status.h"

#define RECORDS ".mounts"
#define RECORD_LIMIT ((size_t)64 << 10)

/* A directory of this user, not a symlink, that only the user can enter. */
static bool is_ours(const char *path, mode_t mode, mode_t mask)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == getuid() && (st.st_mode & mask) == mode;
}

void mount_base_add(struct buf *out)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	char *folder = run && *run == '/' ? pathname_join(run, ".") : NULL;
	/* In /tmp another user may have created the folder first. */
	if (folder && is_ours(folder, 0700, 0700)) {
		struct span top = span_of(run);
		while (top.n > 0 && top.p[top.n - 1] == '/')
			top.n--;
		buf_add(out, top);
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
bool mount_base_is_safe(const char *base)
{
	bool in_tmp = strncmp(base, "/tmp/sessfs-", 12) == 0;
	return is_ours(base, 0700, in_tmp ? 07777 : 0700);
}

void mount_base_add_place(struct buf *out, const char *base, const char *dir)
{
	struct buf name = { 0 };
	pathname_add_whole(&name, span_of(dir));
	buf_adds(out, base);
	buf_addc(out, '/');
	buf_add(out, buf_span(&name));
	buf_free_into(&name, out);
}

int mount_base_make(struct buf *out)
{
	mount_base_add(out);
	const char *base = buf_cstr(out);
	if (!base)
		return -ENOMEM;
	/* What can't be made is not safe. */
	(void)mkdir(base, 0700);
	return mount_base_is_safe(base) ? 0 : -EPERM;
}

void mount_base_end(struct mount_base *b)
{
	if (b->lock >= 0)
		close(b->lock);
	free(b->path);
	free(b->records);
}

/* One process at a time: two could mount over each other. */
static int lock(const char *base)
{
	char *path = pathname_join(base, "lock");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
			     0600)
		      : -1;
	int err = fd >= 0 ? 0 : path ? -errno : -ENOMEM;
	if (!err)
		err = whole_lock(fd);
	if (err && fd >= 0)
		close(fd);
	free(path);
	return err ? err : fd;
}

int mount_base_begin(struct mount_base *b)
{
	struct buf path = { 0 };
	*b = (struct mount_base){ .lock = -1 };
	int err = mount_base_make(&path);
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
	char *path = pathname_join(b->records, name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	int err = fd >= 0 ? whole_read_file(fd, RECORD_LIMIT, out)
		  : path  ? -errno
			  : -ENOMEM;
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

int mount_record_write(const struct mount_base *b, const char *name,
		       const struct buf *record)
{
	char *path = pathname_join(b->records, name);
	int fd = path ? open(path,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
				     O_NOFOLLOW,
			     0600)
		      : -1;
	int err = fd >= 0 ? whole_write(fd, buf_span(record))
		  : path  ? -errno
			  : -ENOMEM;
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

void mount_record_drop(const struct mount_base *b, const char *name)
{
	char *path = pathname_join(b->records, name);
	if (path)
		unlink(path);
	free(path);
}

int mount_record_each(const struct mount_base *b, mount_record_fn *visit,
		      void *data)
{
	struct dirent **names = NULL;
	int n = scandir(b->records, &names, NULL, alphasort);
	int got = 0;
	for (int i = 0; i < n; i++) {
		struct buf record = { 0 };
		if (!got && names[i]->d_name[0] != '.' &&
		    mount_record_read(b, names[i]->d_name, &record) == 0 &&
		    record.data)
			got = visit(data, names[i]->d_name, &record);
		buf_free(&record);
		free(names[i]);
	}
	free(names);
	return got;
}
