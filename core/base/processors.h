/*
 * How many processors the process may run on: more threads would only wait.
 */
#ifndef SESSFS_PROCESSORS_H
#define SESSFS_PROCESSORS_H

#include <stddef.h>

/* More threads than this would wait for memory and disks. */
#define PROCESSORS_MOST 16

/* From 1 to PROCESSORS_MOST. */
size_t processors_count(void);

#endif
