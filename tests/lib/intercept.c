/*
 * Preloaded into sessfs by tests, which stand between it and the system with
 * it:
 *
 *   CALL_KINDS=KINDS    with commas between, as in the table below: open, read,
 *                       write, sync, ..., or one function there, as pread64;
 *                       alloc is an allocation; a name is mkdirat() of it
 *   CALL_NTH=N          what is done happens at the N-th of these; with 0 they
 *                       are counted
 *   CALL_DO=WHAT        EIO, ENOSPC, ...: it fails by that
 *                       short: reads or writes half the bytes
 *                       stop: sessfs is stopped before it, all of it (SIGSTOP)
 *                       hold: its thread waits before it until the CALL_WHILE
 *                       file has gone, a minute at most
 *   CALL_WHILE=FILE     counted is what comes while there is this file
 *   CALL_REPORT=FILE    to which these lines are appended: "met NAME" then,
 *                       with "at OFFSET" for each caller in the program, and
 *                       "calls COUNT" when the process ends. While they are
 *                       counted, also "way N" for the N-th, if it is the first
 *                       one that these functions of sessfs lead to
 *
 *   SLOW_MS=N           every pread() of 128 KiB or more takes so much longer
 *
 *   CLOCK_OFFSET=FILE   the clock of the day is wrong by the seconds in it, an
 *                       int64_t that may change at any time
 *
 *   RECORD_FOLDER=PATH  absolute, without symbolic links: every call that
 *                       changes or syncs its files is written down, in order
 *   RECORD_TO=FILE      the records are appended here
 *
 * Only what sessfs's own code calls counts, as seen by the return address, and
 * what cJSON allocates for it. What other libraries call does not: libfuse's
 * traffic with the kernel is no file of sessfs's, and libc's own reading of the
 * password file, the time zone and locales is not up to sessfs. sessfs maps no
 * files. Processes that it starts are not preloaded.
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
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/*
 * Any function of up to six integers and pointers, and its result: Linux's ABIs
 * pass each as a word, whatever its type.
 */
#define WORDS long a, long b, long c, long d, long e, long f
typedef long words(WORDS);

/* What is done, if it is no errno. */
enum { SHORT = -1, STOP = -2, HOLD = -3 };

/* Empty before begin(), in which the loader and libraries call. */
static const char *kinds = "";
static const char *during;
static const char *report_to;
static long nth;
static int action;
static long calls;
static long slow_ms;
static const volatile int64_t *clock_offset;
static const char *record_folder;
static const char *record_to;
static pthread_mutex_t record_order = PTHREAD_MUTEX_INITIALIZER;

/* Where the code of sessfs is, and that of cJSON; zeroed: nowhere. */
static struct code {
	uintptr_t start;
	uintptr_t end;
} codes[2];

static bool code_has(const struct code *c, const void *at)
{
	return (uintptr_t)at >= c->start && (uintptr_t)at < c->end;
}

static bool is_ours(const void *at)
{
	return code_has(&codes[0], at) || code_has(&codes[1], at);
}

/* The first object is the program. The parts of one are in order. */
static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
	struct code *c = &codes[codes[0].end == 0 ? 0 : 1];
	(void)size;
	(void)data;
	if (codes[0].end > 0 && !strstr(info->dlpi_name, "libcjson"))
		return 0;
	c->start = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD)
			c->end = c->start + p->p_vaddr + p->p_memsz;
	}
	return 0;
}

/*
 * Append a line, and these bytes, by one write that is not intercepted. errno
 * stays. Without a file nothing is appended.
 */
