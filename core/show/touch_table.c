#include "core/show/touching.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/session/file_name.h"

/* -- keys of the tables */

struct pair {
	uint32_t a;
	uint32_t b;
};

static struct span pair_key(struct idtable_scratch *scratch, uint32_t a,
			    uint32_t b)
{
	const struct pair p = { a, b };
	memcpy(scratch->name, &p, sizeof(p));
	return (struct span){ scratch->name, sizeof(p) };
}

static struct span number_key(const void *owner, uint32_t value,
			      struct idtable_scratch *scratch)
{
	const struct touch *t =
		&((const struct touch_table *)owner)->list[value];
	return pair_key(scratch, t->folder, t->number);
}

static struct span entry_key(const void *owner, uint32_t value,
			     struct idtable_scratch *scratch)
{
	const struct touch *t =
		&((const struct touch_table *)owner)->list[value];
	return pair_key(scratch, t->entry, t->nth);
}

/* What a folder is called in the one around it. */
static size_t make_name(const struct touch_table *t, uint32_t folder,
			char out[FILE_NAME_LIMIT])
{
	const struct touch_folder *f = &t->folders[folder];
	struct span name = buf_kept(&t->texts, f->name);
	if (!f->is_own)
		return file_name_make(out, name, FILE_NAME_IN_FILES);
	memcpy(out, name.p, name.n);
	return name.n;
}

/* Set the key's start; a name follows it. */
static char *begin_key(struct idtable_scratch *scratch, uint32_t folder)
{
	_Static_assert(sizeof(folder) + FILE_NAME_LIMIT <=
			       sizeof(scratch->name),
		       "a key fits");
	memcpy(scratch->name, &folder, sizeof(folder));
	return scratch->name + sizeof(folder);
}

static struct span name_key(const void *owner, uint32_t value,
			    struct idtable_scratch *scratch)
{
	const struct touch_table *t = owner;
	char *name = begin_key(scratch, t->folders[value].around);
	size_t n = make_name(t, value, name);
	return (struct span){ scratch->name, sizeof(uint32_t) + n };
}

uint32_t touch_table_folder(const struct touch_table *t, uint32_t around,
			    struct span name)
{
	struct idtable_scratch scratch;
	char *to = begin_key(&scratch, around);
	if (name.n > FILE_NAME_LIMIT)
		return TOUCH_NONE;
	memcpy(to, name.p, name.n);
	return idtable_find(
		&t->by_name, t,
		(struct span){ scratch.name, sizeof(around) + name.n });
}

uint32_t touch_table_find(const struct touch_table *t, const struct idtable *in,
			  uint32_t a, uint32_t b)
{
	struct idtable_scratch scratch;
	return idtable_find(in, t, pair_key(&scratch, a, b));
}

/* -- folders */

/* Add a folder to the one around it; the first is its own. */
static int add_folder(struct touch_table *t, uint32_t around, struct span part,
		      bool is_own, uint32_t *added)
{
	struct idtable_scratch scratch;
	struct touch_folder f = { .around = around,
				  .is_own = is_own,
				  .first = TOUCH_NONE,
				  .last = TOUCH_NONE,
				  .next = TOUCH_NONE,
				  .dir = TOUCH_NONE };
	uint32_t i = t->n_folders;
	int err = buf_keep(&t->texts, part, &f.name);
	if (!err)
		err = array_reserve(&t->folders, &t->folders_cap, i, 1);
	if (err)
		return err;
	f.depth = i == around ? 0 : t->folders[around].depth + 1;
	t->folders[i] = f;
	if (i != around)
		err = idtable_add(&t->by_name, name_key(t, i, &scratch), i);
	if (err)
		return err;
	t->n_folders++;
	*added = i;
	struct touch_folder *to = &t->folders[around];
	/* It has another one in it, from now on at the latest. */
	if (to->dir == TOUCH_NONE && t->n_dirs < TOUCH_DIRS) {
		err = array_add(&t->dirs, &t->dirs_cap, &t->n_dirs, around);
		to->dir = err ? TOUCH_NONE : t->n_dirs - 1;
	}
	if (err || i == around)
		return err;
	if (to->last == TOUCH_NONE)
		to->first = i;
	else
		t->folders[to->last].next = i;
	to->last = i;
	return 0;
}

