#include "fs/dir.h"

#include <ctype.h>
#include <errno.h>

#include "core/content.h"

enum section {
	SECTION_FIXED, /* 0 and 1 are "." and "..", then by kind */
	SECTION_PICTURES,
	SECTION_ENTRIES,
	SECTION_NAMED,
	SECTION_STAGED,
	SECTION_END
};

/* The fixed names of a folder are the kinds in a range. */
struct range {
	enum kind first;
	enum kind last;
};

static struct range fixed_kinds(const struct node *dir)
{
	switch (dir->kind) {
	case KIND_ROOT:
		return (struct range){ KIND_HEAD, KIND_BRANCHES };
	case KIND_TREE_ENTRY:
		return (struct range){ KIND_CONTENT, KIND_RAW };
	case KIND_ID_ENTRY:
		return (struct range){ KIND_PARENT_LINK, KIND_RAW };
	default:
		return (struct range){ KIND_NONE, KIND_NONE };
	}
}

/* What a folder's entries are in it; KIND_NONE if it has none. */
static enum kind entry_kind(const struct node *dir)
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

static bool is_entry_folder(const struct node *n)
{
	return n->kind == KIND_TREE_ENTRY || n->kind == KIND_ID_ENTRY;
}

static bool exists(struct fs *fs, const struct node *n)
{
	if (n->kind == KIND_PARENT_LINK &&
	    session_entry(fs->session, n->entry)->parent == INDEX_NONE)
		return false;
	return !head_is_hidden(fs, n);
}

/* Is the entry one of those that the folder shows? */
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
		return e->first_child == INDEX_NONE;
	default:
		return true;
	}
}

static uint32_t find_entry(const struct session *s, const struct node *dir,
			   struct span name)
{
	if (dir->kind == KIND_BY_LABEL) {
		const struct label_link *link =
			labels_find_link(&s->now.labels, name);
		return link ? link->entry : INDEX_NONE;
	}
	if (entry_kind(dir) == KIND_NONE)
		return INDEX_NONE;
	uint32_t i = index_find_name(&s->now.index, name);
	return i != INDEX_NONE && shows(s, dir, i) ? i : INDEX_NONE;
}

/* A head at an entry that is not there names nothing. */
static bool names_entry(const struct session *s, const struct named_head *head)
{
	return session_entry(s, head->entry)->parent != INDEX_NONE;
}

static bool find_named(const struct session *s, struct span name,
		       struct node *n)
{
	const struct named_head *head = heads_find(&s->now.heads, name);
	if (!head || !names_entry(s, head))
		return false;
	*n = (struct node){ KIND_NAMED_BRANCH, head->entry, 0 };
	return true;
}

/* "12.png" is 12, if that is what the picture is called. */
static int find_picture(struct fs *fs, const struct node *dir, struct span name,
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
	int err = content_picture_name(fs->session, dir->entry, nth, &real);
	if (!err && !span_eq(name, buf_span(&real)))
		err = -ENOENT;
	buf_free(&real);
	*n = (struct node){ KIND_PICTURE, dir->entry, nth };
	return err;
}

int dir_lookup(struct fs *fs, const struct node *dir, struct span name,
	       struct node *n)
{
	if (kinds[dir->kind].type != S_IFDIR)
		return -ENOTDIR;
	struct range fixed = fixed_kinds(dir);
	*n = (struct node){ .entry = dir->entry };
	n->kind = kind_named(fixed.first, fixed.last, name);
	if (n->kind != KIND_NONE)
		return exists(fs, n) ? 0 : -ENOENT;

	uint32_t entry = find_entry(fs->session, dir, name);
	if (entry != INDEX_NONE) {
		*n = (struct node){ entry_kind(dir), entry, 0 };
		return exists(fs, n) ? 0 : -ENOENT;
	}
	if (dir->kind == KIND_BRANCHES && find_named(fs->session, name, n))
		return 0;
	if (head_find_staged(fs, dir, name, n))
		return 0;
	return is_entry_folder(dir) ? find_picture(fs, dir, name, n) : -ENOENT;
}

/* The folder that ".." of a folder is. */
static struct node folder_above(const struct session *s, const struct node *dir)
{
	struct node n = { .kind = KIND_ROOT };
	if (dir->kind == KIND_ID_ENTRY) {
		n.kind = KIND_BY_ID;
	} else if (dir->kind == KIND_TREE_ENTRY) {
		n.kind = KIND_TREE_ENTRY;
		n.entry = session_entry(s, dir->entry)->parent;
		if (n.entry == INDEX_NONE)
			n = (struct node){ .kind = KIND_TREE };
	}
	return n;
}

/*
 * The next_ functions look in one section from place *at: 1 with a file, *at
 * being the place behind it, or 0 when the section is over.
 */
