#include "core/session/index.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/session/bridge.h"
#include "core/session/file_name.h"

_Static_assert(FILE_NAME_LIMIT <= sizeof(struct idtable_scratch),
	       "names are built for lookups");

/* In entry.stands_for, until it is resolved. */
#define UNRESOLVED (INDEX_NONE - 1)

/* In index.table a value with this bit set is an entry by its file name. */
#define BY_NAME ((uint32_t)1 << 31)

static struct span table_key(const void *owner, uint32_t value,
			     struct idtable_scratch *scratch)
{
	const struct index *x = owner;
	struct span id = buf_kept(&x->ids, x->entries[value & ~BY_NAME].id);
	if (!(value & BY_NAME))
		return id;
	return (struct span){ scratch->name,
			      file_name_make(scratch->name, id,
					     FILE_NAME_IN_ENTRY) };
}

static struct span wanted_key(const void *owner, uint32_t value,
			      struct idtable_scratch *scratch)
{
	const struct index *x = owner;
	(void)scratch;
	return buf_kept(&x->ids, x->missing.list[value].id);
}

void index_init(struct index *x)
{
	*x = (struct index){ .first_root = INDEX_NONE,
			     .last_root = INDEX_NONE };
	idtable_init(&x->table, table_key);
	idtable_init(&x->wanted, wanted_key);
}

void index_free(struct index *x)
{
	free(x->entries);
	buf_free(&x->ids);
	idtable_free(&x->table);
	idtable_free(&x->wanted);
	free(x->missing.list);
	free(x->cuts.list);
	free(x->loose);
	*x = (struct index){ 0 };
}

static int add_loose_end(struct index *x, struct loose_ends *ends,
			 uint32_t entry, uint32_t id)
{
	struct loose_end end = { entry, x->entries[entry].line, id };
	return array_add(&ends->list, &ends->cap, &ends->n, end);
}

/* Note the parent that an entry misses. `wanted` has each id once. */
static int add_missing(struct index *x, uint32_t entry, struct span parent)
{
	uint32_t same = idtable_find(&x->wanted, x, parent);
	uint32_t id = 0;
	int err = 0;
	if (same == IDTABLE_NONE)
		err = buf_keep(&x->ids, parent, &id);
	else
		id = x->missing.list[same].id;
	if (!err)
		err = add_loose_end(x, &x->missing, entry, id);
	if (!err && same == IDTABLE_NONE)
		err = idtable_add(&x->wanted, parent,
				  (uint32_t)x->missing.n - 1);
	return err;
}

static int new_entry(struct index *x, struct span id, uint32_t *entry)
{
	if (x->n == INDEX_LIMIT)
		return -EFBIG;
	if (array_reserve(&x->entries, &x->cap, x->n, 1) < 0)
		return -ENOMEM;
	struct entry *e = &x->entries[x->n];
	*e = (struct entry){ .parent = INDEX_NONE,
			     .first_child = INDEX_NONE,
			     .last_child = INDEX_NONE,
			     .next_sibling = INDEX_NONE,
			     .stands_for = UNRESOLVED,
			     .plain_name = file_name_is_plain(
				     id, FILE_NAME_IN_ENTRY) };
	int err = buf_keep(&x->ids, id, &e->id);
	if (!err)
		err = idtable_add(&x->table, id, x->n);
	if (!err && !e->plain_name) {
		char name[FILE_NAME_LIMIT];
		size_t n = file_name_make(name, id, FILE_NAME_IN_ENTRY);
		err = idtable_add(&x->table, (struct span){ name, n },
				  x->n | BY_NAME);
	}
	if (err)
		return err;
	*entry = x->n++;
	return 0;
}

static void set_line(struct entry *e, const struct index_line *l)
{
	e->offset = l->offset;
	e->length = (uint32_t)l->length;
	e->line = l->line;
	e->digest = l->digest;
	e->time = l->time;
	e->type = (uint8_t)l->type;
	e->hangs = l->hangs;
	e->carries = l->carries;
	e->content_size = SIZE_UNKNOWN;
	e->content_lines = LINES_UNKNOWN;
	e->pictures = PICTURES_UNKNOWN;
}

/* A linked entry that is not moved by this stays linked. */
static void set_parent(struct index *x, uint32_t i, uint32_t parent,
		       const struct index_line *l, bool again)
{
	struct entry *e = &x->entries[i];
	bool orphan = l->parent.n > 0 && parent == INDEX_NONE;
	if (again && (parent != e->parent || e->orphan || e->cut ||
		      e->bridged || l->bookkeeping != e->bookkeeping))
		x->moved = true;
	if (parent == i)
		x->moved = true;
	e->parent = parent;
	e->bookkeeping = l->bookkeeping;
	x->orphans -= e->orphan;
	x->orphans += orphan;
	e->orphan = orphan;
}

