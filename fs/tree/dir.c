#include "fs/tree/dir.h"

#include <ctype.h>
#include <errno.h>

#include "core/file/fault.h"
#include "core/places/bases.h"
#include "core/session/short_ids.h"
#include "core/show/content.h"
#include "fs/tree/agents.h"
#include "fs/tree/groups.h"
#include "fs/tree/render.h"
#include "fs/tree/views.h"

enum section {
	SECTION_FIXED, /* "." and "..", then kinds */
	SECTION_PICTURES,
	SECTION_ENTRIES,
	SECTION_NAMED,
	SECTION_AGENTS,
	SECTION_OVERLAID,
	SECTION_END
};

/* A session's folders: their fixed names, a range of kinds; their entries. */
static const struct folder {
	enum node_kind first;
	enum node_kind last;
	enum node_kind entries;
	const struct view *view;
} folders[KIND_COUNT] = {
	[KIND_ROOT] = { KIND_GITIGNORE, KIND_BRANCHES, KIND_NONE },
	[KIND_PATH] = { KIND_IGNORE, KIND_IGNORE, KIND_NONE, &path_view },
	[KIND_TREE] = { KIND_NONE, KIND_NONE, KIND_TREE_ENTRY },
	[KIND_BY_ID] = { KIND_IGNORE, KIND_IGNORE, KIND_ID_ENTRY },
	[KIND_BY_LABEL] = { KIND_IGNORE, KIND_IGNORE, KIND_LABEL_LINK },
	[KIND_BY_FILE] = { KIND_IGNORE, KIND_IGNORE, KIND_NONE,
			   &file_links_view },
	[KIND_FILE_FOLDER] = { .view = &file_links_view },
	[KIND_AS] = { .view = &forms_view },
	[KIND_ENTRY_AS] = { .view = &forms_view },
	[KIND_FILES] = { .view = &files_view },
	[KIND_ENTRY_FILES] = { .view = &files_view },
	[KIND_TREE_FILES] = { .view = &files_view },
	[KIND_BRANCHES] = { KIND_IGNORE, KIND_IGNORE, KIND_BRANCH_LINK },
	[KIND_TREE_ENTRY] = { KIND_CONTENT, KIND_COUNT - 1, KIND_TREE_ENTRY },
	[KIND_ID_ENTRY] = { KIND_PARENT_LINK, KIND_COUNT - 1, KIND_CHILD_LINK },
};

/* -- folders of sessions */

/* The node of a place: a folder of sessions, or the root of a session. */
static struct node session_folder_node(struct place *at)
{
	return (struct node){ .kind = at->is_folder ? KIND_FOLDER : KIND_ROOT,
			      .place = at };
}

/*
 * Besides places, what none of them is called like: sessions.txt, and in the
 * root of a mount .ignore and .gitignore; of a set also by-project/ and by-day/
 * (fs/tree/groups.h), which alone are listed, after the places.
 */
static int session_folder_find(const struct node *dir, struct span name,
			       struct node *n)
{
	struct place *found;
	int err = place_find(dir->place, name, &found);
	if (!err)
		*n = session_folder_node(found);
	if (err != -ENOENT)
		return err;
	enum node_kind kind = node_kind_named(dir->place->set ? KIND_BY_PROJECT
							      : KIND_SESSIONS,
					      KIND_IGNORE, name);
	*n = (struct node){ .kind = kind, .place = dir->place };
	/* The ignore files are those of a whole mount. */
	bool lacks = dir->place->parent &&
		     (kind == KIND_GITIGNORE || kind == KIND_IGNORE);
	return kind == KIND_NONE || lacks ? -ENOENT : 0;
}

/* Above all serial numbers: by-project/ and by-day/ in the root of a set. */
#define VIEWS_START ((uint64_t)1 << 62)

