#include "core/base/parallel.h"

#include "tests/unit/test.h"

static unsigned counts[1000];

static void count(void *data, size_t i)
{
	unsigned *list = data;
	__atomic_fetch_add(&list[i], 1, __ATOMIC_RELAXED);
}

/* Each item is worked on once. */
static void check_all(size_t n)
{
	memset(counts, 0, sizeof(counts));
	parallel_run(n, count, counts);
	for (size_t i = 0; i < COUNT(counts); i++)
		CHECK_INT(counts[i], i < n);
}

int main(void)
{
	check_all(0);
	check_all(1);
	check_all(2);
	check_all(COUNT(counts));
	/* For users other than root no thread can be created then. */
	struct rlimit none;
	test_need(getrlimit(RLIMIT_NPROC, &none) == 0, "getrlimit");
	none.rlim_cur = 0;
	test_need(setrlimit(RLIMIT_NPROC, &none) == 0, "setrlimit");
	check_all(COUNT(counts));
	return test_done("parallel");
}