/* The folder of a part of a path in another folder, or TOUCH_NONE. */
static uint32_t find_part(const struct touch_table *t, uint32_t folder,
			  struct span part, bool is_own)
{
	char made[FILE_NAME_LIMIT];
	struct span name = part;
	if (!is_own)
		name = (struct span){
			made, file_name_make(made, part, FILE_NAME_IN_FILES)
		};
	return touch_table_folder(t, folder, name);
}

/* The parts of a path, from by-file/ on. */
struct parts {
	struct span rest;
	enum touch_root root;
	unsigned own; /* how many were taken of those of the root */
};

static struct parts parts_of(struct span path)
{
	enum touch_root root = touch_path_split(&path);
	return (struct parts){ path, root, 0 };
}

static bool next_part(struct parts *p, struct span *part, bool *is_own)
{
	static const struct span own[] = { SPAN("@"), SPAN("~") };
	*is_own = p->own < (unsigned)p->root;
	if (*is_own)
		*part = own[p->own++];
	else if (p->rest.n > 0)
		*part = span_next(&p->rest, '/');
	else
		return false;
	return true;
}

/* The folder of a file, which is added if need be. */
static int enter_path(struct touch_table *t, struct span path, uint32_t *folder)
{
	struct parts p = parts_of(path);
	struct span part;
	bool is_own;
	int err = 0;
	*folder = TOUCH_ROOT;
	while (!err && next_part(&p, &part, &is_own)) {
		uint32_t found = find_part(t, *folder, part, is_own);
		if (found != TOUCH_NONE)
			*folder = found;
		else
			err = add_folder(t, *folder, part, is_own, folder);
	}
	return err;
}

uint32_t touch_table_path(const struct touch_table *t, struct span path)
{
	struct parts p = parts_of(path);
	struct span part;
	bool is_own;
	uint32_t folder = TOUCH_ROOT;
	while (folder != TOUCH_NONE && next_part(&p, &part, &is_own))
		folder = find_part(t, folder, part, is_own);
	return folder;
}

/* -- touches */

/* How many touches the entry has, of which the last are at the end. */
static uint32_t count_of_entry(const struct touch_table *t, uint32_t entry)
{
	uint32_t n = 0;
	if (t->n > 0 && t->list[t->n - 1].entry == entry)
		return t->list[t->n - 1].nth + 1;
	while (n < TOUCHES_OF_ENTRY &&
	       touch_table_find(t, &t->by_entry, entry, n) != TOUCH_NONE)
		n++;
	return n;
}

int touch_table_begin(struct touch_table *t)
{
	uint32_t root;
	idtable_init(&t->by_name, name_key);
	idtable_init(&t->by_number, number_key);
	idtable_init(&t->by_entry, entry_key);
	return add_folder(t, TOUCH_ROOT, (struct span){ 0 }, true, &root);
}

void touch_table_free(struct touch_table *t)
{
	buf_free(&t->texts);
	free(t->folders);
	free(t->dirs);
	free(t->list);
	idtable_free(&t->by_name);
	idtable_free(&t->by_number);
	idtable_free(&t->by_entry);
}

bool touch_table_has_room(const struct touch_table *t)
{
	return t->n_folders + TOUCH_PARTS_LIMIT + 2 < TOUCH_FOLDERS;
}

int touch_table_add(struct touch_table *t, struct span path,
		    const struct touch *new)
{
	struct idtable_scratch scratch;
	struct touch add = *new;
	uint32_t i = t->n;
	add.nth = count_of_entry(t, add.entry);
	if (add.nth >= TOUCHES_OF_ENTRY)
		return 0;
	int err = enter_path(t, path, &add.folder);
	if (!err)
		err = array_reserve(&t->list, &t->cap, i, 1);
	if (err)
		return err;
	add.number = t->folders[add.folder].touches + 1;
	t->list[i] = add;
	err = idtable_add(&t->by_number, number_key(t, i, &scratch), i);
	if (!err)
		err = idtable_add(&t->by_entry, entry_key(t, i, &scratch), i);
	t->folders[add.folder].touches += !err;
	t->n += !err;
	return err;
}

void touch_table_add_name(const struct touch_table *t, uint32_t folder,
			  struct buf *out)
{
	char made[FILE_NAME_LIMIT];
	size_t n = make_name(t, folder, made);
	buf_add(out, (struct span){ made, n });
}

