#include "fs/tree/ignore.h"

#include "core/session/dialect/tools.h"

/* Links lead to sessions that have a folder. */
static const char set_lines[] = "/by-project/\n"
				"/by-day/\n";

/* Links lead to by-id/, or to another session; tree/ has the same files. */
static const char session_lines[] = "/HEAD/\n"
				    "/parent-session\n"
				    "/forks/\n"
				    "/path/\n"
				    "/tree/\n"
				    "/by-label/\n"
				    "/by-file/\n"
				    "/files/\n"
				    "/branches/\n";

/* The folders in the entries that the links in by-file/ lead to. */
static void add_file_lines(struct buf *out)
{
	for (int act = FILE_TOUCH; act < FILE_ACTS; act++) {
		const char *name = file_act_name((enum file_act)act);
		buf_addf(out, "**/[0-9][0-9][0-9][0-9]*-%s/*/\n", name);
		buf_addf(out, "**/[0-9][0-9][0-9][0-9]*-%s-failed/*/\n", name);
	}
}

int ignore_render(const struct session *s, const struct node *n,
		  struct buf *out)
{
	(void)s;
	buf_adds(out, "# Each entry once: sessfs-errors(7), OTHER PROGRAMS.\n");
	if (n->nth == NODE_IGNORE_FILES)
		add_file_lines(out);
	else
		buf_adds(out, n->nth == NODE_IGNORE_VIEW ? "/*/*/\n" : "!*\n");
	if (n->nth == 0 && !n->place->is_folder)
		buf_adds(out, session_lines);
	if (n->place->set)
		buf_adds(out, set_lines);
	return buf_error(out);
}

int ignore_render_git(const struct session *s, struct buf *out)
{
	(void)s;
	buf_adds(out, "*\n");
	return buf_error(out);
}
