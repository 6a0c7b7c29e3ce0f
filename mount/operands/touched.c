#include "mount/operands/touched.h"

#include <errno.h>

#include <stdlib.h>

#include "core/show/touch_path.h"

struct touched_path touched_begin(const char *path)
{
	return (struct touched_path){ path, path ? realpath(".", NULL) : NULL };
}

void touched_end(struct touched_path *p)
{
	free(p->here);
	p->here = NULL;
}

/* Is a file the one at a path, or below it? Both are in one spelling. */
static bool is_at(struct span file, struct span path)
{
	if (path.n == 0)
		return touch_path_split(&file) == TOUCH_BELOW;
	bool root = span_eq(path, SPAN("/"));
	return span_starts(file, path) &&
	       (file.n == path.n || root || file.p[path.n] == '/');
}

/* As seen from a directory. */
static int is_seen_from(const struct touched_path *p, const struct session *s,
			const char *dir, struct span file)
{
	struct buf path BUF_SCOPED = { 0 };
	int got = touches_spell(s, span_of(dir), span_of(p->path), &path);
	if (got > 0)
		got = is_at(file, buf_span(&path));
	return got;
}

static bool is_dotted(const char *path)
{
	size_t n = strspn(path, ".");
	return (n == 1 || n == 2) && (!path[n] || path[n] == '/');
}

/* Is a directory in the project of a session? 1, 0 or -errno. */
static int is_in_project(const struct session *s, const char *dir)
{
	struct buf path BUF_SCOPED = { 0 };
	int got = touches_spell(s, span_of(dir), SPAN("."), &path);
	struct span at = buf_span(&path);
	if (got > 0)
		got = touch_path_split(&at) == TOUCH_BELOW;
	return got;
}

int touched_has(const struct touched_path *p, const struct session *s,
		uint32_t folder)
{
	struct buf file BUF_SCOPED = { 0 };
	if (!p->path)
		return 1;
	/* Is it only what it is from the user's directory? */
	bool dotted = p->here && is_dotted(p->path);
	int alone = dotted ? is_in_project(s, p->here) : 0;
	int err = alone < 0 ? alone : touches_add_path(s, folder, &file);
	int got = err ? err : 0;
	if (!err && !alone)
		got = is_seen_from(p, s, "", buf_span(&file));
	if (got == 0 && p->here)
		got = is_seen_from(p, s, p->here, buf_span(&file));
	return got;
}

int touched_by(const struct touched_path *p, const struct session *s,
	       uint32_t entry)
{
	struct touch t;
	int got = 0;
	int err = 0;
	for (uint32_t nth = 0; got == 0 && err == 0; nth++) {
		err = touches_of_entry(s, entry, nth, &t);
		if (!err)
			got = touched_has(p, s, t.folder);
	}
	return err && err != -ENOENT ? err : got;
}