int index_add(struct index *x, const struct index_line *l, uint32_t *entry,
	      bool *again)
{
	if (l->length >= UINT32_MAX)
		return -EFBIG;
	uint32_t parent = INDEX_NONE;
	uint32_t i = index_find(x, l->id);
	*again = i != INDEX_NONE;
	if (!*again) {
		int err = new_entry(x, l->id, &i);
		if (err)
			return err;
		if (idtable_find(&x->wanted, x, l->id) != IDTABLE_NONE)
			x->moved = true;
	}
	set_line(&x->entries[i], l);
	*entry = i;
	if (l->parent.n > 0)
		parent = index_find(x, l->parent);
	int err = 0;
	if (l->parent.n > 0 && parent == INDEX_NONE)
		err = add_missing(x, i, l->parent);
	if (!err)
		set_parent(x, i, parent, l, *again);
	/* May the line change what orphans hang on? */
	if (!err &&
	    ((x->entries[i].orphan && l->hangs) || (*again && x->hanging > 0) ||
	     (l->carries && bridge_may_take(x, l->time))))
		x->moved = true;
	return err;
}

/* Find what an entry, and its ancestors that are unresolved, stand for. */
static void resolve(struct index *x, uint32_t entry)
{
	struct entry *list = x->entries;
	uint32_t top = entry;
	while (top != INDEX_NONE && list[top].stands_for == UNRESOLVED &&
	       list[top].bookkeeping)
		top = list[top].parent;
	uint32_t found = top;
	if (top != INDEX_NONE && list[top].bookkeeping)
		found = list[top].stands_for;
	for (; entry != top; entry = list[entry].parent)
		list[entry].stands_for = found;
	if (top != INDEX_NONE && !list[top].bookkeeping)
		list[top].stands_for = top;
}

/* The entry and its ancestors are resolved. */
static void link_child(struct index *x, uint32_t i)
{
	struct entry *e = &x->entries[i];
	uint32_t *first = &x->first_root;
	uint32_t *last = &x->last_root;
	if (e->parent != INDEX_NONE) {
		first = &x->entries[e->parent].first_child;
		last = &x->entries[e->parent].last_child;
	}
	if (*last == INDEX_NONE)
		*first = i;
	else
		x->entries[*last].next_sibling = i;
	*last = i;
	uint32_t shown = INDEX_NONE;
	if (e->parent != INDEX_NONE && !e->bookkeeping)
		shown = x->entries[e->parent].stands_for;
	if (shown != INDEX_NONE)
		x->entries[shown].continues = true;
}

static bool is_current(const struct index *x, const struct loose_end *end)
{
	return x->entries[end->entry].line == end->line;
}

/*
 * Give entries the parents that were missing when they were read. An entry that
 * still has none is an orphan.
 */
static int tie_missing(struct index *x)
{
	struct loose_ends *ends = &x->missing;
	size_t n = ends->n;
	int err = 0;
	idtable_free(&x->wanted);
	x->orphans = 0;
	ends->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct loose_end end = ends->list[i];
		struct span id = buf_kept(&x->ids, end.id);
		if (!is_current(x, &end))
			continue;
		uint32_t parent = index_find(x, id);
		x->entries[end.entry].parent = parent;
		if (parent != INDEX_NONE)
			continue;
		x->entries[end.entry].orphan = true;
		x->orphans++;
		ends->list[ends->n] = end;
		if (!err && idtable_find(&x->wanted, x, id) == IDTABLE_NONE)
			err = idtable_add(&x->wanted, id, (uint32_t)ends->n);
		ends->n++;
	}
	return err;
}

/* Cut the cycle that entry `at` lies on: its first entry becomes a root. */
static int cut_cycle(struct index *x, uint32_t at)
{
	uint32_t first = at;
	for (uint32_t i = x->entries[at].parent; i != at;
	     i = x->entries[i].parent) {
		if (i < first)
			first = i;
	}
	uint32_t id = x->entries[x->entries[first].parent].id;
	int err = add_loose_end(x, &x->cuts, first, id);
	x->entries[first].parent = INDEX_NONE;
	x->entries[first].cut = true;
	x->cycles++;
	return err;
}

/*
 * Ascend from every entry, up to an entry that an earlier ascent has visited.
 * An ascent that meets its own steps has found a cycle.
 */
