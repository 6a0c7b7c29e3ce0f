/*
 * How many processors the process may run on: as many threads have work.
 */
#ifndef SESSFS_PROCESSORS_H
#define SESSFS_PROCESSORS_H

#include <stddef.h>

#define PROCESSORS_MOST 64

/* From 1 to PROCESSORS_MOST. */
size_t processors_count(void);

#endif
