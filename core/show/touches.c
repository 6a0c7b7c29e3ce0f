#include "core/show/touches.h"

#include <errno.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/session/file_name.h"
#include "core/show/touching.h"

static const struct derived_kind kind = { sizeof(struct touching),
					  touching_free };

int touches_now(const struct session *s, const struct touching **of)
{
	struct touching *t = derived_lock(s, &kind);
	if (!t)
		return -ENOMEM;
	int err = touching_grow(t, s);
	if (err)
		derived_drop(&t->derived);
	derived_unlock(&t->derived);
	*of = t;
	return err;
}

static bool take(const struct touch_table *t, uint32_t i, struct touch *to)
{
	bool is = i < t->n;
	if (is)
		*to = t->list[i];
	return is;
}

int touches_get(const struct session *s, uint32_t i, struct touch *to)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	return err ? err : take(&t->table, i, to);
}

int touches_of_entry(const struct session *s, uint32_t entry, uint32_t nth,
		     struct touch *to)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err)
		return err;
	uint32_t i =
		touch_table_find(&t->table, &t->table.by_entry, entry, nth);
	return take(&t->table, i, to) ? 0 : -ENOENT;
}

int touches_find(const struct session *s, uint32_t folder, struct span name,
		 struct touch *to)
{
	const struct touching *t;
	struct buf real = { 0 };
	uint32_t number = file_name_touch_number(name);
	int err = number > 0 ? touches_now(s, &t) : -ENOENT;
	if (err)
		return err;
	uint32_t i = touch_table_find(&t->table, &t->table.by_number, folder,
				      number);
	if (!take(&t->table, i, to))
		return -ENOENT;
	file_name_add_touch(&real, number, to->act, to->failed);
	bool is = span_eq(name, buf_span(&real));
	err = buf_end(&real);
	return err ? err : is ? 0 : -ENOENT;
}

int touches_find_folder(const struct session *s, uint32_t folder,
			struct span name, uint32_t *found)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	*found = err ? TOUCH_NONE : touch_table_folder(&t->table, folder, name);
	return err ? err : *found != TOUCH_NONE ? 0 : -ENOENT;
}

int touches_next(const struct session *s, uint32_t folder, uint32_t *at,
		 struct buf *name, struct touch *to)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err)
		return err;
	uint32_t i = touch_table_find(&t->table, &t->table.by_number, folder,
				      *at + 1);
	if (!take(&t->table, i, to))
		return 0;
	file_name_add_touch(name, to->number, to->act, to->failed);
	++*at;
	return 1;
}

int touches_next_folder(const struct session *s, uint32_t folder, uint32_t *at,
			struct buf *name, uint32_t *found)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err)
		return err;
	*found = touch_table_next(&t->table, folder, at);
	if (*found == TOUCH_NONE)
		return 0;
	touch_table_add_name(&t->table, *found, name);
	return 1;
}

int touches_folder(const struct session *s, uint32_t folder,
		   struct touch_folder *f)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err || folder >= t->table.n_folders)
		return err ? err : -ENOENT;
	*f = t->table.folders[folder];
	return 0;
}

int touches_dir_folder(const struct session *s, uint32_t dir, uint32_t *folder)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err || dir >= t->table.n_dirs)
		return err ? err : -ENOENT;
	*folder = t->table.dirs[dir];
	return 0;
}

int touches_find_path(const struct session *s, struct span path,
		      uint32_t *folder)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	*folder = err ? TOUCH_NONE : touch_table_path(&t->table, path);
	return err ? err : *folder != TOUCH_NONE ? 0 : -ENOENT;
}

int touches_add_path(const struct session *s, uint32_t folder, struct buf *out)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err || folder >= t->table.n_folders)
		return err ? err : -ENOENT;
	return touch_table_add_path(&t->table, folder, out);
}

int touches_add_line(const struct session *s, uint32_t folder, struct buf *out)
{
	struct buf path BUF_SCOPED = BUF_INTO(out);
	int err = touches_add_path(s, folder, &path);
	text_finish(&path, 0);
	text_add_one_line(out, path.len > 0 ? buf_span(&path) : SPAN("."));
	return err;
}

int touches_spell(const struct session *s, struct span dir, struct span path,
		  struct buf *out)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err)
		return err;
	const struct touch_view v = { .cwd = buf_span(&t->cwd), .dir = dir };
	bool is = touch_path_add(out, &v, FILE_TOUCH, path);
	err = buf_error(out);
	return err ? err : is;
}

int touches_is_around(const struct session *s, struct span path)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err)
		return err;
	return span_starts(path, SPAN("/")) &&
	       pathname_is_in(buf_span(&t->cwd), path);
}
