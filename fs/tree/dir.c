#include "fs/tree/dir.h"

#include <ctype.h>
#include <errno.h>

#include "core/places/forks.h"
#include "core/session/bookkeeping.h"
#include "core/show/content.h"
#include "fs/tree/agents.h"
#include "fs/tree/fork_links.h"
#include "fs/tree/ignore.h"
#include "fs/tree/path_links.h"
#include "fs/tree/render.h"

enum section {
	SECTION_FIXED, /* "." and "..", then kinds */
	SECTION_PICTURES,
	SECTION_ENTRIES,
	SECTION_NAMED,
	SECTION_AGENTS,
	SECTION_OVERLAID,
	SECTION_END
};

/* A folder's fixed names are a range of kinds. */
struct range {
	enum node_kind first;
	enum node_kind last;
};

static struct range fixed_kinds(const struct node *dir)
{
	switch (dir->kind) {
	case KIND_ROOT:
		return (struct range){ KIND_GITIGNORE, KIND_BRANCHES };
	case KIND_TREE_ENTRY:
		return (struct range){ KIND_CONTENT, KIND_COUNT - 1 };
	case KIND_ID_ENTRY:
		return (struct range){ KIND_PARENT_LINK, KIND_COUNT - 1 };
	case KIND_BY_ID:
	case KIND_PATH:
	case KIND_BY_LABEL:
	case KIND_BRANCHES:
		return (struct range){ KIND_IGNORE, KIND_IGNORE };
	default:
		return (struct range){ KIND_NONE, KIND_NONE };
	}
}

static struct node place_node(struct place *at)
{
	return (struct node){ .kind = at->is_folder ? KIND_FOLDER : KIND_ROOT,
			      .place = at };
}

/* The kind of a folder's entries; KIND_NONE if it has none. */
static enum node_kind entry_kind(const struct node *dir)
{
	switch (dir->kind) {
	case KIND_TREE:
	case KIND_TREE_ENTRY:
		return KIND_TREE_ENTRY;
	case KIND_BY_ID:
		return KIND_ID_ENTRY;
	case KIND_ID_ENTRY:
		return KIND_CHILD_LINK;
	case KIND_BY_LABEL:
		return KIND_LABEL_LINK;
	case KIND_BRANCHES:
		return KIND_BRANCH_LINK;
	default:
		return KIND_NONE;
	}
}

static struct session *session_of(const struct node *n)
{
	return n->place->session;
}

static bool has_parent(const struct node *n)
{
	return session_entry(session_of(n), n->entry)->parent != INDEX_NONE;
}

/* Does the folder show the entry? */
static bool shows(const struct session *s, const struct node *dir, uint32_t i)
{
	const struct entry *e = session_entry(s, i);
	switch (dir->kind) {
	case KIND_TREE:
		return e->parent == INDEX_NONE;
	case KIND_TREE_ENTRY:
	case KIND_ID_ENTRY:
		return e->parent == dir->entry;
	case KIND_BRANCHES:
		return bookkeeping_is_tip(&s->now.index, i);
	default:
		return true;
	}
}

static uint32_t find_entry(const struct session *s, const struct node *dir,
			   struct span name)
{
	if (dir->kind == KIND_BY_LABEL) {
		const struct label *label =
			labels_find_name(&s->now.labels, name);
		return label ? label->entry : INDEX_NONE;
	}
	if (entry_kind(dir) == KIND_NONE)
		return INDEX_NONE;
	uint32_t i = index_find_name(&s->now.index, name);
	return i != INDEX_NONE && shows(s, dir, i) ? i : INDEX_NONE;
}

/* A named head whose entry is missing is not shown. */
static bool names_entry(const struct session *s, const struct named_head *head)
{
	return bookkeeping_shown_parent(&s->now.index, head->entry) !=
	       INDEX_NONE;
}

static bool find_named(const struct session *s, struct span name,
		       struct node *n)
{
	const struct named_head *head = heads_find(&s->now.heads, name);
	if (!head || !names_entry(s, head))
		return false;
	n->kind = KIND_NAMED_BRANCH;
	n->entry = head->entry;
	return true;
}

