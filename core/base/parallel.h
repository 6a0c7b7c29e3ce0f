/*
 * Work on many items by all processors.
 */
#ifndef SESSFS_PARALLEL_H
#define SESSFS_PARALLEL_H

#include <stddef.h>

/* The most threads, however many processors there are. */
#define PARALLEL_THREADS 16

/*
 * Call work(data, i) for each i from 0 to n - 1, in several threads, and return
 * when all calls have returned. They start in the order of i. If threads can't
 * be created, the calling thread does the work alone.
 */
void parallel_run(size_t n, void (*work)(void *data, size_t i), void *data);

#endif
