#include "core/base/bits.h"

#include <pthread.h>

#include "tests/unit/test.h"

#define THREADS 4
#define MEMBERS 100000

/* At both sides of the borders of words, chunks and groups, at both ends. */
static const uint32_t members[] = {
	0,     1,     63,      64,	127,	 128,		16383,
	16384, 65535, 1000000, 1048575, 1048576, BITS_LIMIT - 1
};

TEST(check_members)
{
	struct bits b = { 0 };
	CHECK(!bits_has(&b, 0));
	CHECK_INT(bits_next(&b, 0), UINT32_MAX);
	for (size_t i = COUNT(members); i-- > 0;) {
		CHECK(!bits_has(&b, members[i]));
		CHECK_INT(bits_add(&b, members[i]), 0);
		CHECK_INT(bits_add(&b, members[i]), 0);
		CHECK(bits_has(&b, members[i]));
	}
	size_t n = 0;
	uint32_t i = bits_next(&b, 0);
	for (; i != UINT32_MAX && n < COUNT(members); i = bits_next(&b, i + 1))
		CHECK_INT(i, members[n++]);
	CHECK_INT(n, COUNT(members));
	CHECK_INT(i, UINT32_MAX);
	CHECK(!bits_has(&b, 2) && !bits_has(&b, 65536));
	CHECK_INT(bits_next(&b, 129), 16383);
	bits_remove(&b, 16383);
	bits_remove(&b, 2000000); /* its chunk is not allocated */
	CHECK(!bits_has(&b, 16383) && bits_has(&b, 16384));
	CHECK_INT(bits_next(&b, 129), 16384);
	bits_free(&b);
	CHECK(!bits_has(&b, 0));
	CHECK_INT(bits_next(&b, 0), UINT32_MAX);
	bits_free(&b);
}

struct adder {
	struct bits *bits;
	uint32_t first;
};

static void *add_some(void *data)
{
	const struct adder *a = data;
	unsigned failed = 0;
	for (uint32_t i = a->first; i < MEMBERS; i += THREADS - 1)
		failed += bits_add(a->bits, i) != 0;
	CHECK_INT(failed, 0);
	return NULL;
}

/* Threads that add to the same words, one of them what others add as well. */
TEST(check_threads)
{
	struct bits b = { 0 };
	struct adder adders[THREADS];
	pthread_t threads[THREADS];
	for (uint32_t i = 0; i < THREADS; i++) {
		adders[i] = (struct adder){ &b, i % (THREADS - 1) };
		test_need(pthread_create(&threads[i], NULL, add_some,
					 &adders[i]) == 0,
			  "pthread_create");
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	uint32_t n = 0;
	while (bits_has(&b, n))
		n++;
	CHECK_INT(n, MEMBERS);
	CHECK_INT(bits_next(&b, MEMBERS), UINT32_MAX);
	bits_free(&b);
}

RUN_TESTS("bits")