static int cut_cycles(struct index *x)
{
	uint32_t *walked = calloc(x->n ? x->n : 1, sizeof(*walked));
	if (!walked)
		return -ENOMEM;
	int err = 0;
	for (uint32_t i = 0; i < x->n && !err; i++) {
		uint32_t at = i;
		while (at != INDEX_NONE && walked[at] == 0) {
			walked[at] = i + 1;
			at = x->entries[at].parent;
		}
		if (at != INDEX_NONE && walked[at] == i + 1)
			err = cut_cycle(x, at);
	}
	free(walked);
	return err;
}

static int link_again(struct index *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct entry *e = &x->entries[i];
		e->first_child = INDEX_NONE;
		e->last_child = INDEX_NONE;
		e->next_sibling = INDEX_NONE;
		e->stands_for = UNRESOLVED;
		e->orphan = false;
		e->cut = false;
		e->bridged = false;
		e->continues = false;
	}
	x->bridged = 0;
	x->hanging = 0;
	x->n_loose = 0;
	x->first_root = INDEX_NONE;
	x->last_root = INDEX_NONE;
	x->cycles = 0;
	int err = tie_missing(x);
	/* Entries that were cut from their parents have these again. */
	for (size_t i = 0; i < x->cuts.n; i++) {
		const struct loose_end *end = &x->cuts.list[i];
		if (is_current(x, end))
			x->entries[end->entry].parent =
				index_find(x, buf_kept(&x->ids, end->id));
	}
	x->cuts.n = 0;
	if (!err)
		err = cut_cycles(x);
	if (!err)
		err = bridge_orphans(x);
	for (uint32_t i = 0; i < x->n && !err; i++)
		resolve(x, i);
	for (uint32_t i = 0; i < x->n && !err; i++)
		link_child(x, i);
	x->moved = false;
	x->linked = x->n;
	x->relinks++;
	return err;
}

int index_link(struct index *x)
{
	if (x->moved)
		return link_again(x);
	for (; x->linked < x->n; x->linked++) {
		resolve(x, x->linked);
		link_child(x, x->linked);
	}
	return 0;
}

static uint32_t find(const struct index *x, struct span key, bool by_name)
{
	size_t at = 0;
	uint32_t v;
	while ((v = idtable_next(&x->table, x, key, &at)) != IDTABLE_NONE) {
		if (!by_name && !(v & BY_NAME))
			return v;
		if (by_name && ((v & BY_NAME) || x->entries[v].plain_name))
			return v & ~BY_NAME;
	}
	return INDEX_NONE;
}

uint32_t index_find(const struct index *x, struct span id)
{
	return find(x, id, false);
}

uint32_t index_find_name(const struct index *x, struct span name)
{
	return find(x, name, true);
}

int index_find_prefix(const struct index *x, struct span prefix,
		      uint32_t *entry)
{
	struct buf name BUF_SCOPED = { 0 };
	int err = -ENOENT;
	for (uint32_t i = 0; i < x->n && err != -EINVAL; i++) {
		struct span s = index_id(x, i);
		if (!x->entries[i].plain_name) {
			buf_clear(&name);
			file_name_add(&name, s, FILE_NAME_IN_ENTRY);
			s = buf_span(&name);
		}
		if (!span_starts(s, prefix))
			continue;
		err = err == -ENOENT ? 0 : -EINVAL;
		*entry = i;
	}
	if (buf_error(&name))
		err = -ENOMEM;
	return err;
}

struct span index_id(const struct index *x, uint32_t entry)
{
	return buf_kept(&x->ids, x->entries[entry].id);
}

struct span index_missed_id(const struct index *x, uint32_t entry)
{
	for (size_t i = 0; i < x->missing.n && x->entries[entry].orphan; i++) {
		const struct loose_end *end = &x->missing.list[i];
		if (end->entry == entry && is_current(x, end))
			return buf_kept(&x->ids, end->id);
	}
	return (struct span){ "", 0 };
}

void index_add_name(const struct index *x, struct buf *out, uint32_t entry)
{
	file_name_add(out, index_id(x, entry), FILE_NAME_IN_ENTRY);
}

uint32_t index_child_from(const struct index *x, uint32_t parent, uint32_t from)
{
	/* If the entry before is a child, its sibling is next. */
	if (from > 0 && from <= x->n && x->entries[from - 1].parent == parent)
		return x->entries[from - 1].next_sibling;
	uint32_t i = parent == INDEX_NONE ? x->first_root
					  : x->entries[parent].first_child;
	while (i != INDEX_NONE && i < from)
		i = x->entries[i].next_sibling;
	return i;
}

uint32_t index_next_below(const struct index *x, uint32_t top, uint32_t at,
			  bool into)
{
	const struct entry *e = &x->entries[at];
	if (into && e->first_child != INDEX_NONE)
		return e->first_child;
	while (e->next_sibling == INDEX_NONE && e->parent != top)
		e = &x->entries[e->parent];
	return e->next_sibling;
}
