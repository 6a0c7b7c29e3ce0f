/*
 * Memory that ends when the test says so: while no_memory is set, nothing grows
 * (core/base/array.h), and so no buffer does, but for memory_left times before.
 * With memory_returns it fails once.
 */
#ifndef SESSFS_NO_MEMORY_H
#define SESSFS_NO_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/unit/real.h"

static bool no_memory;
static unsigned memory_left;
static bool memory_returns;

/* libc's */
void *realloc(void *old, size_t n)
{
	static void *(*real)(void *old, size_t n);
	real_find((void **)&real, "realloc");
	if (!no_memory)
		return real(old, n);
	if (memory_left > 0) {
		memory_left--;
		return real(old, n);
	}
	no_memory = !memory_returns;
	errno = ENOMEM;
	return NULL;
}

#endif
