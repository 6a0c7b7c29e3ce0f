/*
 * The function of libc that a test has put its own in place of:
 *
 *     static int (*real)(int fd);
 *     real_find((void **)&real, "close");
 */
#ifndef SESSFS_REAL_H
#define SESSFS_REAL_H

#include <dlfcn.h>

static inline void real_find(void **real, const char *name)
{
	if (!*real)
		*real = dlsym(RTLD_NEXT, name);
}

#endif
