#include "mount/mountpoint.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 &&
	       (path[n] == '/' || path[n] == '\0' || folder[n - 1] == '/');
}

/* The mount point as it was given, made absolute; NULL without memory. */
static char *spelled_out(const char *name)
{
	char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
	char *path = NULL;
	if (asprintf(&path, "%s%s%s", cwd ? cwd : "", cwd ? "/" : "", name) < 0)
		path = NULL;
	free(cwd);
	return path;
}

/* Reasons that fusermount3 words badly, or only the kernel would find. */
const char *mountpoint_init(struct mountpoint *m, const char *name,
			    const char *source)
{
	struct stat st;
	m->spelled = spelled_out(name);
	m->path = realpath(name, NULL);
	if (!m->path || stat(m->path, &st) < 0)
		return strerror(errno);
	if (!m->spelled)
		return "out of memory";
	if (!S_ISDIR(st.st_mode))
		return "not a directory";
	if (is_below(source, m->path))
		return "the mount would hide the session";
	if (is_below(m->path, source))
		return "is inside of what is to be shown";
	if (access(m->path, W_OK) < 0)
		return "you need write access to mount here";
	return NULL;
}

void mountpoint_free(struct mountpoint *m)
{
	free(m->path);
	free(m->spelled);
	*m = (struct mountpoint){ 0 };
}
