/*
 * Preloaded into sessfs by the tests of faults: lets one system call, or one
 * allocation, fail.
 *
 *   FAIL_CALLS=KINDS   with commas between: open, read, write, sync, stat, ...
 *                      as in the table below, or alloc
 *   FAIL_NTH=N         the N-th of these fails; with 0 they are counted
 *   FAIL_ERRNO=NAME    EIO, ENOSPC, EDQUOT, EINTR, EMFILE, ENOMEM, EAGAIN; or
 *                      short: a read or a write of half the bytes
 *   FAIL_WHILE=FILE    counted is what comes while there is this file
 *   FAIL_REPORT=FILE   to which these lines are appended: "failed NAME" then,
 *                      with "at OFFSET" for each caller in the program,
 *                      and "calls COUNT" when the process ends. While they
 *                      are counted, also "way N" for the N-th, if it is the
 *                      first one that these functions of sessfs lead to
 *
 * Only what sessfs's own code calls counts, as seen by the return address, and
 * what cJSON allocates for it. What other libraries call does not: libfuse's
 * traffic with the kernel is no file of sessfs's, and libc's own reading of the
 * password file, the time zone and locales is not up to sessfs. sessfs maps no
 * files. Processes that it starts are not preloaded.
 */
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tests/lib/preload.h"

static const struct {
	const char *name;
	int value;
} errnos[] = {
	{ "EIO", EIO },	      { "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT },
	{ "EINTR", EINTR },   { "EMFILE", EMFILE }, { "ENOMEM", ENOMEM },
	{ "EAGAIN", EAGAIN }, { "short", 0 },
};

static const char *kinds = "";
static const char *during = "";
static const char *report_to;
static long nth;
static int failure;
static long calls;

/* Where the code of sessfs is, and that of cJSON. */
static struct code codes[2];

/* The first object is the program. */
static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (codes[0].end == 0)
		codes[0] = code_of(info);
	else if (strstr(info->dlpi_name, "libcjson"))
		codes[1] = code_of(info);
	return 0;
}

static bool is_ours(const void *at)
{
	return code_has(&codes[0], at) || code_has(&codes[1], at);
}

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("FAIL_ERRNO");
	const char *n = getenv("FAIL_NTH");
	if (getenv("FAIL_CALLS"))
		kinds = getenv("FAIL_CALLS");
	if (getenv("FAIL_WHILE"))
		during = getenv("FAIL_WHILE");
	report_to = getenv("FAIL_REPORT");
	nth = n ? atol(n) : 0;
	failure = -1;
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		if (name && strcmp(name, errnos[i].name) == 0)
			failure = errnos[i].value;
	}
	if (nth > 0 && failure < 0)
		abort();
	/* The first call of it allocates. */
	backtrace((void *[1]){ 0 }, 1);
	dl_iterate_phdr(find_code, NULL);
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	report_line(report_to, "calls %ld\n", calls);
}

static bool is_chosen(const char *kind)
{
	size_t n = strlen(kind);
	for (const char *at = kinds; (at = strstr(at, kind)); at += n) {
		if ((at == kinds || at[-1] == ',') &&
		    (at[n] == ',' || at[n] == '\0'))
			return true;
	}
	return false;
}

static bool is_time(void)
{
	return !*during || file_exists(during);
}

/* Has a call by these functions been counted before? The innermost eight count.
 */
static bool is_new_way(void)
{
	static uint64_t ways[4096];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *frames[10];
	int n = backtrace(frames, 10);
	uint64_t way = 1;
	/* The first two are functions of this file. */
	for (int i = 2; i < n; i++)
		way = (way ^ (uintptr_t)frames[i]) * 0x100000001b3;
	bool is_new = false;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i] == way)
			break;
		if (ways[i] == 0) {
			ways[i] = way;
			is_new = true;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return is_new;
}

/* "at OFFSET" in the program for each of them, for addr2line(1). */
static void report_callers(void)
{
	void *frames[10];
	int n = backtrace(frames, 10);
	for (int i = 2; i < n; i++) {
		if (code_has(&codes[0], frames[i]))
			report_line(report_to, "at %lx\n",
				    (long)((uintptr_t)frames[i] -
					   codes[0].start - 1));
	}
}

/* Has this call, which returns to `to`, to fail? Else errno stays. */
static bool fails(const char *kind, const char *name, void *to)
{
	int saved = errno;
	bool counts = is_ours(to) && is_chosen(kind) && is_time();
	errno = saved;
	if (!counts)
		return false;
	long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (nth == 0 && is_new_way())
		report_line(report_to, "way %ld\n", n);
	errno = saved;
	if (n != nth)
		return false;
	report_line(report_to, "failed %s\n", name);
	report_callers();
	errno = failure;
	return true;
}

#define FAILS(kind, name) fails(kind, name, __builtin_return_address(0))

