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

void pathname_begin_home(struct buf *out, struct span *path, const char *home)
{
	size_t n = home ? strlen(home) : 0;
	if (n <= 1 || path->n < n || memcmp(path->p, home, n) != 0 ||
	    (path->n > n && path->p[n] != '/'))
		return;
	buf_addc(out, '~');
	path->p += n;
	path->n -= n;
}