/* "12.png" is picture 12, if that has this very name. */
static int find_picture(const struct node *dir, struct span name,
			struct node *n)
{
	unsigned nth = 0;
	for (size_t i = 0; i < name.n && isdigit((unsigned char)name.p[i]) &&
			   nth <= PICTURE_LIMIT;
	     i++)
		nth = nth * 10 + (unsigned)(name.p[i] - '0');
	if (nth == 0 || nth > PICTURE_LIMIT || !memchr(name.p, '.', name.n))
		return -ENOENT;
	struct buf real = { 0 };
	int err = content_picture_name(session_of(dir), dir->entry, nth, &real);
	if (!err && !span_eq(name, buf_span(&real)))
		err = -ENOENT;
	buf_free(&real);
	*n = (struct node){ KIND_PICTURE, dir->entry, nth, dir->place };
	return err;
}

static int find_on_path(const struct node *dir, struct span name,
			struct node *n)
{
	n->kind = KIND_PATH_LINK;
	return path_links_find(session_of(dir), name, &n->entry);
}

/* In a folder of sessions. */
static int find_place(const struct node *dir, struct span name, struct node *n)
{
	struct place *found;
	int err = place_find(dir->place, name, &found);
	if (!err)
		*n = place_node(found);
	if (err != -ENOENT)
		return err;
	/* Unless a session or a folder has that name. */
	n->kind = node_kind_named(KIND_SESSIONS, KIND_IGNORE, name);
	*n = (struct node){ .kind = n->kind, .place = dir->place };
	return n->kind == KIND_NONE ? -ENOENT : ignore_find(dir, n);
}

/*
 * Set the node of a kind that only some folders have, or whose node is not the
 * same each time. -ENOENT if the folder has none.
 */
static int find_fixed(const struct tree *t, const struct node *dir,
		      struct node *n)
{
	if ((n->kind == KIND_PARENT_LINK && !has_parent(n)) ||
	    (n->kind == KIND_FORKS && !fork_links_has_folder(dir)))
		return -ENOENT;
	int err = ignore_find(dir, n);
	if (n->kind == KIND_PARENT_SESSION)
		err = fork_links_find_parent(dir, n);
	if (n->kind == KIND_HEAD)
		*n = node_head(dir->place);
	return !err && tree_hides(t, n) ? -ENOENT : err;
}

int dir_lookup(struct tree *t, const struct node *dir, struct span name,
	       struct node *n)
{
	if (dir->kind == KIND_FOLDER)
		return find_place(dir, name, n);
	if (node_kinds[dir->kind].type != S_IFDIR)
		return -ENOTDIR;
	const struct session *s = session_of(dir);
	struct range fixed = fixed_kinds(dir);
	*n = (struct node){ .entry = dir->entry, .place = dir->place };
	n->kind = node_kind_named(fixed.first, fixed.last, name);
	if (n->kind != KIND_NONE)
		return find_fixed(t, dir, n);

	uint32_t entry = find_entry(s, dir, name);
	if (entry != INDEX_NONE) {
		n->kind = entry_kind(dir);
		n->entry = entry;
		return tree_hides(t, n) ? -ENOENT : 0;
	}
	if (dir->kind == KIND_FORKS)
		return fork_links_find(dir, name, n);
	if (dir->kind == KIND_PATH)
		return find_on_path(dir, name, n);
	if (dir->kind == KIND_BRANCHES && find_named(s, name, n))
		return 0;
	const struct overlay *o = &t->overlay;
	if (o->find_link && o->find_link(o->data, dir, name, n))
		return 0;
	if (dir->kind == KIND_ROOT)
		return agents_find_folder(dir, name, n);
	if (agents_find(dir, name, n) == 0)
		return 0;
	return node_is_entry_folder(dir) ? find_picture(dir, name, n) : -ENOENT;
}

void dir_put(const struct node *dir, const struct node *n)
{
	if (n->place != dir->place)
		place_put(n->place);
}

