/*
 * Preloaded into sessfs by the tests of power cuts: writes down every call that
 * changes files of one folder, or syncs them, in their order.
 *
 *   RECORD_FOLDER=PATH  the folder: absolute, without symbolic links
 *   RECORD_TO=FILE      the records are appended here
 *
 * A record is a line, and the bytes of a write follow it:
 *
 *   create NAME INODE           write INODE OFFSET LENGTH
 *   link NAME INODE             truncate INODE SIZE
 *   rename FROM TO INODE        sync INODE
 *   unlink NAME                 sync-folder
 *
 * Names have no spaces. A call that fails is not recorded, and of a short write
 * only what was written. Calls and records are made under one lock, so that
 * their order is the same. Whoever reads the records can compare what they make
 * of the folder with the folder, and notice a call that is missing here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what)
{
	fprintf(stderr, "record.so: %s: %s\n", what, strerror(errno));
	abort();
}

/* Append a record, by one write. errno stays. */
static void record(const void *bytes, size_t n, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void record(const void *bytes, size_t n, const char *format, ...)
{
	char line[2 * PATH_MAX];
	int saved = errno;
	va_list args;
	va_start(args, format);
	int length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	const char *to = getenv("RECORD_TO");
	int fd = (int)syscall(SYS_openat, AT_FDCWD, to ? to : "",
			      O_WRONLY | O_APPEND | O_CLOEXEC, 0);
	struct iovec parts[] = { { line, (size_t)length },
				 { (void *)bytes, n } };
	if (fd < 0 ||
	    syscall(SYS_writev, fd, parts, 2) != (ssize_t)((size_t)length + n))
		die("no record");
	syscall(SYS_close, fd);
	errno = saved;
}

/* What follows the folder in a path: "" for the folder; NULL: it is elsewhere.
 */
static const char *below_folder(const char *path)
{
	const char *folder = getenv("RECORD_FOLDER");
	size_t n = folder ? strlen(folder) : 0;
	if (n == 0 || strncmp(path, folder, n) != 0)
		return NULL;
	return path[n] == '/' ? path + n + 1 : path[n] == '\0' ? "" : NULL;
}

/* The same for an open file. */
static const char *below(int fd, char path[PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	if (n < 0)
		return NULL;
	path[n] = '\0';
	return below_folder(path);
}

/* The name of a file that is, or was, in the folder; NULL: elsewhere. */
static const char *name_in_folder(int at, const char *path,
				  char whole[2 * PATH_MAX])
{
	char folder[PATH_MAX] = "";
	const char *name;
	if (path[0] == '/') {
		snprintf(whole, 2 * PATH_MAX, "%s", path);
	} else {
		if (at == AT_FDCWD ? !getcwd(folder, sizeof(folder))
				   : !below(at, folder))
			return NULL;
		snprintf(whole, 2 * PATH_MAX, "%s/%s", folder, path);
	}
	name = below_folder(whole);
	return name && *name && !strchr(name, '/') ? name : NULL;
}

static unsigned long inode_of(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		die("fstat");
	return st.st_ino;
}

static bool exists(int at, const char *path, struct stat *st)
{
	int saved = errno;
	bool there = fstatat(at, path, st, AT_SYMLINK_NOFOLLOW) == 0;
	errno = saved;
	return there;
}

static int open_recorded(int at, const char *path, int flags, mode_t mode)
{
	char whole[2 * PATH_MAX];
	struct stat before;
	if (!(flags & (O_CREAT | O_TRUNC)) || (flags & O_PATH) ||
	    (flags & O_TMPFILE) == O_TMPFILE)
		return (int)syscall(SYS_openat, at, path, flags, mode);
	const char *name = name_in_folder(at, path, whole);
	pthread_mutex_lock(&order);
	bool there = exists(at, path, &before);
	int fd = (int)syscall(SYS_openat, at, path, flags, mode);
	if (fd >= 0 && name && !there)
		record(NULL, 0, "create %s %lu\n", name, inode_of(fd));
	else if (fd >= 0 && name && (flags & O_TRUNC))
		record(NULL, 0, "truncate %lu 0\n", inode_of(fd));
	pthread_mutex_unlock(&order);
	return fd;
}

static mode_t mode_of(int flags, va_list args)
{
	bool has_mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
	return has_mode ? va_arg(args, mode_t) : 0;
}

#define OPEN(name, at_argument, at)                            \
	int name(at_argument const char *path, int flags, ...) \
	{                                                      \
		va_list args;                                  \
		va_start(args, flags);                         \
		mode_t mode = mode_of(flags, args);            \
		va_end(args);                                  \
		return open_recorded(at, path, flags, mode);   \
	}
#define NONE
#define FOLDER int folder,
OPEN(open, NONE, AT_FDCWD)
OPEN(open64, NONE, AT_FDCWD)
OPEN(openat, FOLDER, folder)
OPEN(openat64, FOLDER, folder)

static void record_write(int fd, const void *from, ssize_t done, off_t end)
{
	char path[PATH_MAX];
	if (done <= 0 || !below(fd, path))
		return;
	record(from, (size_t)done, "write %lu %lld %zd\n", inode_of(fd),
	       (long long)(end - done), done);
}

ssize_t write(int fd, const void *from, size_t n)
{
	char path[PATH_MAX];
	/* Most writes are replies to the kernel, which may be made at once. */
	if (!below(fd, path))
		return syscall(SYS_write, fd, from, n);
	pthread_mutex_lock(&order);
	ssize_t done = syscall(SYS_write, fd, from, n);
	record_write(fd, from, done, lseek(fd, 0, SEEK_CUR));
	pthread_mutex_unlock(&order);
	return done;
}

static ssize_t pwrite_recorded(int fd, const void *from, size_t n, off_t at)
{
	struct stat after;
	pthread_mutex_lock(&order);
	ssize_t done = syscall(SYS_pwrite64, fd, from, n, at);
	/* With O_APPEND it is written to the end, whatever the offset. */
	bool at_end = fcntl(fd, F_GETFL) & O_APPEND;
	if (fstat(fd, &after) < 0)
		die("fstat");
	record_write(fd, from, done, at_end ? after.st_size : at + done);
	pthread_mutex_unlock(&order);
	return done;
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
	return pwrite_recorded(fd, from, n, at);
}

ssize_t pwrite64(int fd, const void *from, size_t n, off_t at)
{
	return pwrite_recorded(fd, from, n, at);
}

static int truncate_recorded(int fd, off_t size)
{
	char path[PATH_MAX];
	pthread_mutex_lock(&order);
	int status = (int)syscall(SYS_ftruncate, fd, size);
	if (status == 0 && below(fd, path))
		record(NULL, 0, "truncate %lu %lld\n", inode_of(fd),
		       (long long)size);
	pthread_mutex_unlock(&order);
	return status;
}

int ftruncate(int fd, off_t size)
{
	return truncate_recorded(fd, size);
}

int ftruncate64(int fd, off_t size)
{
	return truncate_recorded(fd, size);
}

static int sync_recorded(int fd, long call)
{
	char path[PATH_MAX];
	pthread_mutex_lock(&order);
	int status = (int)syscall(call, fd);
	const char *name = status == 0 ? below(fd, path) : NULL;
	if (name && *name)
		record(NULL, 0, "sync %lu\n", inode_of(fd));
	else if (name)
		record(NULL, 0, "sync-folder\n");
	pthread_mutex_unlock(&order);
	return status;
}

int fsync(int fd)
{
	return sync_recorded(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return sync_recorded(fd, SYS_fdatasync);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
	char whole[2 * PATH_MAX];
	struct stat st;
	const char *name = name_in_folder(to_at, to, whole);
	pthread_mutex_lock(&order);
	int status = (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
	if (status == 0 && name && exists(to_at, to, &st))
		record(NULL, 0, "link %s %lu\n", name, st.st_ino);
	pthread_mutex_unlock(&order);
	return status;
}

int renameat2(int from_at, const char *from, int to_at, const char *to,
	      unsigned flags)
{
	char before[2 * PATH_MAX];
	char after[2 * PATH_MAX];
	struct stat st;
	const char *old = name_in_folder(from_at, from, before);
	const char *name = name_in_folder(to_at, to, after);
	pthread_mutex_lock(&order);
	int status =
		(int)syscall(SYS_renameat2, from_at, from, to_at, to, flags);
	if (status == 0 && old && name && exists(to_at, to, &st))
		record(NULL, 0, "rename %s %s %lu\n", old, name, st.st_ino);
	pthread_mutex_unlock(&order);
	return status;
}

int renameat(int from_at, const char *from, int to_at, const char *to)
{
	return renameat2(from_at, from, to_at, to, 0);
}

int rename(const char *from, const char *to)
{
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int at, const char *path, int flags)
{
	char whole[2 * PATH_MAX];
	const char *name = name_in_folder(at, path, whole);
	pthread_mutex_lock(&order);
	int status = (int)syscall(SYS_unlinkat, at, path, flags);
	if (status == 0 && name)
		record(NULL, 0, "unlink %s\n", name);
	pthread_mutex_unlock(&order);
	return status;
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}