static int session_folder_next(const struct node *dir, uint64_t *position,
			       struct buf *name, struct node *n)
{
	struct place *at = place_next_child(dir->place, *position);
	if (at) {
		*n = session_folder_node(at);
		buf_adds(name, at->name);
		*position = at->serial + 1;
		return 1;
	}
	if (*position < VIEWS_START)
		*position = VIEWS_START;
	enum node_kind kind =
		KIND_BY_PROJECT + (unsigned)(*position - VIEWS_START);
	if (!dir->place->set || kind > KIND_BY_DAY)
		return 0;
	*n = (struct node){ .kind = kind, .place = dir->place };
	buf_adds(name, node_kinds[kind].name);
	(*position)++;
	return 1;
}

/* -- folders of a session */

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
	if (folders[dir->kind].entries == KIND_NONE)
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
	struct buf real BUF_SCOPED = { 0 };
	int err = content_picture_name(dir->place->session, dir->entry, nth,
				       &real);
	if (!err && !span_eq(name, buf_span(&real)))
		err = -ENOENT;
	*n = (struct node){ KIND_PICTURE, dir->entry, nth, dir->place };
	return err;
}

/*
 * Set the node of a kind that only some folders have, or whose node is not the
 * same each time. -ENOENT if the folder has none.
 */
static int find_fixed(const struct tree *t, const struct node *dir,
		      struct node *n)
{
	struct place *at = dir->place;
	bool lacks = n->kind == KIND_GITIGNORE && at->parent;
	if (n->kind == KIND_IGNORE && dir->kind != KIND_ROOT)
		n->nth = dir->kind == KIND_BY_FILE ? NODE_IGNORE_FILES
						   : NODE_IGNORE_VIEW;
	if (n->kind == KIND_PARENT_LINK)
		lacks = session_entry(at->session, n->entry)->parent ==
			INDEX_NONE;
	if (n->kind == KIND_ENTRY_AS && dir->kind == KIND_TREE_ENTRY)
		n->nth = NODE_AS_TREE;
	if (n->kind == KIND_ENTRY_FILES && dir->kind == KIND_TREE_ENTRY)
		n->kind = KIND_TREE_FILES;
	if (n->kind == KIND_FORKS)
		lacks = !at->parent || !bases_are_known(at);
	if (lacks)
		return -ENOENT;
	int err = 0;
	if (n->kind == KIND_PARENT_SESSION)
		err = base_link_find(dir, n);
	if (n->kind == KIND_HEAD)
		*n = node_head(dir->place);
	return !err && tree_hides(t, n) ? -ENOENT : err;
}

/*
 * A label and a name have another name, with a "~" behind it, which is not
 * listed. It is where editors put their backup first: an editor that sees the
 * file itself there takes another folder. Neovim 0.7 gives up if it can't
 * create it.
 */
static enum node_kind kind_named(const struct folder *has, struct span name)
{
	struct span first = name;
	enum node_kind kind = node_kind_named(has->first, has->last, name);
	if (kind != KIND_NONE || !span_ends(name, SPAN("~")))
		return kind;
	first.n--;
	kind = node_kind_named(has->first, has->last, first);
	return kind == KIND_LABEL || kind == KIND_NAME ? kind : KIND_NONE;
}

int dir_lookup(struct tree *t, const struct node *dir, struct span name,
	       struct node *n)
{
	if (dir->kind == KIND_FOLDER)
		return session_folder_find(dir, name, n);
	if (groups_is_folder(dir))
		return groups_find(t, dir, name, n);
	if (node_kinds[dir->kind].type != S_IFDIR)
		return -ENOTDIR;
	const struct session *s = dir->place->session;
	const struct folder *has = &folders[dir->kind];
	*n = (struct node){ .entry = dir->entry, .place = dir->place };
	n->kind = kind_named(has, name);
	if (n->kind != KIND_NONE)
		return find_fixed(t, dir, n);