static int next_fixed(struct fs *fs, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	struct range fixed = fixed_kinds(dir);
	if (*at < 2) {
		*n = *at == 0 ? *dir : folder_above(fs->session, dir);
		buf_adds(name, *at == 0 ? "." : "..");
		(*at)++;
		return 1;
	}
	for (;;) {
		enum kind k = fixed.first + (*at - 2);
		if (fixed.first == KIND_NONE || k > fixed.last)
			return 0;
		(*at)++;
		*n = (struct node){ .kind = k, .entry = dir->entry };
		if (!kinds[k].name || !kinds[k].listed || !exists(fs, n))
			continue;
		buf_adds(name, kinds[k].name);
		return 1;
	}
}

static int next_picture(struct fs *fs, const struct node *dir, uint32_t *at,
			struct buf *name, struct node *n)
{
	unsigned have = 0;
	if (!is_entry_folder(dir))
		return 0;
	/* Renders the content, which the sizes will ask for next: keep it. */
	struct node content = { KIND_CONTENT, dir->entry, 0 };
	struct rendering *r = NULL;
	int err = 0;
	const struct entry *e = session_entry(fs->session, dir->entry);
	if (__atomic_load_n(&e->pictures, __ATOMIC_RELAXED) == PICTURES_UNKNOWN)
		err = fs_render(fs, &content, &r);
	if (r)
		cache_put(&fs->cache, r);
	if (!err)
		err = content_pictures(fs->session, dir->entry, &have);
	if (err || *at >= have)
		return err;
	(*at)++;
	*n = (struct node){ KIND_PICTURE, dir->entry, *at };
	err = content_picture_name(fs->session, dir->entry, *at, name);
	/* There are fewer when files outside of the session have gone. */
	return err == -ENOENT ? 0 : err ? err : 1;
}

/* The first label at an entry numbered `from` or higher. */
static uint32_t next_labelled(const struct labels *l, uint32_t from)
{
	uint32_t low = 0;
	uint32_t high = l->n_links;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (l->links[mid].entry < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->n_links ? l->links[low].entry : INDEX_NONE;
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
		return next_labelled(&s->now.labels, from);
	case KIND_BY_ID:
	case KIND_BRANCHES:
		while (from < x->n && !shows(s, dir, from))
			from++;
		return from < x->n ? from : INDEX_NONE;
	default:
		return INDEX_NONE;
	}
}

static int next_entry(struct fs *fs, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	const struct session *s = fs->session;
	uint32_t i = next_entry_from(s, dir, *at);
	*n = (struct node){ entry_kind(dir), i, 0 };
	if (i != INDEX_NONE && !exists(fs, n)) {
		i = next_entry_from(s, dir, i + 1);
		n->entry = i;
	}
	if (i == INDEX_NONE)
		return 0;
	*at = i + 1;
	if (dir->kind == KIND_BY_LABEL)
		label_link_name(&s->now.labels, name,
				labels_link_of(&s->now.labels, i));
	else
		index_add_name(&s->now.index, name, i);
	return 1;
}

static int next_named(struct fs *fs, const struct node *dir, uint32_t *at,
		      struct buf *name, struct node *n)
{
	const struct heads *h = &fs->session->now.heads;
	if (dir->kind != KIND_BRANCHES)
		return 0;
	while (*at < h->n && !names_entry(fs->session, &h->list[*at]))
		(*at)++;
	if (*at >= h->n)
		return 0;
	const struct named_head *head = &h->list[(*at)++];
	*n = (struct node){ KIND_NAMED_BRANCH, head->entry, 0 };
	heads_add_file_name(h, name, head);
	return 1;
}

static int next_staged(struct fs *fs, const struct node *dir, uint32_t *at,
		       struct buf *name, struct node *n)
{
	if (!head_next_staged(fs, dir, *at, n, name))
		return 0;
	*at = n->nth;
	return 1;
}

int dir_next(struct fs *fs, const struct node *dir, uint64_t *position,
	     struct buf *name, struct node *n)
{
	static int (*const next[])(struct fs *, const struct node *, uint32_t *,
				   struct buf *, struct node *) = {
		[SECTION_FIXED] = next_fixed,
		[SECTION_PICTURES] = next_picture,
		[SECTION_ENTRIES] = next_entry,
		[SECTION_NAMED] = next_named,
		[SECTION_STAGED] = next_staged,
	};
	uint64_t section = *position >> 32;
	uint32_t at = (uint32_t)*position;
	int got = 0;
	for (; section < SECTION_END && got == 0; section++) {
		got = next[section](fs, dir, &at, name, n);
		if (got != 0)
			break;
		at = 0;
	}
	*position = section << 32 | at;
	if (got > 0 && buf_error(name))
		return -ENOMEM;
	return got;
}
