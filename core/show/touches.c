#include "core/show/touches.h"

#include <errno.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/session/derived.h"
#include "core/session/file_name.h"
#include "core/show/touching.h"

struct touches {
	struct derived derived;
	struct touching of;
	bool has_begun;
	uint32_t entries; /* that were looked at */
	uint32_t notes;
};

static void clear(void *cache)
{
	struct touches *t = cache;
	touching_free(&t->of);
}

static const struct derived_kind kind = { sizeof(struct touches), clear };

/* The next note, if it precedes an entry. */
static const struct note_place *
note_before(const struct touches *t, const struct session *s, uint32_t entry)
{
	const struct dialect_touching *d = s->dialect->touching;
	if (!d || !d->read_note || t->notes >= s->now.notes.n)
		return NULL;
	const struct note_place *at = &s->now.notes.list[t->notes];
	return at->entry <= entry ? at : NULL;
}

/* Look at what is new. */
static int grow(struct touches *t, const struct session *s)
{
	const uint32_t n = s->now.index.n;
	int err = t->has_begun ? 0 : touching_begin(&t->of, s);
	t->has_begun = true;
	while (!err) {
		const struct note_place *note = note_before(t, s, t->entries);
		if (note) {
			err = touching_add_note(&t->of, s, t->notes, note);
			t->notes++;
		} else if (t->entries < n) {
			err = touching_add_entry(&t->of, s, t->entries++);
		} else {
			break;
		}
	}
	return err;
}

/* The table as of now; the caller unlocks it. NULL after an error. */
static struct touches *lock(const struct session *s, int *err)
{
	struct touches *t = derived_lock(s, &kind);
	*err = t ? grow(t, s) : -ENOMEM;
	if (t && *err) {
		/* It may have a part of an entry's touches. */
		derived_drop(&t->derived);
		derived_unlock(&t->derived);
		return NULL;
	}
	return t;
}

static void unlock(struct touches *t)
{
	derived_unlock(&t->derived);
}

/* Copy a touch of the table, which is unlocked. */
static bool take(struct touches *t, uint32_t i, struct touch *to)
{
	bool is = i < t->of.table.n;
	if (is)
		*to = t->of.table.list[i];
	unlock(t);
	return is;
}

int touches_get(const struct session *s, uint32_t i, struct touch *to)
{
	int err;
	struct touches *t = lock(s, &err);
	return t ? take(t, i, to) : err;
}

int touches_of_entry(const struct session *s, uint32_t entry, uint32_t nth,
		     struct touch *to)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	uint32_t i = touch_table_of_entry(&t->of.table, entry, nth);
	return take(t, i, to) ? 0 : -ENOENT;
}

int touches_result(const struct session *s, uint32_t from, uint32_t nth,
		   struct touch_result *r)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	size_t i =
		array_search_by(t->of.results, t->of.n_results, entry, from) +
		nth;
	bool is = i < t->of.n_results;
	if (is)
		*r = t->of.results[i];
	unlock(t);
	return is;
}

int touches_has_shell(const struct session *s, uint32_t entry)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	size_t i = array_search_numbers(t->of.shells, t->of.n_shells, entry);
	bool has = i < t->of.n_shells && t->of.shells[i] == entry;
	unlock(t);
	return has;
}

int touches_find(const struct session *s, uint32_t folder, struct span name,
		 struct touch *to)
{
	struct buf real = { 0 };
	uint32_t number = file_name_touch_number(name);
	int err = -ENOENT;
	struct touches *t = number > 0 ? lock(s, &err) : NULL;
	if (!t)
		return err;
	uint32_t i = touch_table_in_folder(&t->of.table, folder, number);
	if (!take(t, i, to))
		return -ENOENT;
	file_name_add_touch(&real, number, to->act, to->failed);
	bool is = span_eq(name, buf_span(&real));
	err = buf_end(&real);
	return err ? err : is ? 0 : -ENOENT;
}