	uint32_t entry = find_entry(s, dir, name);
	if (entry != INDEX_NONE) {
		n->kind = has->entries;
		n->entry = entry;
		return tree_hides(t, n) ? -ENOENT : 0;
	}
	if (has->view)
		return has->view->find(dir, name, n);
	if (dir->kind == KIND_BRANCHES) {
		const struct named_head *head = heads_find(&s->now.heads, name);
		if (head && names_entry(s, head)) {
			n->kind = KIND_NAMED_BRANCH;
			n->entry = head->entry;
			return 0;
		}
	}
	const struct overlay *o = &t->overlay;
	if (o->find_link && o->find_link(o->data, dir, name, n))
		return 0;
	if (dir->kind == KIND_ROOT)
		return agents_find_folder(dir, name, n);
	if (agents_find(dir, name, n) == 0)
		return 0;
	/* by-id/START, not listed: the start of an id leads to the whole one.
	 */
	if (dir->kind == KIND_BY_ID && name.n >= SHORT_ID_TYPED) {
		n->kind = KIND_SHORT_LINK;
		int err = index_find_prefix(&s->now.index, name, &n->entry);
		return err == -EINVAL ? -ENOENT : err;
	}
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
	const struct view *view = folders[dir->kind].view;
	if (view && view->around) {
		n = view->around(dir);
	} else if (groups_is_folder(dir)) {
		n = groups_above(dir);
	} else if (dir->kind == KIND_ID_ENTRY) {
		n.kind = KIND_BY_ID;
	} else if (dir->kind == KIND_TREE_ENTRY) {
		n.kind = KIND_TREE_ENTRY;
		n.entry =
			session_entry(dir->place->session, dir->entry)->parent;
		if (n.entry == INDEX_NONE) {
			n.kind = KIND_TREE;
			n.entry = 0;
		}
	} else if (dir->kind == KIND_ROOT || dir->kind == KIND_FOLDER) {
		struct place *folder = place_parent(dir->place);
		n = folder ? session_folder_node(folder) : *dir;
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

/* A listing on its way through a folder of a session. */
struct listing {
	struct tree *t;
	const struct node *dir;
	uint32_t at; /* the next file in the section */
	struct buf *name;
	struct node *n;
};

/*
 * Each next_ function looks in one section from l->at on: 1 with a file, and
 * l->at after it; 0 at the end of the section; or -errno.
 */
static int next_fixed(struct listing *l)
{
	const struct folder *has = &folders[l->dir->kind];
	if (l->at < DIR_AFTER_DOTS) {
		next_dots(l->dir, l->at++ == 1, l->name, l->n);
		return 1;
	}
	for (;;) {
		enum node_kind k = has->first + (l->at - DIR_AFTER_DOTS);
		if (has->first == KIND_NONE || k > has->last)
			return 0;
		l->at++;
		*l->n = (struct node){ k, l->dir->entry, 0, l->dir->place };
		if (!node_kinds[k].name || node_kinds[k].traits & NODE_UNLISTED)
			continue;
		int err = find_fixed(l->t, l->dir, l->n);
		if (err == -ENOENT)
			continue;
		if (err)
			return err;
		buf_adds(l->name, node_kinds[k].name);
		return 1;
	}
}

static int next_picture(struct listing *l)
{
	const struct session *s = l->dir->place->session;
	uint32_t entry = l->dir->entry;
	unsigned have = 0;
	if (!node_is_entry_folder(l->dir))
		return 0;
	/* Cache the content, which GETATTR will render next for its size. */
	struct node content = { KIND_CONTENT, entry, 0, l->dir->place };
	struct rendering *r = NULL;
	int err = 0;
	if (!content_knows_pictures(s, entry, &have))
		err = render_file(l->t, &content, &r);
	if (r)
		cache_put(r);
	if (!err)
		err = content_pictures(s, entry, &have);
	if (err || l->at >= have)
		return err;
	l->at++;
	*l->n = (struct node){ KIND_PICTURE, entry, l->at, l->dir->place };
	err = content_picture_name(s, entry, l->at, l->name);
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

static int next_entry(struct listing *l)
{
	const struct session *s = l->dir->place->session;
	struct node *n = l->n;
	const struct view *view = folders[l->dir->kind].view;
	if (view && view->next_folder)
		return view->next_folder(l->dir, &l->at, l->name, n);
	uint32_t i = next_entry_from(s, l->dir, l->at);
	if (i == INDEX_NONE)
		return 0;
	*n = (struct node){ folders[l->dir->kind].entries, i, 0,
			    l->dir->place };
	l->at = i + 1;
	if (l->dir->kind == KIND_BY_LABEL)
		label_add_name(
			&s->now.labels, l->name,
			labels_of(&s->now.labels, index_id(&s->now.index, i)));
	else
		index_add_name(&s->now.index, l->name, i);
	return 1;
}

static int next_named(struct listing *l)
{
	const struct session *s = l->dir->place->session;
	const struct heads *h = &s->now.heads;
	const struct view *view = folders[l->dir->kind].view;
	if (view)
		return view->next(l->dir, &l->at, l->name, l->n);
	if (l->dir->kind != KIND_BRANCHES)
		return 0;
	while (l->at < h->n && !names_entry(s, &h->list[l->at]))
		l->at++;
	if (l->at >= h->n)
		return 0;
	const struct named_head *head = &h->list[l->at++];
	*l->n = (struct node){ KIND_NAMED_BRANCH, head->entry, 0,
			       l->dir->place };
	heads_add_file_name(h, l->name, head);
	return 1;
}

/* The folder of a session's subagents, or the links to those of an entry. */
static int next_agent(struct listing *l)
{
	if (l->dir->kind != KIND_ROOT)
		return agents_next(l->dir, &l->at, l->name, l->n);
	int err = l->at++ == 0 ? agents_next_folder(l->dir, l->name, l->n)
			       : -ENOENT;
	/* Or a folder that the user can't enter: the rest is listed. */
	if (fault_tells_nothing(err))
		return err;
	return !err;
}

static int next_overlaid(struct listing *l)
{
	const struct overlay *o = &l->t->overlay;
	if (!o->next_link ||
	    !o->next_link(o->data, l->dir, l->at, l->n, l->name))
		return 0;
	l->at = l->n->nth;
	return 1;
}

/* In a folder of a session. */
static int next_in_session(struct listing *l, uint64_t *position)
{
	static int (*const next[])(struct listing *) = {
		[SECTION_FIXED] = next_fixed,
		[SECTION_PICTURES] = next_picture,
		[SECTION_ENTRIES] = next_entry,
		[SECTION_NAMED] = next_named,
		[SECTION_AGENTS] = next_agent,
		[SECTION_OVERLAID] = next_overlaid,
	};
	uint64_t section = *position >> 32;
	int got = 0;
	l->at = (uint32_t)*position;
	for (; section < SECTION_END; section++) {
		got = next[section](l);
		if (got != 0)
			break;
		l->at = 0;
	}
	*position = section << 32 | l->at;
	return got;
}

int dir_scan(struct tree *t, const struct node *dir)
{
	if (groups_is_folder(dir))
		return groups_scan(t);
	if (dir->kind == KIND_FOLDER)
		return place_scan(dir->place);
	return 0;
}

int dir_next(struct tree *t, const struct node *dir, uint64_t *position,
	     struct buf *name, struct node *n)
{
	struct listing l = { .t = t, .dir = dir, .name = name, .n = n };
	int got = 1;
	if (!node_is_unentered(dir))
		got = next_in_session(&l, position);
	else if (*position < DIR_AFTER_DOTS)
		next_dots(dir, (*position)++ == 1, name, n);
	else if (groups_is_folder(dir))
		got = groups_next(t, dir, position, name, n);
	else
		got = session_folder_next(dir, position, name, n);
	if (got > 0 && buf_error(name)) {
		dir_put(dir, n);
		return -ENOMEM;
	}
	return got;
}
