/*
 * What the libraries that tests preload into sessfs share: which calls are
 * sessfs's own, the function that a wrapper stands before, and reports.
 *
 * A library is one source file, so all of this is static. What sessfs's own
 * code calls is seen by the return address of the wrapper.
 */
#ifndef SESSFS_TESTS_PRELOAD_H
#define SESSFS_TESTS_PRELOAD_H

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the code of a program or of a library is; zeroed: nowhere. */
struct code {
	uintptr_t start;
	uintptr_t end;
};

static inline bool code_has(const struct code *c, const void *at)
{
	return (uintptr_t)at >= c->start && (uintptr_t)at < c->end;
}

static inline struct code code_of(const struct dl_phdr_info *info)
{
	struct code c = { .start = UINTPTR_MAX };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		if (at < c.start)
			c.start = at;
		if (at + p->p_memsz > c.end)
			c.end = at + p->p_memsz;
	}
	return c;
}

/*
 * Append a line to a file by one write(2), not through the wrappers. Without a
 * name there are no reports. errno may change.
 */
static inline void report_line(const char *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void report_line(const char *to, const char *format, ...)
{
	char line[128];
	va_list args;
	if (!to)
		return;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, to,
			      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || syscall(SYS_write, fd, line, n) != n)
		abort();
	syscall(SYS_close, fd);
}

/* Is there a file, such as one that says when to count? */
static inline bool file_exists(const char *path)
{
	return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

/* In a wrapper: declares `real`, the function that it stands before. */
#define REAL(type, name, parameters)                                      \
	static type(*real) parameters;                                    \
	if (!real) {                                                      \
		/* A pointer to data is none to a function, for ISO C. */ \
		*(void **)&real = dlsym(RTLD_NEXT, name);                 \
	}

#endif
