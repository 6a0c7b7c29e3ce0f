#include "core/base/pathname.h"

#include <string.h>

#include "core/base/buf.h"

char *pathname_join(const char *folder, const char *name)
{
	struct buf path = { 0 };
	size_t n = strlen(folder);
	bool slash = n > 0 && folder[n - 1] == '/';
	buf_addf(&path, "%s%s%s", folder, slash ? "" : "/", name);
	if (!buf_cstr(&path))
		buf_free(&path);
	return path.data;
}

bool pathname_is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 &&
	       (path[n] == '/' || path[n] == '\0' || folder[n - 1] == '/');
}