/* The folder that ".." names; SOURCE itself has no other. */
static struct node folder_above(const struct node *dir)
{
	struct node n = { .kind = KIND_ROOT, .place = dir->place };
	if (dir->kind == KIND_ID_ENTRY) {
		n.kind = KIND_BY_ID;
	} else if (dir->kind == KIND_TREE_ENTRY) {
		n.kind = KIND_TREE_ENTRY;
		n.entry = session_entry(session_of(dir), dir->entry)->parent;
		if (n.entry == INDEX_NONE) {
			n.kind = KIND_TREE;
			n.entry = 0;
		}
	} else if (dir->kind == KIND_ROOT || dir->kind == KIND_FOLDER) {
		struct place *folder = place_parent(dir->place);
		n = folder ? place_node(folder) : *dir;
	}
	return n;
}

/* "." or "..", the files at positions 0 and 1 of every folder. */
static void next_dots(const struct node *dir, bool above, struct buf *name,
		      struct node *n)
{
	*n = above ? folder_above(dir) : *dir;
	buf_adds(name, above ? ".." : ".");
}

/*
 * Each next_ function looks in one section from *at on: 1 with a file, and *at
 * after it; 0 at the end of the section; or -errno.
 */
static int next_fixed(struct tree *t, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	struct range fixed = fixed_kinds(dir);
	if (*at < DIR_AFTER_DOTS) {
		next_dots(dir, *at == 1, name, n);
		(*at)++;
		return 1;
	}
	for (;;) {
		enum node_kind k = fixed.first + (*at - DIR_AFTER_DOTS);
		if (fixed.first == KIND_NONE || k > fixed.last)
			return 0;
		(*at)++;
		*n = (struct node){ k, dir->entry, 0, dir->place };
		if (!node_kinds[k].name || node_kinds[k].unlisted)
			continue;
		int err = find_fixed(t, dir, n);
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		buf_adds(name, node_kinds[k].name);
		return 1;
	}
}

static int next_picture(struct tree *t, const struct node *dir, uint32_t *at,
			struct buf *name, struct node *n)
{
	const struct session *s = session_of(dir);
	unsigned have = 0;
	if (!node_is_entry_folder(dir))
		return 0;
	/* Cache the content, which GETATTR will render next for its size. */
	struct node content = { KIND_CONTENT, dir->entry, 0, dir->place };
	struct rendering *r = NULL;
	int err = 0;
	if (!content_knows_pictures(s, dir->entry, &have))
		err = render_file(t, &content, &r);
	if (r)
		cache_put(r);
	if (!err)
		err = content_pictures(s, dir->entry, &have);
	if (err || *at >= have)
		return err;
	(*at)++;
	*n = (struct node){ KIND_PICTURE, dir->entry, *at, dir->place };
	err = content_picture_name(s, dir->entry, *at, name);
	/* Files outside of the session may have been deleted. */
	return err == -ENOENT ? 0 : err ? err : 1;
}

static uint32_t next_entry_from(const struct session *s, const struct node *dir,
				uint32_t from)
{
	const struct index *x = &s->now.index;
	switch (dir->kind) {
	case KIND_TREE:
		return index_child_from(x, INDEX_NONE, from);
	case KIND_TREE_ENTRY:
	case KIND_ID_ENTRY:
		return index_child_from(x, dir->entry, from);
	case KIND_BY_LABEL:
		return labels_next(&s->now.labels, from);
	case KIND_BY_ID:
	case KIND_BRANCHES:
		while (from < x->n && !shows(s, dir, from))
			from++;
		return from < x->n ? from : INDEX_NONE;
	default:
		return INDEX_NONE;
	}
}

static int next_on_path(const struct node *dir, uint32_t *at, struct buf *name,
			struct node *n)
{
	*n = (struct node){ .kind = KIND_PATH_LINK, .place = dir->place };
	int got = path_links_get(session_of(dir), *at + 1, name, &n->entry);
	*at += got > 0;
	return got;
}

