#include "fs/tree/ignore.h"

#include <errno.h>

/* nth of a .ignore: where it is. */
enum { IN_ROOT, IN_VIEW };

/* Links lead to by-id/, or to another session; tree/ has the same files. */
static const char session_lines[] = "/HEAD/\n"
				    "/parent-session\n"
				    "/forks/\n"
				    "/path/\n"
				    "/tree/\n"
				    "/by-label/\n"
				    "/branches/\n";

int ignore_find(const struct node *dir, struct node *n)
{
	const struct place *at = dir->place;
	bool is_view = dir->kind != KIND_ROOT && dir->kind != KIND_FOLDER;
	if (n->kind == KIND_IGNORE)
		n->nth = is_view ? IN_VIEW : IN_ROOT;
	bool lacks = at->parent && (n->kind == KIND_GITIGNORE ||
				    (n->kind == KIND_IGNORE && at->is_folder));
	return lacks ? -ENOENT : 0;
}

int ignore_render(const struct session *s, const struct node *n,
		  struct buf *out)
{
	(void)s;
	buf_adds(out, "# Each entry once: sessfs(1), Other programs.\n");
	if (n->nth == IN_VIEW)
		buf_adds(out, "/*/*/\n");
	else
		buf_adds(out, "!*\n");
	if (n->nth == IN_ROOT && !n->place->is_folder)
		buf_adds(out, session_lines);
	return buf_error(out);
}

int ignore_render_git(const struct session *s, struct buf *out)
{
	(void)s;
	buf_adds(out, "*\n");
	return buf_error(out);
}