uint32_t touch_table_next(const struct touch_table *t, uint32_t folder,
			  uint32_t *at)
{
	uint32_t next = TOUCH_NONE;
	if (*at == 0 && folder < t->n_folders)
		next = t->folders[folder].first;
	else if (*at > 0 && *at <= t->n_folders)
		next = t->folders[*at - 1].next;
	if (next != TOUCH_NONE)
		*at = next + 1;
	return next;
}

/* -- names in files/ */

static const struct taken {
	struct span part;
	struct span name;
} taken[] = {
	{ SPAN("@"), SPAN("%40") },
	{ SPAN("~"), SPAN("%7E") },
	{ SPAN(".."), SPAN("%2E.") },
};

#define N_TAKEN (sizeof(taken) / sizeof(taken[0]))

/* The row whose name a text ends with, if all before that are "%". */
static const struct taken *taken_like(struct span text)
{
	while (text.n > 1 && text.p[0] == '%' && text.p[1] == '%')
		text = span_from(text, 1);
	for (size_t i = 0; i < N_TAKEN; i++) {
		if (span_eq(text, taken[i].name))
			return &taken[i];
	}
	return NULL;
}

static const struct taken *taken_part(struct span part)
{
	for (size_t i = 0; i < N_TAKEN; i++) {
		if (span_eq(part, taken[i].part))
			return &taken[i];
	}
	return NULL;
}

void touch_table_add_real_name(const struct touch_table *t, uint32_t folder,
			       struct buf *out)
{
	const struct touch_folder *f = &t->folders[folder];
	struct span part = buf_kept(&t->texts, f->name);
	const struct taken *is = f->is_own ? NULL : taken_part(part);
	/* No file on a disk is called so. */
	if (part.n > FILE_NAME_LIMIT || !text_is_utf8(part) ||
	    memchr(part.p, '\0', part.n)) {
		touch_table_add_name(t, folder, out);
		return;
	}
	if (!f->is_own && taken_like(part))
		buf_addc(out, '%');
	buf_add(out, is ? is->name : part);
}

uint32_t touch_table_real(const struct touch_table *t, uint32_t around,
			  struct span name)
{
	char made[FILE_NAME_LIMIT];
	const struct taken *like = taken_like(name);
	struct span part = name;
	bool is_own = taken_part(name) != NULL;
	if (like && span_eq(name, like->name))
		part = like->part;
	else if (like)
		part = span_from(name, 1);
	if (!is_own)
		part = (struct span){
			made, file_name_make(made, part, FILE_NAME_IN_FILES)
		};
	uint32_t found = touch_table_folder(t, around, part);
	/* The name of one that is cut. */
	if (found == TOUCH_NONE)
		found = touch_table_folder(t, around, name);
	if (found == TOUCH_NONE)
		return found;
	struct buf real BUF_SCOPED = { 0 };
	touch_table_add_real_name(t, found, &real);
	bool is = span_eq(buf_span(&real), name);
	return is ? found : TOUCH_NONE;
}

/* Append the parts of the way to a folder, and find where it begins. */
static int add_way(const struct touch_table *t, uint32_t folder,
		   struct buf *out, enum touch_root *root)
{
	uint32_t *way =
		malloc(((size_t)t->folders[folder].depth + 1) * sizeof(*way));
	size_t n = 0;
	if (!way)
		return -ENOMEM;
	for (; !t->folders[folder].is_own; folder = t->folders[folder].around)
		way[n++] = folder;
	*root = (enum touch_root)t->folders[folder].depth;
	while (n > 0) {
		buf_add(out, buf_kept(&t->texts, t->folders[way[--n]].name));
		buf_adds(out, n > 0 ? "/" : "");
	}
	free(way);
	return buf_error(out);
}

int touch_table_add_path(const struct touch_table *t, uint32_t folder,
			 struct buf *out)
{
	struct buf way BUF_SCOPED = { 0 };
	enum touch_root root;
	int err = add_way(t, folder, &way, &root);
	if (!err) {
		touch_path_begin(out, root, buf_span(&way));
		buf_add(out, buf_span(&way));
	}
	return err ? err : buf_error(out);
}