int touches_find_folder(const struct session *s, uint32_t folder,
			struct span name, uint32_t *found)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	*found = touch_table_folder(&t->of.table, folder, name);
	unlock(t);
	return *found != TOUCH_NONE ? 0 : -ENOENT;
}

int touches_next(const struct session *s, uint32_t folder, uint32_t *at,
		 struct buf *name, struct touch *to)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	uint32_t i = touch_table_in_folder(&t->of.table, folder, *at + 1);
	if (!take(t, i, to))
		return 0;
	file_name_add_touch(name, to->number, to->act, to->failed);
	++*at;
	return 1;
}

/* The position is the number of the folder before, plus 1. */
int touches_next_folder(const struct session *s, uint32_t folder, uint32_t *at,
			struct buf *name, uint32_t *found)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	*found = TOUCH_NONE;
	if (*at == 0 && folder < t->of.table.n_folders)
		*found = t->of.table.folders[folder].first;
	else if (*at > 0 && *at <= t->of.table.n_folders)
		*found = t->of.table.folders[*at - 1].next;
	if (*found != TOUCH_NONE) {
		touch_table_add_name(&t->of.table, *found, name);
		*at = *found + 1;
	}
	unlock(t);
	return *found != TOUCH_NONE;
}

int touches_folder(const struct session *s, uint32_t folder, uint32_t *around,
		   uint32_t *depth)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	bool is = folder < t->of.table.n_folders;
	if (is) {
		*around = t->of.table.folders[folder].around;
		*depth = t->of.table.folders[folder].depth;
	}
	unlock(t);
	return is ? 0 : -ENOENT;
}

int touches_dir(const struct session *s, uint32_t folder, uint32_t *dir)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	*dir = folder < t->of.table.n_folders ? t->of.table.folders[folder].dir
					      : TOUCH_NONE;
	unlock(t);
	return *dir != TOUCH_NONE ? 0 : -ENOENT;
}

int touches_dir_folder(const struct session *s, uint32_t dir, uint32_t *folder)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	bool is = dir < t->of.table.n_dirs;
	if (is)
		*folder = t->of.table.dirs[dir];
	unlock(t);
	return is ? 0 : -ENOENT;
}

int touches_find_real(const struct session *s, uint32_t folder,
		      struct span name, uint32_t *found)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	*found = touch_table_real(&t->of.table, folder, name);
	unlock(t);
	return *found != TOUCH_NONE ? 0 : -ENOENT;
}

int touches_find_path(const struct session *s, struct span path,
		      uint32_t *folder)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	*folder = touch_table_path(&t->of.table, path);
	unlock(t);
	return *folder != TOUCH_NONE ? 0 : -ENOENT;
}

int touches_add_real(const struct session *s, uint32_t folder, struct buf *out)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	touch_table_add_real_name(&t->of.table, folder, out);
	unlock(t);
	return buf_error(out);
}

int touches_add_path(const struct session *s, uint32_t folder, struct buf *out)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	err = folder < t->of.table.n_folders
		      ? touch_table_add_path(&t->of.table, folder, out)
		      : -ENOENT;
	unlock(t);
	return err;
}

int touches_add_line(const struct session *s, uint32_t folder, struct buf *out)
{
	struct buf path = { 0 };
	int err = touches_add_path(s, folder, &path);
	text_finish(&path, 0);
	text_add_one_line(out, path.len > 0 ? buf_span(&path) : SPAN("."));
	buf_free_into(&path, out);
	return err;
}

int touches_spell(const struct session *s, struct span dir, struct span path,
		  struct buf *out)
{
	int err;
	struct touches *t = lock(s, &err);
	if (!t)
		return err;
	const struct touch_view v = { .cwd = buf_span(&t->of.cwd), .dir = dir };
	bool is = touch_path_add(out, &v, FILE_TOUCH, path);
	unlock(t);
	err = buf_error(out);
	return err ? err : is;
}
