#include "core/file/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/file/fault.h"
#include "core/file/nofollow.h"
#include "core/file/whole.h"

bool newfile_is_possible(struct gate *g, const char *path)
{
	int folder = nofollow_open_folder(g, path);
	/* Where that can't tell, creating decides. */
	if (folder < 0)
		return fault_tells_nothing(folder);
	bool possible = faccessat(folder, ".", W_OK | X_OK, 0) == 0 ||
			fault_tells_nothing(-errno);
	close(folder);
	return possible;
}

int newfile_sync_folder(const struct newfile *f)
{
	int fd = whole_open(f->folder, ".", O_RDONLY | O_DIRECTORY, 0);
	/* A folder without read permission can't be synced. */
	if (fd < 0)
		return fd == -EACCES ? 0 : fd;
	int err = whole_sync(fd, fsync);
	close(fd);
	/* Nor can one of a filesystem that has no such call. */
	return err == -EINVAL ? 0 : err;
}

int newfile_sync_folder_of(struct gate *g, const char *path)
{
	struct newfile f = { .folder = nofollow_open_folder(g, path) };
	if (f.folder < 0)
		return f.folder;
	int err = newfile_sync_folder(&f);
	close(f.folder);
	return err;
}

/* Create the file under a name that is free; a descriptor. */
static int make_file(struct newfile *f)
{
	for (int tries = 0; tries < 100; tries++) {
		unsigned char r[3];
		if (getrandom(r, sizeof(r), 0) != sizeof(r))
			return -EIO;
		buf_clear(&f->name);
		buf_addf(&f->name, "%s.sessfs-%02x%02x%02x", f->target, r[0],
			 r[1], r[2]);
		const char *name = buf_cstr(&f->name);
		if (!name)
			return -ENOMEM;
		int fd = whole_open(f->folder, name,
				    O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

static void release(struct newfile *f)
{
	close(f->folder);
	buf_free(&f->name);
}

/* Write the bytes, set owner and mode, sync. */
static int fill_file(int fd, struct span bytes, const struct stat *like,
		     bool keep_owner)
{
	int err = whole_write(fd, bytes);
	if (err)
		return err;
	struct stat own;
	if (fchown(fd, like->st_uid, like->st_gid) < 0 &&
	    fchown(fd, (uid_t)-1, like->st_gid) < 0 && keep_owner)
		return -errno;
	if (fstat(fd, &own) < 0)
		return -errno;
	if (keep_owner &&
	    (own.st_uid != like->st_uid || own.st_gid != like->st_gid))
		return -EPERM;
	if (fchmod(fd, like->st_mode & 07777) < 0)
		return -errno;
	return whole_sync(fd, fsync);
}

int newfile_write(struct newfile *f, struct gate *g, const char *path,
		  struct span bytes, const struct stat *like, bool keep_owner)
{
	*f = (struct newfile){ .target = nofollow_name(path) };
	f->folder = nofollow_open_folder(g, path);
	if (f->folder < 0)
		return f->folder;
	int fd = make_file(f);
	if (fd < 0) {
		release(f);
		return fd;
	}
	int err = fill_file(fd, bytes, like, keep_owner);
	if (close(fd) < 0 && !err)
		err = -errno;
	if (err)
		newfile_discard(f);
	return err;
}

int newfile_finish(struct newfile *f, int err)
{
	if (err)
		unlinkat(f->folder, f->name.data, 0);
	else
		err = newfile_sync_folder(f);
	release(f);
	return err;
}

int newfile_rename(const struct newfile *f)
{
	return renameat(f->folder, f->name.data, f->folder, f->target) < 0
		       ? -errno
		       : 0;
}

int newfile_commit(struct newfile *f)
{
	return newfile_finish(f, newfile_rename(f));
}

/* A filesystem without RENAME_NOREPLACE has links, or else this fails. */
int newfile_commit_new(struct newfile *f)
{
	int err = 0;
	if (renameat2(f->folder, f->name.data, f->folder, f->target,
		      RENAME_NOREPLACE) < 0)
		err = -errno;
	if (err == -EINVAL || err == -ENOSYS) {
		err = linkat(f->folder, f->name.data, f->folder, f->target, 0);
		err = err < 0 ? -errno : 0;
		if (!err)
			unlinkat(f->folder, f->name.data, 0);
	}
	return newfile_finish(f, err);
}

void newfile_discard(struct newfile *f)
{
	unlinkat(f->folder, f->name.data, 0);
	release(f);
}

int newfile_make_folders(struct span path, mode_t mode)
{
	char *copy = strndup(path.p ? path.p : "", path.n);
	int err = copy ? 0 : -ENOMEM;
	for (size_t i = 1; i <= path.n && !err; i++) {
		char end = copy[i];
		if (end != '/' && end != '\0')
			continue;
		copy[i] = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			err = -errno;
		copy[i] = end;
	}
	free(copy);
	return err;
}