#define CALL(kind, type, bad, name, parameters, arguments) \
	type name parameters                               \
	{                                                  \
		REAL(type, #name, parameters)              \
		if (FAILS(kind, #name))                    \
			return bad;                        \
		return real arguments;                     \
	}

/* Of half the bytes, for a read or a write of several. */
#define TRANSFER(kind, name, bytes, more, arguments)            \
	ssize_t name(int fd, bytes, size_t n more)              \
	{                                                       \
		REAL(ssize_t, #name, (int, bytes, size_t more)) \
		if (FAILS(kind, #name)) {                       \
			if (failure != 0)                       \
				return -1;                      \
			n = (n + 1) / 2;                        \
		}                                               \
		return real arguments;                          \
	}
#define COMMA ,
#define NONE

#define OPEN(kind, name, parameters, arguments)                                \
	int name(parameters, int flags, ...)                                   \
	{                                                                      \
		REAL(int, #name, (parameters, int flags, ...))                 \
		va_list more;                                                  \
		va_start(more, flags);                                         \
		bool makes =                                                   \
			(flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; \
		mode_t mode = makes ? va_arg(more, mode_t) : 0;                \
		va_end(more);                                                  \
		return FAILS(kind, #name) ? -1 : real arguments;               \
	}

OPEN("open", open, const char *path, (path, flags, mode))
OPEN("open", open64, const char *path, (path, flags, mode))
OPEN("openat", openat, int at COMMA const char *path, (at, path, flags, mode))
OPEN("openat", openat64, int at COMMA const char *path, (at, path, flags, mode))
CALL("open", DIR *, NULL, opendir, (const char *path), (path))
CALL("open", DIR *, NULL, fdopendir, (int fd), (fd))

TRANSFER("read", read, void *to, NONE, (fd, to, n))
TRANSFER("read", pread, void *to, COMMA off_t offset, (fd, to, n, offset))
TRANSFER("read", pread64, void *to, COMMA off_t offset, (fd, to, n, offset))
TRANSFER("write", write, const void *bytes, NONE, (fd, bytes, n))
TRANSFER("write", pwrite, const void *bytes, COMMA off_t offset,
	 (fd, bytes, n, offset))
TRANSFER("write", pwrite64, const void *bytes, COMMA off_t offset,
	 (fd, bytes, n, offset))

CALL("sync", int, -1, fsync, (int fd), (fd))
CALL("sync", int, -1, fdatasync, (int fd), (fd))
CALL("truncate", int, -1, ftruncate, (int fd, off_t size), (fd, size))
CALL("truncate", int, -1, ftruncate64, (int fd, off_t size), (fd, size))

CALL("stat", int, -1, stat, (const char *path, struct stat *st), (path, st))
CALL("stat", int, -1, stat64, (const char *path, struct stat64 *st), (path, st))
CALL("stat", int, -1, lstat, (const char *path, struct stat *st), (path, st))
CALL("stat", int, -1, lstat64, (const char *path, struct stat64 *st),
     (path, st))
CALL("stat", int, -1, fstat, (int fd, struct stat *st), (fd, st))
CALL("stat", int, -1, fstat64, (int fd, struct stat64 *st), (fd, st))
CALL("stat", int, -1, fstatat,
     (int at, const char *path, struct stat *st, int flags),
     (at, path, st, flags))
CALL("stat", int, -1, fstatat64,
     (int at, const char *path, struct stat64 *st, int flags),
     (at, path, st, flags))
CALL("stat", int, -1, statx,
     (int at, const char *path, int flags, unsigned mask, struct statx *st),
     (at, path, flags, mask, st))
CALL("stat", int, -1, fstatfs64, (int fd, struct statfs64 *fs), (fd, fs))
CALL("stat", int, -1, fstatvfs64, (int fd, struct statvfs64 *fs), (fd, fs))
CALL("access", int, -1, access, (const char *path, int mode), (path, mode))
CALL("xattr", ssize_t, -1, fgetxattr,
     (int fd, const char *name, void *to, size_t n), (fd, name, to, n))
CALL("xattr", ssize_t, -1, lgetxattr,
     (const char *path, const char *name, void *to, size_t n),
     (path, name, to, n))
CALL("readlink", ssize_t, -1, readlinkat,
     (int at, const char *path, char *to, size_t n), (at, path, to, n))
CALL("getdents", struct dirent *, NULL, readdir, (DIR * dir), (dir))
CALL("getdents", struct dirent64 *, NULL, readdir64, (DIR * dir), (dir))

CALL("rename", int, -1, renameat,
     (int from_at, const char *old, int to_at, const char *name),
     (from_at, old, to_at, name))
CALL("rename", int, -1, renameat2,
     (int from_at, const char *old, int to_at, const char *name,
      unsigned flags),
     (from_at, old, to_at, name, flags))
CALL("link", int, -1, linkat,
     (int from_at, const char *old, int to_at, const char *name, int flags),
     (from_at, old, to_at, name, flags))
CALL("unlink", int, -1, unlinkat, (int at, const char *path, int flags),
     (at, path, flags))
CALL("mkdir", int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
CALL("mkdir", int, -1, mkdirat, (int at, const char *path, mode_t mode),
     (at, path, mode))
CALL("owner", int, -1, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
CALL("owner", int, -1, fchmod, (int fd, mode_t mode), (fd, mode))
CALL("lock", int, -1, flock, (int fd, int how), (fd, how))
CALL("socket", int, -1, socket, (int domain, int type, int protocol),
     (domain, type, protocol))
CALL("socket", int, -1, bind,
     (int fd, const struct sockaddr *address, socklen_t n), (fd, address, n))
CALL("inotify", int, -1, eventfd, (unsigned value, int flags), (value, flags))
CALL("inotify", int, -1, inotify_init1, (int flags), (flags))
CALL("inotify", int, -1, inotify_add_watch,
     (int fd, const char *path, uint32_t mask), (fd, path, mask))

CALL("dup", int, -1, dup3, (int fd, int to, int flags), (fd, to, flags))
CALL("path", char *, NULL, realpath, (const char *path, char *to), (path, to))
CALL("path", char *, NULL, getcwd, (char *to, size_t n), (to, n))
CALL("thread", int, failure, pthread_create,
     (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *),
      void *data),
     (thread, how, run, data))

CALL("alloc", void *, NULL, malloc, (size_t n), (n))
CALL("alloc", void *, NULL, calloc, (size_t n, size_t size), (n, size))
CALL("alloc", void *, NULL, realloc, (void *p, size_t n), (p, n))
CALL("alloc", char *, NULL, strdup, (const char *text), (text))
CALL("alloc", char *, NULL, strndup, (const char *text, size_t n), (text, n))
