#include "fs/tree/node_kinds.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/session/bookkeeping.h"
#include "core/session/dialect.h"
#include "core/session/file_name.h"
#include "core/session/writer.h"
#include "core/show/content.h"
#include "core/show/context.h"
#include "core/show/info.h"
#include "core/show/lines.h"
#include "core/show/meta.h"
#include "core/show/outline.h"
#include "core/show/page.h"
#include "core/show/words.h"
#include "fs/tree/agents.h"
#include "fs/tree/fork_links.h"
#include "fs/tree/ignore.h"
#include "fs/tree/node.h"

static void add_link(const struct session *s, struct buf *out,
		     const char *folder, uint32_t entry)
{
	buf_adds(out, folder);
	index_add_name(&s->now.index, out, entry);
}

static int render_head(const struct session *s, const struct node *n,
		       struct buf *out)
{
	if (n->nth == NODE_HEAD_TREE)
		buf_adds(out, "tree");
	else
		add_link(s, out, "by-id/", n->entry);
	return buf_error(out);
}

static int render_context(const struct session *s, const struct node *n,
			  struct buf *out)
{
	(void)n;
	return context_add(s, s->now.leaf, MESSAGE_FORM_TEXT, out);
}

static int render_context_json(const struct session *s, const struct node *n,
			       struct buf *out)
{
	(void)n;
	return context_add(s, s->now.leaf, MESSAGE_FORM_JSON, out);
}

static int render_outline(const struct session *s, const struct node *n,
			  struct buf *out)
{
	const struct places *p = n->place->places;
	return outline_add(s, p->color, p->columns, out);
}

static int render_page(const struct session *s, const struct node *n,
		       struct buf *out)
{
	(void)n;
	return page_add(s, out);
}

static int render_info(const struct session *s, const struct node *n,
		       struct buf *out)
{
	(void)n;
	return info_add(s, out);
}

/* From path/, by-label/ and branches/. */
static int render_far_link(const struct session *s, const struct node *n,
			   struct buf *out)
{
	add_link(s, out, "../by-id/", n->entry);
	return buf_error(out);
}

/* To the entry's parent, past bookkeeping. */
static int render_named_branch(const struct session *s, const struct node *n,
			       struct buf *out)
{
	uint32_t to = bookkeeping_shown_parent(&s->now.index, n->entry);
	if (to == INDEX_NONE)
		return -ENOENT;
	add_link(s, out, "../by-id/", to);
	return buf_error(out);
}

/* From one folder in by-id/ to another. */
static int render_near_link(const struct session *s, const struct node *n,
			    struct buf *out)
{
	uint32_t to = n->entry;
	if (n->kind == KIND_PARENT_LINK)
		to = session_entry(s, to)->parent;
	if (to == INDEX_NONE)
		return -ENOENT;
	add_link(s, out, "../", to);
	return buf_error(out);
}

static int render_content(const struct session *s, const struct node *n,
			  struct buf *out)
{
	return content_add(s, n->entry, out);
}

/* The name or a label: one line, or no bytes. */
static int add_one_line(struct buf *out, struct span line)
{
	size_t from = out->len;
	if (line.n > 0) {
		buf_add(out, line);
		text_finish(out, from);
		buf_addc(out, '\n');
	}
	return buf_error(out);
}

static int render_name(const struct session *s, const struct node *n,
		       struct buf *out)
{
	(void)n;
	return add_one_line(out, buf_span(&s->now.name));
}

/* Always empty: it is only written to. */
static int render_append(const struct session *s, const struct node *n,
			 struct buf *out)
{
	(void)s;
	(void)n;
	return buf_error(out);
}

static int render_label(const struct session *s, const struct node *n,
			struct buf *out)
{
	return add_one_line(out, session_label(s, n->entry));
}

static int render_meta(const struct session *s, const struct node *n,
		       struct buf *out)
{
	return meta_add(s, n->entry, out);
}

static int render_picture(const struct session *s, const struct node *n,
			  struct buf *out)
{
	return content_add_picture(s, n->entry, n->nth, out);
}

static int render_entry_context(const struct session *s, const struct node *n,
				struct buf *out)
{
	return context_add(s, n->entry, MESSAGE_FORM_TEXT, out);
}

static int render_entry_context_json(const struct session *s,
				     const struct node *n, struct buf *out)
{
	return context_add(s, n->entry, MESSAGE_FORM_JSON, out);
}

static int render_branch(const struct session *s, const struct node *n,
			 struct buf *out)
{
	return s->dialect->sending->branch(s, n->entry, out);
}

static int render_raw(const struct session *s, const struct node *n,
		      struct buf *out)
{
	struct json json;
	int err = session_read(s, n->entry, out, &json);
	buf_addc(out, '\n');
	return err ? err : buf_error(out);
}

static int render_words(const struct session *s, const struct node *n,
			struct buf *out)
{
	return words_add_line(s, n->entry, out);
}

