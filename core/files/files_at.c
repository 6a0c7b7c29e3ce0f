#include "core/files/files_at.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/files/way.h"
#include "core/show/touching.h"

static const struct derived_kind kind = { sizeof(struct way), way_free };

/* The state at an entry; the caller unlocks it. NULL after an error. */
static struct way *lock(const struct session *s, uint32_t entry,
			const struct way_state **at, int *err)
{
	struct way *w = derived_lock(s, &kind);
	*err = w ? way_at(w, s, entry, at) : -ENOMEM;
	if (w && *err) {
		derived_drop(&w->derived);
		derived_unlock(&w->derived);
		return NULL;
	}
	return w;
}

/* -- one file */

static void describe(const struct way *w, const struct way_state *at,
		     uint32_t number, struct file_at *to)
{
	const struct text_version *v = texts_get(&w->texts, number);
	to->folder = v->folder;
	to->state = v->state;
	to->outside = v->outside;
	to->executable = v->executable;
	to->shell = at->shell > v->depth;
	to->call = v->call;
	to->size = v->size;
	to->entry = v->entry;
	to->nth = v->nth;
}

/* What a folder is at an entry; untouched, if it is no file. 0 or -errno. */
static int look(const struct session *s, uint32_t entry, uint32_t folder,
		struct file_at *to)
{
	const struct way_state *at;
	int err;
	struct way *w = lock(s, entry, &at, &err);
	if (!w)
		return err;
	uint32_t number = way_version(w, at, folder);
	*to = (struct file_at){ .folder = folder };
	if (number > 0)
		describe(w, at, number, to);
	to->is_dir = way_count(w, at, folder) > 0;
	derived_unlock(&w->derived);
	return 0;
}

/* Only a folder or a known file is found. */
static int find(const struct session *s, uint32_t entry, uint32_t folder,
		struct file_at *to)
{
	int err = look(s, entry, folder, to);
	if (err)
		return err;
	return to->is_dir || to->state == FILE_IS_KNOWN ? 0 : -ENOENT;
}

int files_at_find(const struct session *s, uint32_t entry, uint32_t folder,
		  struct span name, struct file_at *to)
{
	const struct touching *t;
	int err = touches_now(s, &t);
	if (err)
		return err;
	uint32_t found = touch_table_real(&t->table, folder, name);
	return found == TOUCH_NONE ? -ENOENT : find(s, entry, found, to);
}

int files_at_next(const struct session *s, uint32_t entry, uint32_t folder,
		  uint32_t *at, struct buf *name, struct file_at *to)
{
	const struct touching *t;
	uint32_t next = TOUCH_NONE;
	int err = touches_now(s, &t);
	if (err)
		return err;
	do {
		next = touch_table_next(&t->table, folder, at);
		err = next == TOUCH_NONE ? 0 : find(s, entry, next, to);
	} while (err == -ENOENT);
	if (err || next == TOUCH_NONE)
		return err;
	touch_table_add_real_name(&t->table, next, name);
	err = buf_error(name);
	return err ? err : 1;
}

/* Does a state say nothing of what the file was before? */
static bool says_nothing(enum file_state state)
{
	return state <= FILE_IS_PART || state == FILE_IS_NO_TEXT;
}

/*
 * The first version that was seen, of those up to one, without a change before
 * it; 0: there is none. *created: the file was made then.
 */
static uint32_t first_seen(const struct texts *t, uint32_t number,
			   uint32_t until, bool *created)
{
	uint32_t first = 0;
	*created = false;
	for (; number > 0 && number != until;
	     number = texts_get(t, number)->before) {
		const struct text_version *v = texts_get(t, number);
		if (v->seen || v->created)
			first = number;
		else if (v->state == FILE_IS_KNOWN || !says_nothing(v->state))
			first = 0;
	}
	if (first > 0)
		*created = texts_get(t, first)->created;
	return first;
}

int files_at_before(const struct session *s, uint32_t entry, uint32_t later,
		    uint32_t folder, struct file_at *to)
{
	const struct way_state *at;
	int err;
	bool created;
	struct way *w = lock(s, later, &at, &err);
	if (!w)
		return err;
	uint32_t last = way_version(w, at, folder);
	err = way_at(w, s, entry, &at);
	if (err) {
		derived_drop(&w->derived);
		derived_unlock(&w->derived);
		return err;
	}
	uint32_t is = way_version(w, at, folder);
	uint32_t first = 0;
	*to = (struct file_at){ .folder = folder };
	if (is > 0)
		describe(w, at, is, to);
	if (says_nothing(to->state) && to->state != FILE_IS_KNOWN)
		first = first_seen(&w->texts, last, is, &created);
	if (first > 0)
		describe(w, at, first, to);
	if (first > 0 && created)
		to->state = FILE_IS_DELETED;
	if (to->state == FILE_IS_MOVED)
		to->state = FILE_IS_DELETED;
	derived_unlock(&w->derived);
	return is > 0 || last > 0 ? 0 : -ENOENT;
}

