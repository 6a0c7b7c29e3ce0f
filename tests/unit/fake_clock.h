/*
 * A clock for tests that depend on the time: all of libc's clocks show fake_now
 * ms, in this program and in the modules that it is linked with. It moves only
 * when the test moves it.
 */
#ifndef SESSFS_FAKE_CLOCK_H
#define SESSFS_FAKE_CLOCK_H

#include <stdint.h>
#include <time.h>

static int64_t fake_now = 1000001;

static inline struct timespec fake_time(int64_t ms)
{
	return (struct timespec){ .tv_sec = ms / 1000,
				  .tv_nsec = ms % 1000 * 1000000 };
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	*t = fake_time(fake_now);
	return 0;
}

#endif
