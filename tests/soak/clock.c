/*
 * Preloaded into sessfs by the soak: its clock of the day is wrong by as many
 * seconds as the file SOAK_CLOCK says, an int64_t that may change at any time.
 * So the clock can be stepped back without the machine's.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/preload.h"

static const volatile int64_t *wrong_by;

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("SOAK_CLOCK");
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *at = mmap(NULL, sizeof(*wrong_by), PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		abort();
	wrong_by = at;
	close(fd);
	unsetenv("LD_PRELOAD");
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	REAL(int, "clock_gettime", (clockid_t, struct timespec *))
	int status = real(id, now);
	if (status == 0 &&
	    (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		now->tv_sec += *wrong_by;
	return status;
}