int files_at_last(const struct session *s, uint32_t entry, uint32_t folder,
		  struct file_at *to)
{
	int err = look(s, entry, folder, to);
	return err ? err : to->state != FILE_IS_UNTOUCHED ? 0 : -ENOENT;
}

int files_at_has_text(const struct session *s, uint32_t folder,
		      struct span text)
{
	const struct way_state *at;
	int err;
	struct way *w = lock(s, INDEX_NONE, &at, &err);
	if (!w)
		return err;
	struct texts *t = &w->texts;
	bool has = false;
	for (uint32_t i = 1; !err && !has && i <= t->n; i++) {
		const struct text_version *v = texts_get(t, i);
		struct buf is BUF_SCOPED = { 0 };
		if (v->folder != folder || v->state != FILE_IS_KNOWN ||
		    v->size != text.n)
			continue;
		err = texts_add(t, i, &is);
		has = span_eq(buf_span(&is), text);
	}
	derived_unlock(&w->derived);
	return err ? err : has;
}

int files_at_file(const struct session *s, uint32_t entry, uint32_t nth,
		  struct file_at *to)
{
	const struct way_state *at;
	int err;
	struct way *w = lock(s, entry, &at, &err);
	if (!w)
		return err;
	bool is = nth < at->n;
	*to = (struct file_at){ 0 };
	if (is)
		describe(w, at, at->first + 1 + nth, to);
	derived_unlock(&w->derived);
	return is ? 0 : -ENOENT;
}

int files_at_add_text(const struct session *s, const struct file_at *file,
		      struct buf *out)
{
	const struct way_state *at;
	int err;
	struct way *w = lock(s, file->entry, &at, &err);
	if (!w)
		return err;
	err = file->nth < at->n && file->state == FILE_IS_KNOWN
		      ? texts_add(&w->texts, at->first + 1 + file->nth, out)
		      : -ENOENT;
	derived_unlock(&w->derived);
	return err;
}

int files_at_next_touched(const struct session *s, uint32_t entry, uint32_t *i,
			  struct file_at *to)
{
	const struct way_state *at;
	const struct touching *t;
	uint32_t number = 0;
	int err = touches_now(s, &t);
	struct way *w = err ? NULL : lock(s, entry, &at, &err);
	if (!w)
		return err;
	while (number == 0 && *i < t->table.n_folders)
		number = way_version(w, at, (*i)++);
	*to = (struct file_at){ 0 };
	if (number > 0)
		describe(w, at, number, to);
	derived_unlock(&w->derived);
	return number > 0;
}

/* -- files.txt */

/* A line of the table, by its path. */
struct row {
	struct span path;
	size_t at; /* in the rows' bytes */
	size_t n;
};

static void add_line(const struct session *s, const struct file_at *f,
		     struct buf *out)
{
	buf_addc(out, '\t');
	buf_adds(out, file_state_name(f->state));
	if (f->outside)
		buf_adds(out, ", changed outside");
	if (f->shell && f->state == FILE_IS_KNOWN)
		buf_adds(out, ", shell since");
	buf_addc(out, '\t');
	index_add_name(&s->now.index, out, f->call);
	if (f->state == FILE_IS_KNOWN)
		buf_addf(out, "\t%llu\n", (unsigned long long)f->size);
	else
		buf_adds(out, "\t-\n");
}

/* The lines of the table, in any order; each begins with its path. */
struct table {
	struct buf bytes;
	struct row *rows;
	size_t n;
	size_t cap;
};

static int load_table(struct table *t, const struct session *s, uint32_t entry)
{
	struct file_at f = { 0 };
	uint32_t at = 0;
	int got;
	int err = 0;
	while (!err && (got = files_at_next_touched(s, entry, &at, &f)) != 0) {
		size_t from = t->bytes.len;
		err = got < 0 ? got : array_reserve(&t->rows, &t->cap, t->n, 1);
		if (!err)
			err = touches_add_line(s, f.folder, &t->bytes);
		if (err)
			break;
		t->rows[t->n].path.n = t->bytes.len - from;
		add_line(s, &f, &t->bytes);
		t->rows[t->n].at = from;
		t->rows[t->n++].n = t->bytes.len - from;
		err = buf_error(&t->bytes);
	}
	for (size_t i = 0; i < t->n; i++)
		t->rows[i].path.p = t->bytes.data + t->rows[i].at;
	return err;
}

int files_at_add_table(const struct session *s, uint32_t entry, struct buf *out)
{
	struct table t = { 0 };
	int err = load_table(&t, s, entry);
	if (t.n > 0)
		qsort(t.rows, t.n, sizeof(t.rows[0]), span_order);
	for (size_t i = 0; !err && i < t.n; i++)
		buf_add(out, (struct span){ t.rows[i].path.p, t.rows[i].n });
	buf_free(&t.bytes);
	free(t.rows);
	return err ? err : buf_error(out);
}
