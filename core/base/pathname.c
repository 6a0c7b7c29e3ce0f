#include "core/base/pathname.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

#define WHOLE_LIMIT 200
#define WHOLE_END 150

char *pathname_join(const char *folder, const char *name)
{
	size_t n = strlen(folder);
	size_t more = strlen(name);
	bool slash = n > 0 && folder[n - 1] == '/';
	char *path = malloc(n + !slash + more + 1);
	if (!path)
		return NULL;
	memcpy(path, folder, n);
	path[n] = '/';
	memcpy(path + n + !slash, name, more + 1);
	return path;
}

struct span pathname_trim(struct span path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path;
}

bool pathname_is_in(struct span path, struct span folder)
{
	return span_starts(path, folder) &&
	       (path.n == folder.n || span_ends(folder, SPAN("/")) ||
		path.p[folder.n] == '/');
}

bool pathname_is_below(const char *path, const char *folder)
{
	return pathname_is_in(span_of(path), span_of(folder));
}

void pathname_add_whole(struct buf *out, struct span path)
{
	struct buf name BUF_SCOPED = BUF_INTO(out);
	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];
		if (c == '/')
			buf_addc(&name, '+');
		else if (c == '=' || c == '+')
			buf_adds(&name, c == '=' ? "=e" : "=p");
		else
			buf_addc(&name, c);
	}
	struct span end = buf_span(&name);
	if (end.n > WHOLE_LIMIT) {
		buf_addf(out,
			 "+%016llx=", (unsigned long long)hash_line(path, 0));
		end.p += end.n - WHOLE_END;
		end.n = WHOLE_END;
		/* Not in the middle of a character. */
		while (end.n > 0 && ((unsigned char)*end.p & 0xC0) == 0x80)
			end = span_from(end, 1);
	}
	buf_add(out, end);
}

void pathname_begin_home(struct buf *out, struct span *path, const char *home)
{
	size_t n = home ? strlen(home) : 0;
	if (n <= 1 || path->n < n || memcmp(path->p, home, n) != 0 ||
	    (path->n > n && path->p[n] != '/'))
		return;
	buf_addc(out, '~');
	*path = span_from(*path, n);
}

void pathname_add_xdg(struct buf *out, const char *variable, const char *usual,
		      const char *path)
{
	const char *base = getenv(variable);
	const char *home = getenv("HOME");
	/* By the specification a relative path counts for nothing. */
	if (base && *base == '/')
		buf_addf(out, "%s%s", base, path);
	else if (home && *home == '/')
		buf_addf(out, "%s/%s%s", home, usual, path);
}

struct span pathname_from(struct span path, struct span folder)
{
	while (folder.n > 0 && folder.p[folder.n - 1] == '/')
		folder.n--;
	size_t n = folder.n + 1;
	if (folder.n > 0 && path.n > n && pathname_is_in(path, folder))
		return span_from(path, n);
	return path;
}

/* Take off the last part of the path that begins at `from`, unless it is "..".
 */
static bool drop_part(struct buf *out, size_t from)
{
	size_t at = out->len;
	while (at > from && out->data[at - 1] != '/')
		at--;
	struct span last = { out->data + at, out->len - at };
	if (out->len == from || span_eq(last, SPAN("..")))
		return false;
	out->len = at > from ? at - 1 : from;
	return true;
}

static void add_parts(struct buf *out, size_t from, bool is_full,
		      struct span path)
{
	while (path.n > 0 && !out->failed) {
		struct span part = span_next(&path, '/');
		bool up = span_eq(part, SPAN(".."));
		if (part.n == 0 || span_eq(part, SPAN(".")) ||
		    (up && (drop_part(out, from) || is_full)))
			continue;
		if (out->len > from)
			buf_addc(out, '/');
		buf_add(out, part);
	}
}

void pathname_add_normal(struct buf *out, struct span dir, struct span path)
{
	bool own = path.n > 0 && path.p[0] == '/';
	bool is_full = own || (dir.n > 0 && dir.p[0] == '/');
	if (is_full)
		buf_addc(out, '/');
	size_t from = out->len;
	if (!own)
		add_parts(out, from, is_full, dir);
	add_parts(out, from, is_full, path);
}

void pathname_add_way(struct buf *out, struct span folder, struct span path)
{
	size_t same = 0; /* bytes of the folders that both are in */
	for (size_t i = 0; i < folder.n && i < path.n; i++) {
		if (folder.p[i] != path.p[i])
			break;
		if (folder.p[i] == '/')
			same = i + 1;
	}
	if (folder.n > 0)
		buf_adds(out, "../");
	for (size_t i = same; i < folder.n; i++) {
		if (folder.p[i] == '/')
			buf_adds(out, "../");
	}
	buf_add(out, span_from(path, same));
}
