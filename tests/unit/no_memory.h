/*
 * Memory that ends when the test says so: while no_memory is set, nothing grows
 * (core/base/array.h), and so no buffer does.
 */
#ifndef SESSFS_NO_MEMORY_H
#define SESSFS_NO_MEMORY_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static bool no_memory;

/* libc's */
void *realloc(void *old, size_t n)
{
	static void *(*real)(void *old, size_t n);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "realloc");
	errno = ENOMEM;
	return no_memory ? NULL : real(old, n);
}

#endif