static void append(const char *to, const void *bytes, size_t n,
		   const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void append(const char *to, const void *bytes, size_t n,
		   const char *format, ...)
{
	char line[2 * PATH_MAX];
	int saved = errno;
	va_list args;
	if (!to)
		return;
	va_start(args, format);
	size_t length = (size_t)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, to,
			      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	struct iovec parts[] = { { line, length }, { (void *)bytes, n } };
	if (fd < 0 || writev(fd, parts, 2) != (ssize_t)(length + n))
		abort();
	close(fd);
	errno = saved;
}

#define REPORT(...) append(report_to, NULL, 0, __VA_ARGS__)
#define RECORD(...) append(record_to, NULL, 0, __VA_ARGS__)

static long number_in(const char *name)
{
	const char *value = getenv(name);
	return value ? atol(value) : 0;
}

static int action_in(const char *name)
{
	const char *value = getenv(name);
	if (!value)
		return 0;
	for (int e = 1; e < 134; e++) {
		const char *known = strerrorname_np(e);
		if (known && strcmp(value, known) == 0)
			return e;
	}
	return strcmp(value, "short") == 0  ? SHORT
	       : strcmp(value, "stop") == 0 ? STOP
	       : strcmp(value, "hold") == 0 ? HOLD
					    : 0;
}

static void map_clock(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	void *at =
		mmap(NULL, sizeof(*clock_offset), PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		abort();
	clock_offset = at;
	close(fd);
}

__attribute__((constructor)) static void begin(void)
{
	unsetenv("LD_PRELOAD");
	dl_iterate_phdr(find_code, NULL);
	slow_ms = number_in("SLOW_MS");
	if (getenv("CLOCK_OFFSET"))
		map_clock(getenv("CLOCK_OFFSET"));
	record_folder = getenv("RECORD_FOLDER");
	record_to = getenv("RECORD_TO");
	during = getenv("CALL_WHILE");
	report_to = getenv("CALL_REPORT");
	nth = number_in("CALL_NTH");
	action = action_in("CALL_DO");
	if ((nth > 0 && action == 0) || !record_folder != !record_to)
		abort();
	if (!getenv("CALL_KINDS"))
		return;
	/* The first call of it allocates. */
	backtrace((void *[1]){ 0 }, 1);
	kinds = getenv("CALL_KINDS");
}

__attribute__((destructor)) static void end(void)
{
	REPORT("calls %ld\n", calls);
}

static bool is_chosen(const char *kind)
{
	size_t n = strlen(kind);
	for (const char *at = kinds; n > 0 && (at = strstr(at, kind));
	     at += n) {
		if ((at == kinds || at[-1] == ',') &&
		    (at[n] == ',' || at[n] == '\0'))
			return true;
	}
	return false;
}

static bool is_time(void)
{
	return !during || syscall(SYS_faccessat, AT_FDCWD, during, F_OK) == 0;
}

/* The innermost functions of sessfs and cJSON that led here. Returns how many.
 */
static int callers(void *ours[8])
{
	void *frames[12];
	int n = backtrace(frames, 12);
	int found = 0;
	for (int i = 0; i < n && found < 8; i++) {
		if (is_ours(frames[i]))
			ours[found++] = frames[i];
	}
	return found;
}

/* Has a call by these functions been counted before? */
static bool is_new_way(void)
{
	static uint64_t ways[4096];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	void *ours[8];
	int n = callers(ours);
	uint64_t way = 1;
	for (int i = 0; i < n; i++)
		way = (way ^ (uintptr_t)ours[i]) * 0x100000001b3;
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
	void *ours[8];
	int n = callers(ours);
	for (int i = 0; i < n; i++) {
		if (code_has(&codes[0], ours[i]))
			REPORT("at %lx\n",
			       (long)((uintptr_t)ours[i] - codes[0].start - 1));
	}
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void hold(void)
{
	for (int i = 0; is_time() && i < 6000; i++)
		sleep_ms(10);
}

/*
 * What has to happen before this call, which returns to `to`. Returns whether
 * it has to fail, or to be short: then errno says by what, else it stays.
 */
static bool meets(const char *kind, const char *name, void *to)
{
	int saved = errno;
	bool counts = *kinds && is_ours(to) &&
		      (is_chosen(kind) || is_chosen(name)) && is_time();
	errno = saved;
	if (!counts)
		return false;
	long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (nth == 0 && is_new_way())
		REPORT("way %ld\n", n);
	errno = saved;
	if (n != nth)
		return false;
	REPORT("met %s\n", name);
	report_callers();
	if (action == STOP)
		/* Its caller runs no further before sessfs is continued. */
		raise(SIGSTOP);
	else if (action == HOLD)
		hold();
	errno = action > 0 ? action : saved;
	return action > 0 || action == SHORT;
}

/* Where a descriptor is, which may be AT_FDCWD. Returns the length, or 0. */
static size_t path_of(int fd, char path[PATH_MAX])
{
	char link[64] = "/proc/self/cwd";
	int saved = errno;
	if (fd != AT_FDCWD)
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	path[n < 0 ? 0 : n] = '\0';
	errno = saved;
	return n < 0 ? 0 : (size_t)n;
}

/* What follows the recorded folder in a path: "" for the folder. NULL: it is
 * elsewhere. */
static const char *below_folder(const char *path)
{
	size_t n = strlen(record_folder);
	if (strncmp(path, record_folder, n) != 0)
		return NULL;
	return path[n] == '/' ? path + n + 1 : path[n] == '\0' ? "" : NULL;
}

/* The same for an open file, if there is a folder that is recorded. */
static const char *recorded(int fd, char path[PATH_MAX])
{
	return record_folder && path_of(fd, path) > 0 ? below_folder(path)
						      : NULL;
}

/* The name of a file that is, or was, in that folder; NULL: elsewhere. */
static const char *recorded_name(int at, const char *path,
				 char whole[2 * PATH_MAX])
{
	size_t n = 0;
	if (!record_folder)
		return NULL;
	if (path[0] != '/') {
		n = path_of(at, whole);
		whole[n++] = '/';
	}
	snprintf(whole + n, 2 * PATH_MAX - n, "%s", path);
	const char *name = below_folder(whole);
	return name && *name && !strchr(name, '/') ? name : NULL;
}

static struct stat status_of(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		abort();
	return st;
}

static void begin_record(void)
{
	if (record_folder)
		pthread_mutex_lock(&record_order);
}

static void end_record(void)
{
	if (record_folder)
		pthread_mutex_unlock(&record_order);
}

static void record_open(int fd, int at, const char *path, int flags)
{
	char whole[2 * PATH_MAX];
	const char *name = recorded_name(at, path, whole);
	if (name && (flags & O_EXCL))
		RECORD("create %s %lu\n", name, status_of(fd).st_ino);
	else if (name)
		RECORD("truncate %lu 0\n", status_of(fd).st_ino);
}

/*
 * Write, and record it. `offset` is that of pwrite64(), or -1. Most writes are
 * replies to the kernel, which may be made at once.
 */
static long record_write(words *real, WORDS, off_t offset)
{
	char path[PATH_MAX];
	int fd = (int)a;
	if (!recorded(fd, path))
		return real(a, b, c, d, e, f);
	begin_record();
	long done = real(a, b, c, d, e, f);
	int saved = errno;
	struct stat st = status_of(fd);
	off_t end = offset < 0			    ? lseek(fd, 0, SEEK_CUR)
		    : fcntl(fd, F_GETFL) & O_APPEND ? st.st_size
						    : offset + done;
	if (done > 0)
		append(record_to, (void *)b, (size_t)done,
		       "write %lu %lld %ld\n", st.st_ino,
		       (long long)(end - done), done);
	errno = saved;
	end_record();
	return done;
}

static void record_truncate(int fd, off_t size)
{
	char path[PATH_MAX];
	if (recorded(fd, path))
		RECORD("truncate %lu %lld\n", status_of(fd).st_ino,
		       (long long)size);
}

static void record_sync(int fd)
{
	char path[PATH_MAX];
	const char *name = recorded(fd, path);
	if (name && *name)
		RECORD("sync %lu\n", status_of(fd).st_ino);
	else if (name)
		RECORD("sync-folder\n");
}

/* Of a link that was made, or with an old name of one that was renamed. */
static void record_name(int from_at, const char *from, int at, const char *path)
{
	char before[2 * PATH_MAX];
	char after[2 * PATH_MAX];
	struct stat st;
	const char *old = from ? recorded_name(from_at, from, before) : NULL;
	const char *name = recorded_name(at, path, after);
	if (!name || (from && !old))
		return;
	if (fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		abort();
	if (old)
		RECORD("rename %s %s %lu\n", old, name, st.st_ino);
	else
		RECORD("link %s %lu\n", name, st.st_ino);
}

static void record_unlink(int at, const char *path)
{
	char whole[2 * PATH_MAX];
	const char *name = recorded_name(at, path, whole);
	if (name)
		RECORD("unlink %s\n", name);
}

static long slow_read(words *real, WORDS)
{
	if (slow_ms > 0 && c >= 128 << 10)
		sleep_ms(slow_ms);
	return real(a, b, c, d, e, f);
}

/* The function NAME; real() is the one that it stands before. */
#define WRAPPER(name, body)                                        \
	words wrapped_##name __asm__(#name);                       \
	long wrapped_##name(WORDS)                                 \
	{                                                          \
		static words *real;                                \
		if (!real)                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name); \
		body                                               \
	}

#define MEETS(kind, name) meets(kind, #name, __builtin_return_address(0))

#define CALL(kind, bad, name)                  \
	WRAPPER(name, {                        \
		if (MEETS(kind, name))         \
			return bad;            \
		return real(a, b, c, d, e, f); \
	})

/* A read or a write, of `c` bytes. */
#define TRANSFER(kind, name, does)           \
	WRAPPER(name, {                      \
		if (MEETS(kind, name)) {     \
			if (action != SHORT) \
				return -1;   \
			c = (c + 1) / 2;     \
		}                            \
		return does;                 \
	})

/* One that is recorded when it has succeeded. */
#define CHANGE(kind, name, record)                        \
	WRAPPER(name, {                                   \
		if (MEETS(kind, name))                    \
			return -1;                        \
		begin_record();                           \
		int status = (int)real(a, b, c, d, e, f); \
		if (status == 0)                          \
			record;                           \
		end_record();                             \
		return status;                            \
	})

/* One that makes a file is of the kind `create`. */
#define OPEN(kind, name, at, path, flags)                           \
	WRAPPER(name, {                                             \
		if (MEETS((flags)&O_CREAT ? "create" : kind, name)) \
			return -1;                                  \
		if (!((flags) & (O_EXCL | O_TRUNC)))                \
			return real(a, b, c, d, e, f);              \
		begin_record();                                     \
		int fd = (int)real(a, b, c, d, e, f);               \
		if (fd >= 0)                                        \
			record_open(fd, (int)(at), (char *)(path),  \
				    (int)(flags));                  \
		end_record();                                       \
		return fd;                                          \
	})

/*
 * What sessfs calls, which is compiled for large files. What it does not call
 * is not here, such as rename().
 */
OPEN("open", open64, AT_FDCWD, a, b)
OPEN("openat", openat64, a, b, c)
CALL("open", 0, opendir)
CALL("open", 0, fdopendir)

TRANSFER("read", read, real(a, b, c, d, e, f))
TRANSFER("read", pread64, slow_read(real, a, b, c, d, e, f))
TRANSFER("write", write, record_write(real, a, b, c, d, e, f, -1))
TRANSFER("write", pwrite64, record_write(real, a, b, c, d, e, f, d))

CHANGE("sync", fsync, record_sync((int)a))
CHANGE("sync", fdatasync, record_sync((int)a))
CHANGE("truncate", ftruncate64, record_truncate((int)a, b))
CHANGE("rename", renameat, record_name((int)a, (char *)b, (int)c, (char *)d))
CHANGE("rename", renameat2, record_name((int)a, (char *)b, (int)c, (char *)d))
CHANGE("link", link, record_name(0, NULL, AT_FDCWD, (char *)b))
CHANGE("link", linkat, record_name(0, NULL, (int)c, (char *)d))
CHANGE("unlink", unlinkat, record_unlink((int)a, (char *)b))

CALL("stat", -1, stat64)
CALL("stat", -1, lstat64)
CALL("stat", -1, fstat64)
CALL("stat", -1, fstatat64)
CALL("stat", -1, statx)
CALL("stat", -1, fstatfs64)
CALL("stat", -1, fstatvfs64)
CALL("access", -1, access)
CALL("xattr", -1, fgetxattr)
CALL("xattr", -1, lgetxattr)
CALL("readlink", -1, readlinkat)
CALL("getdents", 0, readdir64)
CALL((char *)b, -1, mkdirat)
CALL("owner", -1, fchown)
CALL("owner", -1, fchmod)
CALL("lock", -1, flock)
CALL("socket", -1, socket)
CALL("bind", -1, bind)
CALL("eventfd", -1, eventfd)
CALL("poll", -1, poll)
CALL("sleep", -1, nanosleep)
CALL("inotify", -1, inotify_init1)
CALL("inotify", -1, inotify_add_watch)
CALL("dup", -1, dup3)
CALL("path", 0, realpath)
CALL("path", 0, getcwd)
CALL("thread", action, pthread_create)

CALL("alloc", 0, malloc)
CALL("alloc", 0, calloc)
CALL("alloc", 0, realloc)
CALL("alloc", 0, strdup)
CALL("alloc", 0, strndup)

WRAPPER(clock_gettime, {
	int status = (int)real(a, b, c, d, e, f);
	if (status == 0 && clock_offset &&
	    (a == CLOCK_REALTIME || a == CLOCK_REALTIME_COARSE))
		((struct timespec *)b)->tv_sec += *clock_offset;
	return status;
})
