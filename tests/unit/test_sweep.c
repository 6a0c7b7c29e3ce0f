#include "core/base/parallel.h"

#include <pthread.h>

#include "tests/unit/test.h"

#define TASKS 5000

/* A sweep over numbers, which are printed one a line. */
struct numbers {
	size_t n;	/* to be done */
	size_t fail_at; /* the buffer that emit() refuses */
	size_t lack_at; /* the task that lacks memory */
	size_t started; /* by one thread at a time */
	size_t done;	/* atomic */
	size_t emitted; /* atomic */
	size_t ahead;	/* the most tasks that were ahead of the output */
	int choosing;	/* atomic: threads in next() */
	int emitting;	/* atomic: threads in emit() */
	bool at_once;	/* threads were in one of them at once */
	struct buf out;
};

static void enter(struct numbers *x, int *threads)
{
	if (__atomic_add_fetch(threads, 1, __ATOMIC_SEQ_CST) != 1)
		x->at_once = true;
}

static void leave(int *threads)
{
	__atomic_sub_fetch(threads, 1, __ATOMIC_SEQ_CST);
}

static bool next(void *data, void **task)
{
	struct numbers *x = data;
	enter(x, &x->choosing);
	bool more = x->started < x->n;
	if (more) {
		size_t *number = malloc(sizeof(*number));
		test_need(number != NULL, "malloc");
		*number = x->started++;
		*task = number;
	}
	size_t emitted = __atomic_load_n(&x->emitted, __ATOMIC_SEQ_CST);
	if (x->started - emitted > x->ahead)
		x->ahead = x->started - emitted;
	leave(&x->choosing);
	return more;
}

/* Some tasks take longer, and some print nothing. */
static void work(void *data, void *task, struct buf *out)
{
	struct numbers *x = data;
	size_t number = *(size_t *)task;
	if (number % 97 == 3)
		usleep(1000);
	if (number % 5 != 4)
		buf_addf(out, "%zu\n", number);
	if (number % 1000 == 17)
		buf_fill(out, ' ', 3 << 20);
	out->failed = out->failed || number == x->lack_at;
	__atomic_add_fetch(&x->done, 1, __ATOMIC_SEQ_CST);
}

static int emit(void *data, void *task, const struct buf *out)
{
	struct numbers *x = data;
	struct span text = { out->data, out->len };
	enter(x, &x->emitting);
	size_t number = __atomic_load_n(&x->emitted, __ATOMIC_SEQ_CST);
	CHECK_INT(*(size_t *)task, number);
	while (text.n > 0 && text.p[text.n - 1] == ' ')
		text.n--;
	if (text.n > 0)
		buf_add(&x->out, text);
	__atomic_add_fetch(&x->emitted, 1, __ATOMIC_SEQ_CST);
	leave(&x->emitting);
	return number == x->fail_at ? -EPIPE : 0;
}

/* The tasks that were started are done, and the first ones emitted. */
static void check(struct numbers x, int status, size_t emitted)
{
	const struct sweep s = { .data = &x,
				 .next = next,
				 .work = work,
				 .emit = emit,
				 .end = free };
	struct buf want = { 0 };
	for (size_t i = 0; i < emitted; i++)
		if (i % 5 != 4)
			buf_addf(&want, "%zu\n", i);
	CHECK_INT(sweep_run(&s), status);
	CHECK_SPAN(buf_span(&x.out), buf_span(&want));
	CHECK_INT(x.emitted, emitted);
	CHECK_INT(x.done, x.started);
	CHECK(x.ahead <= SWEEP_AHEAD * processors_count());
	CHECK(!x.at_once);
	if (!status)
		CHECK_INT(x.started, x.n);
	else
		CHECK(x.started - x.emitted <=
		      SWEEP_AHEAD * processors_count());
	buf_free(&x.out);
	buf_free(&want);
}

int main(void)
{
	const size_t none = SIZE_MAX;
	check((struct numbers){ .n = 0, .fail_at = none, .lack_at = none }, 0,
	      0);
	check((struct numbers){ .n = 1, .fail_at = none, .lack_at = none }, 0,
	      1);
	check((struct numbers){ .n = TASKS, .fail_at = none, .lack_at = none },
	      0, TASKS);
	/* A reader that is gone, at once and later. */
	check((struct numbers){ .n = TASKS, .fail_at = 0, .lack_at = none },
	      -EPIPE, 1);
	check((struct numbers){ .n = TASKS, .fail_at = 700, .lack_at = none },
	      -EPIPE, 701);
	/* A buffer without memory ends it, and is not emitted. */
	check((struct numbers){ .n = TASKS, .fail_at = none, .lack_at = 300 },
	      -ENOMEM, 300);
	return test_done("sweep");
}
