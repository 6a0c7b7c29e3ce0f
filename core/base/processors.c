#include "core/base/processors.h"

#include <sched.h>

size_t processors_count(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	size_t n = (size_t)CPU_COUNT(&set);
	return n < PROCESSORS_MOST ? n : PROCESSORS_MOST;
}
