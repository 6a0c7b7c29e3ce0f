#include "core/file/folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int folders_make(struct span path, mode_t mode)
{
	char *copy = strndup(path.p ? path.p : "", path.n);
	int err = copy ? 0 : -ENOMEM;
	for (size_t i = 1; i <= path.n && !err; i++) {
		char end = copy[i];
		if (end != '/' && end != '\0')
			continue;
		copy[i] = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			err = -errno;
		copy[i] = end;
	}
	free(copy);
	return err;
}
