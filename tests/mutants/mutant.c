#include "tests/mutants/mutant.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What tests/man.bats looks for is the environment of the program itself. */
#define MUTANT "MUTANT"
#define TEST "BATS_SUITE_TEST_NUMBER"

int mutant_on;

static char folder[PATH_MAX];
static const char *test;
static atomic_bool reached[MUTANT_MAX];

/* Libraries that tests preload count the calls of open(). */
static int open_file(const char *path)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

/* Read PROGRAM.mutant into folder[]. */
static void read_file(void)
{
	char path[PATH_MAX + 8];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	if (n <= 0)
		return;
	memcpy(path + n, ".mutant", sizeof(".mutant"));
	int fd = open_file(path);
	if (fd < 0)
		return;
	n = syscall(SYS_read, fd, folder, sizeof(folder) - 1);
	folder[n > 0 ? n : 0] = '\0';
	folder[strcspn(folder, "\n")] = '\0';
	syscall(SYS_close, fd);
}

__attribute__((constructor)) static void start(void)
{
	int err = errno;
	const char *given = getenv(MUTANT);
	if (given)
		snprintf(folder, sizeof(folder), "%s", given);
	else
		read_file();
	mutant_on = folder[0] == '/' ? MUTANT_RECORD : atoi(folder);
	test = getenv(TEST);
	errno = err;
}

void mutant_reached(int site)
{
	if (reached[site])
		return;
	int err = errno;
	char path[PATH_MAX + 32];
	snprintf(path, sizeof(path), "%s/%d-%.9s", folder, site,
		 test ? test : "0");
	/* A file would need a descriptor, and tests leave none. */
	if (syscall(SYS_mkdirat, AT_FDCWD, path, 0777) == 0 || errno == EEXIST)
		reached[site] = true;
	errno = err;
}
