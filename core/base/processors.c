#include "core/base/processors.h"

#include <sched.h>

size_t processors_count(void)
{
	cpu_set_t set;
	/* Fails only with more processors than the set has room for. */
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return PROCESSORS_MOST;
	size_t n = (size_t)CPU_COUNT(&set);
	return n < PROCESSORS_MOST ? n : PROCESSORS_MOST;
}