static int next_entry(struct tree *t, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	const struct session *s = session_of(dir);
	if (dir->kind == KIND_PATH)
		return next_on_path(dir, at, name, n);
	if (dir->kind == KIND_FORKS)
		return fork_links_next(dir, at, name, n);
	uint32_t i = next_entry_from(s, dir, *at);
	(void)t;
	if (i == INDEX_NONE)
		return 0;
	*n = (struct node){ entry_kind(dir), i, 0, dir->place };
	*at = i + 1;
	if (dir->kind == KIND_BY_LABEL)
		label_add_name(
			&s->now.labels, name,
			labels_of(&s->now.labels, index_id(&s->now.index, i)));
	else
		index_add_name(&s->now.index, name, i);
	return 1;
}

static int next_named(struct tree *t, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	const struct session *s = session_of(dir);
	const struct heads *h = &s->now.heads;
	(void)t;
	if (dir->kind != KIND_BRANCHES)
		return 0;
	while (*at < h->n && !names_entry(s, &h->list[*at]))
		(*at)++;
	if (*at >= h->n)
		return 0;
	const struct named_head *head = &h->list[(*at)++];
	*n = (struct node){ KIND_NAMED_BRANCH, head->entry, 0, dir->place };
	heads_add_file_name(h, name, head);
	return 1;
}

/* The folder of a session's subagents, or the links to those of an entry. */
static int next_agent(struct tree *t, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	(void)t;
	if (dir->kind != KIND_ROOT)
		return agents_next(dir, at, name, n);
	int err = (*at)++ == 0 ? agents_next_folder(dir, name, n) : -ENOENT;
	return err == -ENOENT ? 0 : err ? err : 1;
}

static int next_overlaid(struct tree *t, const struct node *dir, uint32_t *at,
			 struct buf *name, struct node *n)
{
	const struct overlay *o = &t->overlay;
	if (!o->next_link || !o->next_link(o->data, dir, *at, n, name))
		return 0;
	*at = n->nth;
	return 1;
}

/* In a folder of sessions. Serial numbers start above the dots' positions. */
static int next_place(const struct node *dir, uint64_t *position,
		      struct buf *name, struct node *n)
{
	if (*position < DIR_AFTER_DOTS) {
		next_dots(dir, *position == 1, name, n);
		(*position)++;
		return 1;
	}
	struct place *at = place_next_child(dir->place, *position);
	if (!at)
		return 0;
	*n = place_node(at);
	buf_adds(name, at->name);
	*position = at->serial + 1;
	return 1;
}

/* In a folder of a session. */
static int next_in_session(struct tree *t, const struct node *dir,
			   uint64_t *position, struct buf *name, struct node *n)
{
	static int (*const next[])(struct tree *, const struct node *,
				   uint32_t *, struct buf *, struct node *) = {
		[SECTION_FIXED] = next_fixed,
		[SECTION_PICTURES] = next_picture,
		[SECTION_ENTRIES] = next_entry,
		[SECTION_NAMED] = next_named,
		[SECTION_AGENTS] = next_agent,
		[SECTION_OVERLAID] = next_overlaid,
	};
	uint64_t section = *position >> 32;
	uint32_t at = (uint32_t)*position;
	int got = 0;
	for (; section < SECTION_END && got == 0; section++) {
		got = next[section](t, dir, &at, name, n);
		if (got != 0)
			break;
		at = 0;
	}
	*position = section << 32 | at;
	return got;
}

int dir_scan(const struct node *dir)
{
	if (dir->kind == KIND_FOLDER)
		return place_scan(dir->place, NULL);
	return dir->kind == KIND_FORKS ? forks_scan(dir->place->places) : 0;
}

int dir_next(struct tree *t, const struct node *dir, uint64_t *position,
	     struct buf *name, struct node *n)
{
	int got = dir->kind == KIND_FOLDER
			  ? next_place(dir, position, name, n)
			  : next_in_session(t, dir, position, name, n);
	if (got > 0 && buf_error(name)) {
		dir_put(dir, n);
		return -ENOMEM;
	}
	return got;
}
