#include "fs/kernel/burst.h"

#include "tests/unit/test.h"

/* Count so many replies at the same time; the answer to the last one. */
static bool count(struct burst *b, int n, int64_t now)
{
	bool in_burst = false;
	while (n-- > 0)
		in_burst = burst_count(b, now);
	return in_burst;
}

TEST(check_begin)
{
	struct burst b = { 0 };
	CHECK(!count(&b, BURST_REPLIES - 1, 100));
	CHECK(!burst_is_cached(&b, 100));
	CHECK(count(&b, 1, 100));
	CHECK(count(&b, 1, 100));

	/* Spread over the whole span, and over a little more. */
	b = (struct burst){ 0 };
	CHECK(!count(&b, BURST_REPLIES - 1, 100));
	CHECK(count(&b, 1, 100 + BURST_SPAN));
	b = (struct burst){ 0 };
	CHECK(!count(&b, BURST_REPLIES - 1, 100));
	CHECK(!count(&b, 1, 100 + BURST_SPAN + 1));
	CHECK(!count(&b, BURST_REPLIES - 2, 100 + BURST_SPAN + 1));
	CHECK(count(&b, 1, 100 + BURST_SPAN + 1));
}

/* One that looks every millisecond never looks often enough. */
TEST(check_slow)
{
	struct burst b = { 0 };
	for (int64_t now = 1; now < 1000; now++)
		CHECK(!burst_count(&b, now));
}

TEST(check_lasting)
{
	struct burst b = { 0 };
	int64_t now = 100;
	CHECK(count(&b, BURST_REPLIES, now));
	for (int i = 0; i < 100; i++)
		CHECK(burst_count(&b, now += BURST_GAP));
	CHECK(!burst_count(&b, now += BURST_GAP + 1));
	CHECK(!count(&b, BURST_REPLIES - 2, now));
	CHECK(burst_count(&b, now));
	/* A thread that read the clock before another. */
	CHECK(burst_count(&b, now - 1));
	CHECK(burst_count(&b, now));
}

TEST(check_end)
{
	struct burst b = { 0 };
	CHECK(count(&b, BURST_REPLIES, 100));
	CHECK(burst_is_cached(&b, 100 + BURST_GAP));
	CHECK(!burst_is_cached(&b, 100 + BURST_GAP + 1));
	burst_end(&b, 100);
	/* What was cached before has yet to be invalidated. */
	CHECK(burst_is_cached(&b, 100));
	CHECK(!count(&b, 3 * BURST_REPLIES, 100));
	CHECK(!count(&b, 3 * BURST_REPLIES, 100 + BURST_QUIET));
	CHECK(!count(&b, BURST_REPLIES - 1, 101 + BURST_QUIET));
	CHECK(count(&b, 1, 101 + BURST_QUIET));
	/* A change before the first reply. */
	b = (struct burst){ 0 };
	burst_end(&b, 100);
	CHECK(!count(&b, BURST_REPLIES, 100 + BURST_QUIET));
	CHECK(count(&b, BURST_REPLIES, 101 + BURST_QUIET));
}

RUN_TESTS("burst")
