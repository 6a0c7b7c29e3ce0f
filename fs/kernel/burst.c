#include "fs/kernel/burst.h"

#define COUNT_BITS 8

_Static_assert(BURST_REPLIES < 1 << COUNT_BITS, "the count fits");

static uint64_t pack(int64_t time, uint64_t n)
{
	return (uint64_t)time << COUNT_BITS | n;
}

/* The counter after one more reply. */
static uint64_t next(uint64_t replies, int64_t now)
{
	int64_t time = (int64_t)(replies >> COUNT_BITS);
	uint64_t n = replies & ((1u << COUNT_BITS) - 1);
	bool lasts = n == BURST_REPLIES;
	if (n == 0 || now - time > (lasts ? BURST_GAP : BURST_SPAN))
		return pack(now, 1);
	if (lasts || n + 1 == BURST_REPLIES)
		return pack(now, BURST_REPLIES);
	return pack(time, n + 1);
}

bool burst_count(struct burst *b, int64_t now)
{
	uint64_t old = __atomic_load_n(&b->replies, __ATOMIC_RELAXED);
	uint64_t new;
	int64_t changed = __atomic_load_n(&b->changed, __ATOMIC_RELAXED);
	if (changed != 0 && now - changed <= BURST_QUIET)
		return false;
	do
		new = next(old, now);
	while (!__atomic_compare_exchange_n(&b->replies, &old, new, false,
					    __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	if (new != pack(now, BURST_REPLIES))
		return false;
	__atomic_store_n(&b->trusted, now, __ATOMIC_RELAXED);
	return true;
}

bool burst_is_cached(const struct burst *b, int64_t now)
{
	int64_t trusted = __atomic_load_n(&b->trusted, __ATOMIC_RELAXED);
	return trusted != 0 && now - trusted <= BURST_GAP;
}

void burst_end(struct burst *b, int64_t now)
{
	__atomic_store_n(&b->changed, now, __ATOMIC_RELAXED);
	__atomic_store_n(&b->replies, 0, __ATOMIC_RELAXED);
}
