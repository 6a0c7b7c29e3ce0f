#include "core/base/parallel.h"

#include <pthread.h>

#include "core/base/processors.h"

struct run {
	size_t n;
	size_t next; /* atomic access */
	void (*work)(void *data, size_t i);
	void *data;
};

static void *run_items(void *data)
{
	struct run *r = data;
	for (;;) {
		size_t i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED);
		if (i >= r->n)
			return NULL;
		r->work(r->data, i);
	}
}

void parallel_run(size_t n, void (*work)(void *data, size_t i), void *data)
{
	struct run r = { .n = n, .work = work, .data = data };
	pthread_t threads[PROCESSORS_MOST];
	size_t want = processors_count();
	size_t started = 0;
	/* The calling thread is one of them. */
	while (started + 1 < want && started + 1 < n &&
	       pthread_create(&threads[started], NULL, run_items, &r) == 0)
		started++;
	run_items(&r);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}