/*
 * Where lines are never appended, the file shows as writable all the same:
 * write(2) gives a better errno than open(2), and the reason.
 */
static int shows_append_writable(const struct session *s)
{
	int err = session_writable(s);
	return err || s->dialect->writing->never_appended
		       ? err
		       : writer_can_add_entries(s);
}

static int shows_name_writable(const struct session *s)
{
	int err = session_writable(s);
	return err || s->dialect->writing->never_appended
		       ? err
		       : writer_can_set_name(s);
}

static int render_lines(const struct session *s, uint32_t entry,
			struct buf *out)
{
	return lines_add(s, entry, (struct span){ 0 }, out);
}

static const struct node_parts line_parts = { lines_find, lines_size,
					      render_lines };

const struct node_kind_row node_kinds[KIND_COUNT] = {
	[KIND_ROOT] = { .type = S_IFDIR,
			.changes_with = FRESH_SESSION | FRESH_NAMES,
			.writable = session_writable },
	[KIND_FOLDER] = { .type = S_IFDIR, .changes_with = FRESH_SCAN },
	/* fs/tree/sessions.h renders it. */
	[KIND_SESSIONS] = { .name = "sessions.txt",
			    .type = S_IFREG,
			    .changes_with = FRESH_BELOW },
	[KIND_GITIGNORE] = { .name = ".gitignore",
			     .type = S_IFREG,
			     .changes_with = FRESH_SESSION,
			     .from_index = true,
			     .render = ignore_render_git },
	[KIND_IGNORE] = { .name = ".ignore",
			  .type = S_IFREG,
			  .changes_with = FRESH_SESSION,
			  .from_index = true,
			  .render = ignore_render },
	[KIND_HEAD] = { .name = "HEAD",
			.type = S_IFLNK,
			.changes_with = FRESH_PRESENCE,
			.listed = true,
			.from_index = true,
			.render = render_head },
	[KIND_CONTEXT] = { .name = FILE_NAME_CONTEXT,
			   .type = S_IFREG,
			   .changes_with = FRESH_SESSION,
			   .listed = true,
			   .several_lines = true,
			   .render = render_context },
	[KIND_CONTEXT_JSON] = { .name = FILE_NAME_CONTEXT_JSON,
				.type = S_IFREG,
				.changes_with = FRESH_SESSION,
				.several_lines = true,
				.render = render_context_json },
	[KIND_OUTLINE] = { .name = "tree.txt",
			   .type = S_IFREG,
			   .changes_with = FRESH_SESSION,
			   .listed = true,
			   .several_lines = true,
			   .render = render_outline },
	[KIND_PAGE] = { .name = "tree.html",
			.type = S_IFREG,
			.changes_with = FRESH_SESSION,
			.copies_write_bits = true,
			.several_lines = true,
			.render = render_page },
	[KIND_LINES] = { .name = "lines.txt",
			 .type = S_IFREG,
			 .changes_with = FRESH_SESSION | FRESH_OUTSIDE_ALL,
			 .copies_write_bits = true,
			 .parts = &line_parts },
	[KIND_INFO] = { .name = "info",
			.type = S_IFREG,
			.changes_with =
				FRESH_SESSION | FRESH_PROCESS | FRESH_LOOKUPS,
			.listed = true,
			.render = render_info },
	[KIND_NAME] = { .name = "name",
			.type = S_IFREG,
			.changes_with = FRESH_SESSION,
			.listed = true,
			.writable = shows_name_writable,
			.from_index = true,
			.render = render_name },
	[KIND_APPEND] = { .name = "append",
			  .type = S_IFREG,
			  .changes_with = FRESH_SESSION,
			  .writable = shows_append_writable,
			  .write_only = true,
			  .from_index = true,
			  .render = render_append },
	[KIND_PARENT_SESSION] = { .name = "parent-session",
				  .type = S_IFLNK,
				  .changes_with = FRESH_PRESENCE,
				  .listed = true,
				  .from_index = true,
				  .render = fork_links_render },
	[KIND_FORKS] = { .name = "forks",
			 .type = S_IFDIR,
			 .changes_with = FRESH_SESSION | FRESH_SCAN,
			 .listed = true },
	[KIND_PATH] = { .name = "path",
			.type = S_IFDIR,
			.changes_with = FRESH_SESSION,
			.listed = true },
	[KIND_TREE] = { .name = "tree",
			.type = S_IFDIR,
			.changes_with = FRESH_VIEW,
			.listed = true },
	[KIND_BY_ID] = { .name = "by-id",
			 .type = S_IFDIR,
			 .changes_with = FRESH_VIEW,
			 .listed = true },
	[KIND_BY_LABEL] = { .name = "by-label",
			    .type = S_IFDIR,
			    .changes_with = FRESH_SESSION,
			    .listed = true },
	[KIND_BRANCHES] = { .name = "branches",
			    .type = S_IFDIR,
			    .changes_with = FRESH_SESSION,
			    .listed = true },
	[KIND_PATH_LINK] = { .type = S_IFLNK,
			     .changes_with = FRESH_PRESENCE,
			     .listed = true,
			     .per_entry = true,
			     .from_index = true,
			     .render = render_far_link },
	[KIND_LABEL_LINK] = { .type = S_IFLNK,
			      .changes_with = FRESH_PRESENCE,
			      .listed = true,
			      .per_entry = true,
			      .from_index = true,
			      .render = render_far_link },
	[KIND_BRANCH_LINK] = { .type = S_IFLNK,
			       .changes_with = FRESH_PRESENCE,
			       .listed = true,
			       .per_entry = true,
			       .from_index = true,
			       .render = render_far_link },
	[KIND_NAMED_BRANCH] = { .type = S_IFLNK,
				.changes_with = FRESH_PRESENCE,
				.listed = true,
				.per_entry = true,
				.from_index = true,
				.render = render_named_branch },
	[KIND_FORK_LINK] = { .type = S_IFLNK,
			     .changes_with = FRESH_PRESENCE,
			     .listed = true,
			     .from_index = true,
			     .render = fork_links_render },
	[KIND_STAGED] = { .type = S_IFLNK,
			  .changes_with = FRESH_PRESENCE,
			  .listed = true },
	[KIND_TREE_ENTRY] = { .type = S_IFDIR,
			      .changes_with = FRESH_CHILDREN,
			      .listed = true,
			      .per_entry = true },
	[KIND_ID_ENTRY] = { .type = S_IFDIR,
			    .changes_with = FRESH_CHILDREN | FRESH_AGENTS,
			    .listed = true,
			    .writable = session_writable,
			    .per_entry = true },
	[KIND_PARENT_LINK] = { .name = FILE_NAME_PARENT,
			       .type = S_IFLNK,
			       .listed = true,
			       .per_entry = true,
			       .from_index = true,
			       .render = render_near_link },
	[KIND_CHILD_LINK] = { .type = S_IFLNK,
			      .listed = true,
			      .per_entry = true,
			      .from_index = true,
			      .render = render_near_link },
	[KIND_AGENT_LINK] = { .type = S_IFLNK,
			      .changes_with = FRESH_PRESENCE,
			      .listed = true,
			      .per_entry = true,
			      .from_index = true,
			      .render = agents_render },
	[KIND_BESIDE_LINK] = { .type = S_IFLNK,
			       .changes_with = FRESH_PRESENCE,
			       .listed = true,
			       .per_entry = true,
			       .from_index = true,
			       .render = agents_render },
	[KIND_CONTENT] = { .name = FILE_NAME_CONTENT,
			   .type = S_IFREG,
			   .changes_with = FRESH_OUTSIDE,
			   .listed = true,
			   .per_entry = true,
			   .render = render_content },
	[KIND_LABEL] = { .name = FILE_NAME_LABEL,
			 .type = S_IFREG,
			 .changes_with = FRESH_LABEL,
			 .listed = true,
			 .writable = session_writable,
			 .per_entry = true,
			 .from_index = true,
			 .render = render_label },
	[KIND_META] = { .name = FILE_NAME_META,
			.type = S_IFREG,
			.changes_with = FRESH_MIGRATION,
			.listed = true,
			.per_entry = true,
			.render = render_meta },
	[KIND_PICTURE] = { .type = S_IFREG,
			   .listed = true,
			   .per_entry = true,
			   .several_lines = true,
			   .render = render_picture },
	[KIND_ENTRY_CONTEXT] = { .name = FILE_NAME_CONTEXT,
				 .type = S_IFREG,
				 .changes_with = FRESH_CONTEXT,
				 .per_entry = true,
				 .several_lines = true,
				 .render = render_entry_context },
	[KIND_ENTRY_CONTEXT_JSON] = { .name = FILE_NAME_CONTEXT_JSON,
				      .type = S_IFREG,
				      .changes_with = FRESH_CONTEXT,
				      .per_entry = true,
				      .several_lines = true,
				      .render = render_entry_context_json },
	[KIND_BRANCH] = { .name = FILE_NAME_BRANCH,
			  .type = S_IFREG,
			  .changes_with = FRESH_SESSION,
			  .copies_write_bits = true,
			  .per_entry = true,
			  .several_lines = true,
			  .render = render_branch },
	[KIND_RAW] = { .name = FILE_NAME_RAW,
		       .type = S_IFREG,
		       .changes_with = FRESH_MIGRATION,
		       .per_entry = true,
		       .render = render_raw },
	[KIND_WORDS] = { .name = FILE_NAME_WORDS,
			 .type = S_IFREG,
			 .per_entry = true,
			 .several_lines = true,
			 .render = render_words },
};

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
