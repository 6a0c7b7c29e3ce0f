#include "mount/mounts/mounted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/session/file_name.h"

#define FUSE_MAGIC 0x65735546

static bool is_type(int folder, const char *name, mode_t type)
{
	struct stat st;
	return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       (st.st_mode & S_IFMT) == type;
}

static bool is_fuse(int folder)
{
	struct statfs fs;
	return fstatfs(folder, &fs) == 0 && fs.f_type == FUSE_MAGIC;
}

/*
 * No folder inside a session looks like this, even with hostile ids. Others
 * may, in /tmp or in what was cloned, and would have the user write to a file
 * of theirs, and go on in a session of theirs.
 */
static bool is_root(int folder)
{
	return is_type(folder, "by-id", S_IFDIR) &&
	       is_type(folder, "info", S_IFREG) && is_fuse(folder);
}

static bool is_set(int folder)
{
	return is_type(folder, "by-project", S_IFDIR) &&
	       is_type(folder, "by-day", S_IFDIR) && is_fuse(folder);
}

/* Of a folder of sessions, or a set. */
static bool has_list(int folder)
{
	return faccessat(folder, "sessions.txt", F_OK, 0) == 0 &&
	       is_fuse(folder);
}

static bool is_folder(const char *path, bool (*is_such)(int folder))
{
	int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool is = folder >= 0 && is_such(folder);
	if (folder >= 0)
		close(folder);
	return is;
}

bool mounted_is_root(const char *path)
{
	return is_folder(path, is_root);
}

bool mounted_is_set(const char *path)
{
	return is_folder(path, is_set);
}

bool mounted_is_open(const char *path)
{
	return mounted_is_root(path) || mounted_is_set(path);
}

/* Open the folder that a path is, or that the file is in. */
static int open_folder(const char *path)
{
	int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	struct stat st;
	if (stat(path, &st) < 0)
		return -errno;
	int fd = -1;
	if (S_ISDIR(st.st_mode)) {
		fd = open(path, flags);
	} else {
		const char *slash = strrchr(path, '/');
		char *folder = slash ? strndup(path, (size_t)(slash - path) + 1)
				     : strdup(".");
		if (!folder)
			return -ENOMEM;
		fd = open(folder, flags);
		free(folder);
	}
	return fd < 0 ? -errno : fd;
}

