#include "core/base/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

size_t processors_count(void)
{
	cpu_set_t set;
	/* Fails only with more processors than the set has room for. */
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return PROCESSORS_MOST;
	size_t n = (size_t)CPU_COUNT(&set);
	return n < PROCESSORS_MOST ? n : PROCESSORS_MOST;
}

/* Work in this thread, and in up to n - 1 more, until all have returned. */
static void run_threads(size_t n, void *(*work)(void *), void *data)
{
	pthread_t others[PROCESSORS_MOST];
	size_t started = 0;
	while (started + 1 < n &&
	       pthread_create(&others[started], NULL, work, data) == 0)
		started++;
	work(data);
	while (started > 0)
		pthread_join(others[--started], NULL);
}

struct items {
	size_t n;
	size_t next; /* atomic access */
	void (*work)(void *data, size_t i);
	void *data;
};

static void *run_items(void *data)
{
	struct items *r = data;
	size_t i;
	while ((i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < r->n)
		r->work(r->data, i);
	return NULL;
}

void parallel_run(size_t n, void (*work)(void *data, size_t i), void *data)
{
	struct items r = { .n = n, .work = work, .data = data };
	size_t threads = processors_count();
	run_threads(n < threads ? n : threads, run_items, &r);
}

/* A buffer that has grown larger is not kept for the next task. */
#define KEPT_BYTES ((size_t)2 << 20)

struct slot {
	void *task;
	struct buf out;
	bool ready;
};

struct run {
	const struct sweep *s;
	/* Held while a task is chosen. Taken before `lock`. */
	pthread_mutex_t choosing;

	pthread_mutex_t lock;
	pthread_cond_t emptied; /* a slot, or the sweep has ended */
	/* Protected by `lock`; a slot's buffer is its thread's until ready. */
	struct slot *slots;
	size_t n;	/* of slots, used in turn */
	size_t started; /* tasks */
	size_t emitted;
	bool emitting; /* a thread is */
	bool ended;    /* start no more tasks */
	int err;
};

static void end_task(const struct sweep *s, struct slot *slot)
{
	if (s->end && slot->task)
		s->end(slot->task);
	slot->task = NULL;
}

/*
 * Emit all slots that are ready and whose turn it is, unless another thread is
 * at it, which will then emit these as well. Needs the lock.
 */
static void emit_ready(struct run *r)
{
	struct slot *slot;
	if (r->emitting)
		return;
	r->emitting = true;
	while ((slot = &r->slots[r->emitted % r->n])->ready && !r->err) {
		pthread_mutex_unlock(&r->lock);
		int err = buf_error(&slot->out);
		if (!err)
			err = r->s->emit(r->s->data, slot->task, &slot->out);
		end_task(r->s, slot);
		pthread_mutex_lock(&r->lock);
		if (slot->out.cap > KEPT_BYTES)
			buf_free(&slot->out);
		buf_reset(&slot->out);
		slot->ready = false;
		r->emitted++;
		r->err = err;
		r->ended = r->ended || err;
		pthread_cond_broadcast(&r->emptied);
	}
	r->emitting = false;
}

/* The slot of the next task; NULL at the end. Waits for a free one. */
static struct slot *start(struct run *r)
{
	struct slot *slot = NULL;
	void *task = NULL;
	pthread_mutex_lock(&r->choosing);
	pthread_mutex_lock(&r->lock);
	while (!r->ended && r->started - r->emitted == r->n)
		pthread_cond_wait(&r->emptied, &r->lock);
	bool more = !r->ended;
	pthread_mutex_unlock(&r->lock);
	more = more && r->s->next(r->s->data, &task);
	pthread_mutex_lock(&r->lock);
	if (more) {
		slot = &r->slots[r->started++ % r->n];
		slot->task = task;
	} else {
		r->ended = true;
	}
	pthread_mutex_unlock(&r->lock);
	pthread_mutex_unlock(&r->choosing);
	return slot;
}

static void *work(void *data)
{
	struct run *r = data;
	struct slot *slot;
	while ((slot = start(r))) {
		r->s->work(r->s->data, slot->task, &slot->out);
		pthread_mutex_lock(&r->lock);
		slot->ready = true;
		emit_ready(r);
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

int sweep_run(const struct sweep *s)
{
	struct run r = { .s = s,
			 .choosing = PTHREAD_MUTEX_INITIALIZER,
			 .lock = PTHREAD_MUTEX_INITIALIZER,
			 .emptied = PTHREAD_COND_INITIALIZER };
	size_t threads = s->threads ? s->threads : processors_count();
	r.n = s->ahead ? s->ahead : SWEEP_AHEAD * threads;
	r.slots = calloc(r.n, sizeof(*r.slots));
	if (!r.slots)
		return -ENOMEM;
	run_threads(threads, work, &r);
	for (size_t i = 0; i < r.n; i++) {
		end_task(s, &r.slots[i]);
		buf_free(&r.slots[i].out);
	}
	free(r.slots);
	return r.err;
}
