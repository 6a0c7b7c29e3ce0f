/*
 * Work on many items by all processors.
 */
#ifndef SESSFS_PARALLEL_H
#define SESSFS_PARALLEL_H

#include <stddef.h>

/*
 * Call work(data, i) for each i from 0 to n - 1, in as many threads as
 * processors.h counts, and return when all calls have returned. They start in
 * the order of i. The calling thread is one of the threads, and does the work
 * alone if no other can be created.
 */
void parallel_run(size_t n, void (*work)(void *data, size_t i), void *data);

#endif
