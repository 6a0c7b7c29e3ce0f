#include "core/base/sweep.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/base/processors.h"

/* A buffer that has grown larger is not kept for the next task. */
#define KEPT_BYTES ((size_t)2 << 20)

struct slot {
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

static void empty(struct slot *slot)
{
	if (slot->out.cap > KEPT_BYTES)
		buf_free(&slot->out);
	buf_reset(&slot->out);
	slot->ready = false;
}

static void fail(struct run *r, int err)
{
	r->err = err;
	r->ended = true;
	pthread_cond_broadcast(&r->emptied);
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
			err = r->s->emit(r->s->data, &slot->out);
		pthread_mutex_lock(&r->lock);
		empty(slot);
		r->emitted++;
		pthread_cond_broadcast(&r->emptied);
		if (err)
			fail(r, err);
	}
	r->emitting = false;
}

/* Wait for a free slot; NULL if the sweep has ended. */
static struct slot *wait_for_slot(struct run *r)
{
	struct slot *slot = NULL;
	pthread_mutex_lock(&r->lock);
	while (!r->ended && r->started - r->emitted == r->n)
		pthread_cond_wait(&r->emptied, &r->lock);
	if (!r->ended)
		slot = &r->slots[r->started % r->n];
	pthread_mutex_unlock(&r->lock);
	return slot;
}

/* The slot that the task started last has is taken. */
static void set_started(struct run *r, bool started)
{
	pthread_mutex_lock(&r->lock);
	if (started)
		r->started++;
	else
		r->ended = true;
	pthread_mutex_unlock(&r->lock);
}

/* The slot of the next task; NULL at the end. */
static struct slot *start(struct run *r, void **task)
{
	pthread_mutex_lock(&r->choosing);
	struct slot *slot = wait_for_slot(r);
	if (slot) {
		bool started = r->s->next(r->s->data, task);
		set_started(r, started);
		slot = started ? slot : NULL;
	}
	pthread_mutex_unlock(&r->choosing);
	return slot;
}

static void *work(void *data)
{
	struct run *r = data;
	struct slot *slot;
	void *task;
	while ((slot = start(r, &task))) {
		r->s->work(r->s->data, task, &slot->out);
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
	pthread_t others[PROCESSORS_MOST];
	size_t threads = s->threads ? s->threads : processors_count();
	size_t n = 0;
	r.n = s->ahead ? s->ahead : SWEEP_AHEAD * threads;
	r.slots = calloc(r.n, sizeof(*r.slots));
	if (!r.slots)
		return -ENOMEM;
	while (n + 1 < threads &&
	       pthread_create(&others[n], NULL, work, &r) == 0)
		n++;
	work(&r);
	while (n > 0)
		pthread_join(others[--n], NULL);
	for (size_t i = 0; i < r.n; i++)
		buf_free(&r.slots[i].out);
	free(r.slots);
	return r.err;
}
