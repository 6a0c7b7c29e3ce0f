#include "fs/tree/node_kinds.h"

#include <errno.h>

#include "core/as/form.h"
#include "core/base/text.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/show/content.h"
#include "core/show/info.h"
#include "core/show/lines.h"
#include "core/show/meta.h"
#include "core/show/outline.h"
#include "core/show/page.h"
#include "core/show/words.h"
#include "fs/tree/agents.h"
#include "fs/tree/node.h"
#include "fs/tree/views.h"

/*
 * .ignore and .gitignore: what other programs leave out when they walk over a
 * mount. Neither is listed. Programs look them up by name.
 *
 *     .ignore          in a session's root, and in the root of a mount, for rg,
 *                      fd and editors, of which many follow links. Each entry
 *                      is found once, in by-id/. Without it they enter every
 *                      entry by way of every other one.
 *     by-id/.ignore    and in path/, by-label/ and branches/: each entry that
 *                      one of these names once, if a program starts there
 *     by-file/.ignore  what is in the entries: its links have names of a form
 *     .gitignore       in the root of a mount: `git add` in a project around
 *                      the mount point takes nothing of it
 *
 * rg reads both, and a .ignore outweighs every .gitignore. So it begins with
 * "!*", or rg would find nothing in a mount inside a repository. The last line
 * that matches counts.
 *
 * A pattern that ends with a slash matches folders, and links to them only if a
 * program follows these. No file of an entry matches any. The root's patterns
 * have one part: given a path, rg 13 looks for `by-id/ID` below `by-id` once
 * more, and would take that for `by-id/ID/CHILD`.
 */

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

