/*
 * Work on all processors.
 */
#ifndef SESSFS_PARALLEL_H
#define SESSFS_PARALLEL_H

#include "core/base/buf.h"

/* More threads than this would wait for memory and disks. */
#define PROCESSORS_MOST 16

/* Those that the process may run on, from 1 to PROCESSORS_MOST. */
size_t processors_count(void);

/*
 * Call work(data, i) for each i from 0 to n - 1, in as many threads as there
 * are processors, and return when all calls have returned. They start in the
 * order of i. The calling thread is one of the threads, and does the work alone
 * if no other can be created.
 */
void parallel_run(size_t n, void (*work)(void *data, size_t i), void *data);

/*
 * A sweep is work with its output in a fixed order.
 *
 * The tasks are numbered in the order in which next() returns them. Each is
 * done by any thread, which appends its output to a buffer. The buffers are
 * emitted in the order of the tasks. A thread that has done its task emits what
 * is ready, so the order costs no thread of its own.
 *
 * Memory. A thread starts no task that is too far ahead of the output, so at
 * most that many buffers exist. The caller makes the tasks small.
 */

/* Tasks a thread. */
#define SWEEP_AHEAD 4

struct sweep {
	void *data; /* of the functions */
	/*
	 * Set *task to the next one; false at the end. Called by one thread at
	 * a time.
	 */
	bool (*next)(void *data, void **task);
	/* Do a task. Several threads at once. */
	void (*work)(void *data, void *task, struct buf *out);
	/* Emit its buffer. One at a time. Anything but 0 ends the sweep. */
	int (*emit)(void *data, void *task, const struct buf *out);
	/* Optional: free a task that was done, whether it is emitted or not. */
	void (*end)(void *task);
	size_t threads; /* at most PROCESSORS_MOST; 0: processors_count() */
	size_t ahead;	/* tasks ahead of the output; 0: SWEEP_AHEAD a thread */
};

/* Do all tasks. Returns 0, what emit() returned, or -ENOMEM. */
int sweep_run(const struct sweep *s);

#endif
