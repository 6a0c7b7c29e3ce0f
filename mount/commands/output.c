#include "mount/commands/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mount/commands/status.h"

/* The most that Linux grants to every user. */
#define PIPE_BYTES (1 << 20)

void output_begin(void)
{
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
}

int output_fail(int err)
{
	if (err == -EPIPE)
		return STATUS_FAILED;
	return status_fail("standard output", strerror(-err));
}