static int render_ignore(const struct session *s, const struct node *n,
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

static int render_gitignore(const struct session *s, struct buf *out)
{
	(void)s;
	buf_adds(out, "*\n");
	return buf_error(out);
}

/* A symlink to the folder of an entry in by-id/. */
static int render_link(const struct session *s, const struct node *n,
		       struct buf *out)
{
	uint32_t to = n->entry;
	bool near = n->kind == KIND_PARENT_LINK || n->kind == KIND_CHILD_LINK;
	if (n->kind == KIND_HEAD && n->nth == NODE_HEAD_TREE) {
		buf_adds(out, "tree");
		return buf_error(out);
	}
	/* The named branch's entry may be bookkeeping. */
	if (n->kind == KIND_NAMED_BRANCH)
		to = bookkeeping_shown_parent(&s->now.index, to);
	else if (n->kind == KIND_PARENT_LINK)
		to = session_entry(s, to)->parent;
	if (to == INDEX_NONE)
		return -ENOENT;
	buf_adds(out, near			   ? "../"
		      : n->kind == KIND_HEAD	   ? "by-id/"
		      : n->kind == KIND_SHORT_LINK ? ""
						   : "../by-id/");
	index_add_name(&s->now.index, out, to);
	return buf_error(out);
}

static int render_context(const struct session *s, const struct node *n,
			  struct buf *out)
{
	bool json = n->kind == KIND_CONTEXT_JSON ||
		    n->kind == KIND_ENTRY_CONTEXT_JSON;
	return context_add(s, node_has_entry(n) ? n->entry : s->now.leaf,
			   json ? MESSAGE_FORM_JSON : MESSAGE_FORM_TEXT, out);
}

static int add_info(const struct session *s, struct buf *out)
{
	int err = info_add(s, out);
	return err ? err : as_add_over_window(s, out);
}

static int render_outline(const struct session *s, const struct node *n,
			  struct buf *out)
{
	const struct places *p = n->place->places;
	return outline_add(s, p->color, p->columns, out);
}

struct span node_line(const struct session *s, const struct node *n)
{
	return n->kind == KIND_NAME ? buf_span(&s->now.name)
				    : session_label(s, n->entry);
}

static int render_line(const struct session *s, const struct node *n,
		       struct buf *out)
{
	size_t from = out->len;
	struct span line = node_line(s, n);
	if (line.n > 0) {
		buf_add(out, line);
		text_finish(out, from);
		buf_addc(out, '\n');
	}
	return buf_error(out);
}

/* `append` is always empty: it is only written to. */
static int render_nothing(const struct session *s, struct buf *out)
{
	(void)s;
	return buf_error(out);
}

static int render_picture(const struct session *s, const struct node *n,
			  struct buf *out)
{
	return content_add_picture(s, n->entry, n->nth, out);
}

static int render_branch(const struct session *s, uint32_t entry,
			 struct buf *out)
{
	return s->dialect->sending->branch(s, entry, 1, out);
}

static int render_raw(const struct session *s, uint32_t entry, struct buf *out)
{
	struct json json;
	int err = session_read(s, entry, out, &json);
	buf_addc(out, '\n');
	return err ? err : buf_error(out);
}

/*
 * Where lines are never appended, the file shows as writable all the same:
 * write(2) gives a better errno than open(2), and the reason.
 */
static int shows_name_writable(const struct session *s)
{
	int err = session_writable(s);
	const struct dialect_writing *d = s->dialect->writing;
	return err || !d->add_entry || d->set_name ? err : -EOPNOTSUPP;
}

static int render_lines(const struct session *s, uint32_t entry,
			struct buf *out)
{
	return lines_add(s, entry, out);
}

static const struct node_parts line_parts = { lines_find, lines_size,
					      render_lines };

const struct node_kind_row node_kinds[KIND_COUNT] = {
	[KIND_ROOT] = { NULL, S_IFDIR, FRESH_SESSION | FRESH_NAMES,
			.writable = session_writable },
	[KIND_FOLDER] = { NULL, S_IFDIR, FRESH_SCAN },
	[KIND_BY_PROJECT] = { "by-project", S_IFDIR, FRESH_GROUPS },
	[KIND_BY_DAY] = { "by-day", S_IFDIR, FRESH_GROUPS },
	[KIND_GROUP] = { NULL, S_IFDIR, FRESH_GROUPS },
	/* fs/tree/groups.h renders it. */
	[KIND_SESSION_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE },
	/* fs/tree/sessions.h renders it. */
	[KIND_SESSIONS] = { "sessions.txt", S_IFREG, FRESH_BELOW,
			    NODE_UNLISTED },
	[KIND_GITIGNORE] = { ".gitignore", S_IFREG, FRESH_SESSION,
			     NODE_UNLISTED | NODE_FROM_INDEX,
			     .of_session = render_gitignore },
	[KIND_IGNORE] = { ".ignore", S_IFREG, FRESH_SESSION,
			  NODE_UNLISTED | NODE_FROM_INDEX,
			  .of_node = render_ignore },
	[KIND_HEAD] = { "HEAD", S_IFLNK, FRESH_PRESENCE },
	[KIND_CONTEXT] = { FILE_NAME_CONTEXT, S_IFREG, FRESH_SESSION,
			   NODE_SEVERAL_LINES, .of_node = render_context },
	[KIND_CONTEXT_JSON] = { FILE_NAME_CONTEXT_JSON, S_IFREG, FRESH_SESSION,
				NODE_UNLISTED | NODE_SEVERAL_LINES,
				.of_node = render_context },
	[KIND_OUTLINE] = { "tree.txt", S_IFREG, FRESH_SESSION,
			   NODE_SEVERAL_LINES, .of_node = render_outline },
	[KIND_PAGE] = { "tree.html", S_IFREG, FRESH_SESSION,
			NODE_UNLISTED | NODE_COPIES_WRITE_BITS |
				NODE_SEVERAL_LINES,
			.of_session = page_add },
	[KIND_LINES] = { "lines.txt", S_IFREG,
			 FRESH_SESSION | FRESH_OUTSIDE_ALL,
			 NODE_UNLISTED | NODE_COPIES_WRITE_BITS,
			 .parts = &line_parts },
	[KIND_INFO] = { "info", S_IFREG,
			FRESH_SESSION | FRESH_PROCESS | FRESH_LOOKUPS,
			.of_session = add_info },
	[KIND_NAME] = { "name", S_IFREG, FRESH_SESSION, NODE_FROM_INDEX,
			.writable = shows_name_writable,
			.of_node = render_line },
	[KIND_APPEND] = { "append", S_IFREG, FRESH_SESSION,
			  NODE_UNLISTED | NODE_WRITE_ONLY | NODE_FROM_INDEX,
			  .writable = session_writable,
			  .of_session = render_nothing },
	[KIND_PARENT_SESSION] = { "parent-session", S_IFLNK, FRESH_PRESENCE,
				  .of_node = base_link_render },
	[KIND_FORKS] = { "forks", S_IFDIR, FRESH_GROUPS },
	[KIND_AS] = { FILE_NAME_AS, S_IFDIR, FRESH_SESSION, NODE_UNLISTED },
	[KIND_PATH] = { "path", S_IFDIR, FRESH_SESSION },
	[KIND_TREE] = { "tree", S_IFDIR, FRESH_VIEW },
	[KIND_BY_ID] = { "by-id", S_IFDIR, FRESH_VIEW },
	[KIND_BY_LABEL] = { "by-label", S_IFDIR, FRESH_SESSION },
	[KIND_BY_FILE] = { "by-file", S_IFDIR, FRESH_SESSION },
	/* Copies of these are written to. */
	[KIND_FILES] = { FILE_NAME_FILES, S_IFDIR, FRESH_SESSION,
			 NODE_COPIES_WRITE_BITS },
	[KIND_FILES_TABLE] = { FILE_NAME_FILES_TABLE, S_IFREG, FRESH_SESSION,
			       NODE_UNLISTED | NODE_SEVERAL_LINES,
			       .of_node = files_render_table },
	[KIND_BRANCHES] = { "branches", S_IFDIR, FRESH_SESSION },
	[KIND_FILE_FOLDER] = { NULL, S_IFDIR, FRESH_SESSION },
	[KIND_AS_FILE] = { NULL, S_IFREG, FRESH_SESSION,
			   NODE_COPIES_WRITE_BITS | NODE_SEVERAL_LINES,
			   .of_node = forms_render },
	[KIND_STAGED] = { NULL, S_IFLNK, FRESH_PRESENCE },
	[KIND_PATH_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE },
	[KIND_LABEL_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE },
	[KIND_SHORT_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE, NODE_UNLISTED },
	[KIND_BRANCH_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE },
	[KIND_NAMED_BRANCH] = { NULL, S_IFLNK, FRESH_PRESENCE },
	[KIND_FILE_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE,
			     .of_node = file_links_render },
	[KIND_FILE_AT_HEAD] = { NULL, S_IFREG, FRESH_PRESENCE,
				NODE_COPIES_WRITE_BITS | NODE_SEVERAL_LINES,
				.of_node = files_render },
	[KIND_TREE_ENTRY] = { NULL, S_IFDIR, FRESH_CHILDREN },
	[KIND_ID_ENTRY] = { NULL, S_IFDIR, FRESH_CHILDREN | FRESH_AGENTS,
			    .writable = session_writable },
	[KIND_PARENT_LINK] = { FILE_NAME_PARENT, S_IFLNK, 0 },
	[KIND_CHILD_LINK] = { NULL, S_IFLNK, 0 },
	[KIND_AGENT_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE,
			      .of_node = agents_render },
	[KIND_BESIDE_LINK] = { NULL, S_IFLNK, FRESH_PRESENCE,
			       .of_node = agents_render },
	[KIND_CONTENT] = { FILE_NAME_CONTENT, S_IFREG, FRESH_OUTSIDE,
			   .of_entry = content_add },
	[KIND_LABEL] = { FILE_NAME_LABEL, S_IFREG, FRESH_LABEL, NODE_FROM_INDEX,
			 .writable = session_writable, .of_node = render_line },
	[KIND_META] = { FILE_NAME_META, S_IFREG, FRESH_MIGRATION,
			.of_entry = meta_add },
	[KIND_PICTURE] = { NULL, S_IFREG, 0, NODE_SEVERAL_LINES,
			   .of_node = render_picture },
	[KIND_ENTRY_CONTEXT] = { FILE_NAME_CONTEXT, S_IFREG, FRESH_CONTEXT,
				 NODE_UNLISTED | NODE_SEVERAL_LINES,
				 .of_node = render_context },
	[KIND_ENTRY_CONTEXT_JSON] = { FILE_NAME_CONTEXT_JSON, S_IFREG,
				      FRESH_CONTEXT,
				      NODE_UNLISTED | NODE_SEVERAL_LINES,
				      .of_node = render_context },
	[KIND_BRANCH] = { FILE_NAME_BRANCH, S_IFREG, FRESH_SESSION,
			  NODE_UNLISTED | NODE_COPIES_WRITE_BITS |
				  NODE_SEVERAL_LINES,
			  .of_entry = render_branch },
	[KIND_RAW] = { FILE_NAME_RAW, S_IFREG, FRESH_MIGRATION, NODE_UNLISTED,
		       .of_entry = render_raw },
	[KIND_WORDS] = { FILE_NAME_WORDS, S_IFREG, 0,
			 NODE_UNLISTED | NODE_SEVERAL_LINES,
			 .of_entry = words_add_line },
	[KIND_ENTRY_AS] = { FILE_NAME_AS, S_IFDIR, FRESH_SESSION,
			    NODE_UNLISTED },
	/* The session's title is in those for agents. */
	[KIND_ENTRY_AS_FILE] = { NULL, S_IFREG, FRESH_SESSION,
				 NODE_COPIES_WRITE_BITS | NODE_SEVERAL_LINES,
				 .of_node = forms_render },
	[KIND_ENTRY_FILES] = { FILE_NAME_FILES, S_IFDIR, FRESH_PRESENCE,
			       NODE_UNLISTED | NODE_COPIES_WRITE_BITS },
	[KIND_TREE_FILES] = { NULL, S_IFDIR, FRESH_PRESENCE,
			      NODE_UNLISTED | NODE_COPIES_WRITE_BITS },
	[KIND_ENTRY_FILES_TABLE] = { FILE_NAME_FILES_TABLE, S_IFREG, 0,
				     NODE_UNLISTED | NODE_SEVERAL_LINES,
				     .of_node = files_render_table },
	[KIND_FILE_AT] = { NULL, S_IFREG, FRESH_PRESENCE,
			   NODE_COPIES_WRITE_BITS | NODE_SEVERAL_LINES,
			   .of_node = files_render },
};

int node_render(const struct node *n, struct buf *out)
{
	const struct session *s = n->place->session;
	const struct node_kind_row *k = &node_kinds[n->kind];
	if (k->of_node)
		return k->of_node(s, n, out);
	if (k->type == S_IFLNK)
		return render_link(s, n, out);
	return k->of_entry ? k->of_entry(s, n->entry, out)
			   : k->of_session(s, out);
}

enum node_kind node_kind_named(enum node_kind first, enum node_kind last,
			       struct span name)
{
	for (enum node_kind k = first; k <= last; k++) {
		if (node_kinds[k].name &&
		    span_eq(name, span_of(node_kinds[k].name)))
			return k;
	}
	return KIND_NONE;
}
