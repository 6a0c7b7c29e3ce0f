#include "core/dialects/omp/named_lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HIGH_SEED 0x4f4d502d4c4f434b
#define LOW_SEED 0x50492d46494c454c

socklen_t omp_named_lock_address(struct sockaddr_un *address, const char *path)
{
	size_t length = strlen(path);
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* Abstract: a NUL, and the name without one at its end. */
	int n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
			 "omp-file-lock-%016" PRIx64 "%016" PRIx64,
			 (uint64_t)XXH64(path, length, HIGH_SEED),
			 (uint64_t)XXH64(path, length, LOW_SEED));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)n);
}

int omp_named_lock_is_held(const char *path)
{
	struct sockaddr_un address;
	socklen_t n = omp_named_lock_address(&address, path);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int held = connect(fd, (struct sockaddr *)&address, n) == 0;
	close(fd);
	return held;
}