static bool same_folder(int a, int b)
{
	struct stat x;
	struct stat y;
	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* Open the root that a folder is, or is below. -ESRCH: there is none. */
static int open_root(int folder)
{
	const int flags = O_PATH | O_DIRECTORY;
	int at = whole_open(folder, ".", flags, 0);
	while (at >= 0 && !is_root(at)) {
		int up = whole_open(at, "..", flags, 0);
		bool top = up >= 0 && same_folder(up, at);
		close(at);
		at = up;
		if (top) {
			close(at);
			return -ESRCH;
		}
	}
	return at;
}

/* The absolute path of a folder. -ENAMETOOLONG if the kernel can't tell. */
static int path_of(int folder, char **path)
{
	char link[48];
	char *room = malloc(PATH_MAX);
	if (!room)
		return -ENOMEM;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	ssize_t n = readlink(link, room, PATH_MAX - 1);
	if (n < 0) {
		int err = -errno;
		free(room);
		return err;
	}
	room[n] = '\0';
	*path = room;
	return 0;
}

/* The name of a folder in the one around it, as the list there has it. */
static int name_above(int folder, char **name)
{
	struct stat st;
	int up = whole_open(folder, "..", O_RDONLY | O_DIRECTORY, 0);
	if (up < 0)
		return up;
	DIR *dir = fdopendir(up);
	if (!dir) {
		int err = -errno;
		close(up);
		return err;
	}
	int err = fstat(folder, &st) < 0 ? -errno : -ENOENT;
	for (const struct dirent *d = readdir(dir); err == -ENOENT && d;
	     d = readdir(dir)) {
		if (d->d_ino != st.st_ino || strcmp(d->d_name, ".") == 0)
			continue;
		*name = strdup(d->d_name);
		err = *name ? 0 : -ENOMEM;
	}
	closedir(dir);
	return err;
}

/* Only tree/ is so deep that a path has no name. */
static int find_entry(struct mounted *m, int folder)
{
	char *path = NULL;
	if (!is_type(folder, FILE_NAME_META, S_IFREG))
		return 0;
	int err = m->root ? path_of(folder, &path) : -ENOENT;
	if (err == -ENAMETOOLONG) {
		m->in_tree = true;
		return name_above(folder, &m->entry);
	}
	if (err || !path)
		return err;
	const char *within = path + strlen(m->root);
	m->in_tree = strncmp(within, "/tree/", 6) == 0;
	m->entry = strdup(strrchr(path, '/') + 1);
	free(path);
	return m->entry ? 0 : -ENOMEM;
}

int mounted_find(struct mounted *m, const char *path)
{
	*m = (struct mounted){ 0 };
	int folder = open_folder(path);
	if (folder < 0)
		return folder;
	int root = open_root(folder);
	int err = root < 0 ? root : path_of(root, &m->root);
	if (!err) {
		m->is_root = same_folder(root, folder);
		err = find_entry(m, folder);
	}
	if (root >= 0)
		close(root);
	close(folder);
	return err;
}

void mounted_free(struct mounted *m)
{
	free(m->root);
	free(m->entry);
	*m = (struct mounted){ 0 };
}

void mounted_add_unescaped(struct buf *out, const char *path)
{
	struct stat st;
	if (lstat(path, &st) == 0)
		buf_adds(out, path);
	else
		text_add_unescaped(out, span_of(path));
}

static int read_file(const char *folder, const char *name, struct buf *out)
{
	char *path = pathname_join(folder, name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	int err = fd < 0 ? (path ? -errno : -ENOMEM) : 0;
	if (fd >= 0) {
		struct stat st;
		err = fstat(fd, &st) < 0
			      ? -errno
			      : whole_read_file(fd, (size_t)st.st_size, out);
		close(fd);
	}
	free(path);
	return err;
}

int mounted_info(const char *root, const char *key, struct buf *value)
{
	struct buf info = { 0 };
	int err = read_file(root, "info", &info);
	struct span rest = buf_span(&info);
	size_t n = strlen(key);
	bool found = false;
	while (!err && !found && rest.n > 0) {
		struct span line = span_next_line(&rest);
		found = line.n > n + 1 && memcmp(line.p, key, n) == 0 &&
			memcmp(line.p + n, ": ", 2) == 0;
		char *text =
			found ? strndup(line.p + n + 2, line.n - n - 2) : NULL;
		if (found && !text)
			err = -ENOMEM;
		if (text)
			mounted_add_unescaped(value, text);
		free(text);
	}
	buf_free(&info);
	if (!err && !found)
		err = -ENODATA;
	return err ? err : buf_error(value);
}

bool mounted_refusal(const char *root, int err, struct buf *reason)
{
	return (err == -EINVAL || err == -EBUSY) &&
	       mounted_info(root, "last-refused", reason) == 0;
}

struct paths {
	char **list;
	size_t n;
	size_t cap;
};

static int push(struct paths *p, const char *folder, const char *name)
{
	if (array_reserve(&p->list, &p->cap, p->n, 1) < 0)
		return -ENOMEM;
	p->list[p->n] = pathname_join(folder, name);
	return p->list[p->n++] ? 0 : -ENOMEM;
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Push the folders in a folder, or set *root to the first session there. */
static int look_into(struct paths *p, const char *folder, char **root)
{
	DIR *dir = opendir(folder);
	int err = 0;
	if (!dir)
		return -errno;
	for (const struct dirent *d = readdir(dir); d && !err && !*root;
	     d = readdir(dir)) {
		if (is_dots(d->d_name) ||
		    !is_type(dirfd(dir), d->d_name, S_IFDIR))
			continue;
		int fd = whole_open(dirfd(dir), d->d_name, O_PATH | O_DIRECTORY,
				    0);
		if (fd >= 0 && is_root(fd)) {
			*root = pathname_join(folder, d->d_name);
			err = *root ? 0 : -ENOMEM;
		} else if (fd >= 0) {
			err = push(p, folder, d->d_name);
		}
		if (fd >= 0)
			close(fd);
	}
	closedir(dir);
	return err;
}

static int find_first(const char *folder, char **root)
{
	struct paths p = { 0 };
	int err = push(&p, folder, "");
	while (!err && !*root && p.n > 0) {
		char *at = p.list[--p.n];
		err = look_into(&p, at, root);
		free(at);
	}
	while (p.n > 0)
		free(p.list[--p.n]);
	free(p.list);
	return err;
}

int mounted_is_folder(const char *path, bool *is, char **root)
{
	*root = NULL;
	*is = is_folder(path, has_list);
	return *is ? find_first(path, root) : 0;
}

char *mounted_step(const char *folder, struct span number)
{
	DIR *dir = opendir(folder);
	char *found = NULL;
	if (!dir)
		return NULL;
	for (const struct dirent *d = readdir(dir); d && !found;
	     d = readdir(dir)) {
		if (span_starts(span_of(d->d_name), number) &&
		    d->d_name[number.n] == '-')
			found = pathname_join(folder, d->d_name);
	}
	closedir(dir);
	return found;
}

bool mounted_same_file(const char *a, const char *b)
{
	struct stat x;
	struct stat y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}
