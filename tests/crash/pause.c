/*
 * Preloaded into sessfs by the tests of two owners: stops sessfs just before
 * one of the calls by which it writes, so that an agent can write then.
 *
 *   PAUSE_NTH=N        before the N-th of these; without it they are counted
 *   PAUSE_FROM=FILE    counted is what comes after there is this file
 *   PAUSE_REPORT=FILE  to which these lines are appended: "paused NAME" then,
 *                      and "calls COUNT" when the process ends
 *
 * As in fail.c, only what sessfs's own code calls counts, as seen by the return
 * address. The caller of raise(SIGSTOP) runs no further before it is continued.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/preload.h"

static const char *from;
static const char *report_to;
static long nth;
static long calls;
static struct code program;

static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	program = code_of(info);
	return 1; /* the program is the first */
}

__attribute__((constructor)) static void begin(void)
{
	const char *n = getenv("PAUSE_NTH");
	from = getenv("PAUSE_FROM");
	report_to = getenv("PAUSE_REPORT");
	nth = n ? atol(n) : 0;
	dl_iterate_phdr(find_program, NULL);
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	report_line(report_to, "calls %ld\n", calls);
}

/* Stop here if this call, which returns to `to`, is the chosen one. */
static void pause_before(const char *name, void *to)
{
	int saved = errno;
	if (code_has(&program, to) && (!from || file_exists(from)) &&
	    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == nth) {
		report_line(report_to, "paused %s\n", name);
		raise(SIGSTOP);
	}
	errno = saved;
}

#define CALL(type, name, parameters, arguments)                   \
	type name parameters                                      \
	{                                                         \
		REAL(type, #name, parameters)                     \
		pause_before(#name, __builtin_return_address(0)); \
		return real arguments;                            \
	}

/* Only an open that makes a file writes. */
#define OPENAT(name)                                                         \
	int name(int at, const char *path, int flags, ...)                   \
	{                                                                    \
		REAL(int, #name, (int at, const char *path, int flags, ...)) \
		va_list more;                                                \
		va_start(more, flags);                                       \
		mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;  \
		va_end(more);                                                \
		if (flags & O_CREAT)                                         \
			pause_before(#name, __builtin_return_address(0));    \
		return real(at, path, flags, mode);                          \
	}

OPENAT(openat)
OPENAT(openat64)

CALL(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, n))
CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t offset),
     (fd, bytes, n, offset))
CALL(ssize_t, pwrite64, (int fd, const void *bytes, size_t n, off64_t offset),
     (fd, bytes, n, offset))
CALL(int, fsync, (int fd), (fd))
CALL(int, fdatasync, (int fd), (fd))
CALL(int, renameat, (int from_at, const char *old, int to_at, const char *name),
     (from_at, old, to_at, name))
CALL(int, renameat2,
     (int from_at, const char *old, int to_at, const char *name,
      unsigned flags),
     (from_at, old, to_at, name, flags))
CALL(int, linkat,
     (int from_at, const char *old, int to_at, const char *name, int flags),
     (from_at, old, to_at, name, flags))
CALL(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
CALL(int, flock, (int fd, int how), (fd, how))
CALL(int, bind, (int fd, const struct sockaddr *address, socklen_t n),
     (fd, address, n))
