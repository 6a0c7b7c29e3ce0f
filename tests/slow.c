/*
 * Preloaded by tests, where something has to take its time, or to fail:
 *
 *   SLOW_MS=N       every pread() of 128 KiB or more takes so much longer
 *   HOLD_AT=NAME    mkdirat() of that name makes the file $HOLD/reached, and
 *   HOLD=FOLDER     waits until there is $HOLD/go, a minute at most
 *   HOLD_SYNC=1     fdatasync() does the same before it begins
 *   FAIL_SYNC=FILE  fdatasync() fails once if there is this file, which goes
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, NULL);
}

static ssize_t slow_pread(int fd, void *to, size_t n, off_t offset)
{
	const char *ms = getenv("SLOW_MS");
	if (ms && n >= 128 << 10)
		sleep_ms(atol(ms));
	return syscall(SYS_pread64, fd, to, n, offset);
}

ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
	return slow_pread(fd, to, n, offset);
}

ssize_t pread64(int fd, void *to, size_t n, off_t offset)
{
	return slow_pread(fd, to, n, offset);
}

static void hold(void)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/reached", getenv("HOLD"));
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	snprintf(path, sizeof(path), "%s/go", getenv("HOLD"));
	for (int i = 0; access(path, F_OK) < 0 && i < 6000; i++)
		sleep_ms(10);
}

int mkdirat(int folder, const char *name, mode_t mode)
{
	const char *at = getenv("HOLD_AT");
	if (at && strcmp(at, name) == 0)
		hold();
	return (int)syscall(SYS_mkdirat, folder, name, mode);
}

int fdatasync(int fd)
{
	const char *fail = getenv("FAIL_SYNC");
	if (getenv("HOLD_SYNC"))
		hold();
	if (fail && unlink(fail) == 0) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_fdatasync, fd);
}
