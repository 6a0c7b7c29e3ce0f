#include "core/files/way.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/files/files_at.h"
#include "core/session/dialect.h"
#include "core/show/touching.h"

uint32_t way_version(const struct way *w, const struct way_state *at,
		     uint32_t folder)
{
	return slots_get(&w->slots, at->files, 2 * folder);
}

uint32_t way_count(const struct way *w, const struct way_state *at,
		   uint32_t folder)
{
	return slots_get(&w->slots, at->files, 2 * folder + 1);
}

/* A state that is found: what an entry adds to its parent's. */
struct step {
	struct way *w;
	const struct session *s;
	const struct touching *touching;
	uint32_t entry;
	struct way_state at;
};

static bool is_known(const struct way *w, uint32_t version)
{
	return version > 0 &&
	       texts_get(&w->texts, version)->state == FILE_IS_KNOWN;
}

/* The folder around one. */
static uint32_t around(const struct step *f, uint32_t folder)
{
	return f->touching->table.folders[folder].around;
}

/* One known file more, or less, below the folders around one. */
static int count(struct step *f, uint32_t folder, bool more)
{
	int err = 0;
	while (!err && folder != TOUCH_ROOT) {
		folder = around(f, folder);
		uint32_t n = way_count(f->w, &f->at, folder);
		err = slots_put(&f->w->slots, &f->at.files, 2 * folder + 1,
				more ? n + 1 : n - 1);
	}
	return err;
}

/* Add a version after one: *number, which is then the new one. */
static int add(struct step *f, uint32_t folder, uint32_t call,
	       struct file_text *t, uint32_t *number)
{
	const struct text_version v = { .before = *number,
					.folder = folder,
					.entry = f->entry,
					.nth = f->at.n,
					.call = call,
					.depth = f->at.depth };
	int err = 0;
	if (f->at.n >= FILES_OF_ENTRY)
		file_text_free(t);
	else
		err = texts_put(&f->w->texts, &v, t, number);
	f->at.n += !err && *number != v.before;
	return err;
}

static int keep(struct step *f, uint32_t folder, uint32_t call,
		struct file_text *t)
{
	struct way *w = f->w;
	uint32_t old = way_version(w, &f->at, folder);
	uint32_t new = old;
	int err = buf_error(&t->before);
	/* A text that was seen, and changed by the same call, counts, too. */
	if (!err && t->before.len > 0) {
		struct file_text seen = { .state = FILE_IS_KNOWN,
					  .text = t->before,
					  .seen = true };
		t->before = (struct buf){ 0 };
		err = add(f, folder, call, &seen, &new);
	}
	if (!err)
		err = add(f, folder, call, t, &new);
	else
		file_text_free(t);
	if (err || new == old)
		return err;
	err = slots_put(&w->slots, &f->at.files, 2 * folder, new);
	if (!err && is_known(w, old) != is_known(w, new))
		err = count(f, folder, is_known(w, new));
	return err;
}

int step_load(struct step *f, uint32_t folder, struct file_text *t)
{
	return texts_load(&f->w->texts, way_version(f->w, &f->at, folder), t);
}

/* A file that was known is a folder now, since there is one in it. */
static int make_folders(struct step *f, uint32_t folder, uint32_t call)
{
	int err = 0;
	while (!err && folder != TOUCH_ROOT) {
		folder = around(f, folder);
		if (is_known(f->w, way_version(f->w, &f->at, folder))) {
			struct file_text t;
			err = step_load(f, folder, &t);
			file_text_lose(&t, FILE_IS_FOLDER);
			err = err ? err : keep(f, folder, call, &t);
		}
	}
	return err;
}

int step_keep(struct step *f, uint32_t folder, uint32_t call,
	      struct file_text *t)
{
	bool known = t->state == FILE_IS_KNOWN;
	int err = keep(f, folder, call, t);
	return !err && known ? make_folders(f, folder, call) : err;
}

/* -- the lines of an entry */

/* Files of calls that have no result yet, or that no call tells more of. */
static int add_calls(struct step *f)
{
	struct touch t;
	int err = 0;
	for (uint32_t nth = 0; !err; nth++) {
		err = touches_of_entry(f->s, f->entry, nth, &t);
		if (err || t.noted || way_version(f->w, &f->at, t.folder) > 0)
			continue;
		struct file_text text = { .state = t.act == FILE_TOUCH
							   ? FILE_IS_NAMED
							   : FILE_IS_PENDING };
		err = keep(f, t.folder, f->entry, &text);
	}
	return err == -ENOENT ? 0 : err;
}

/* Is an entry on the way to another one, or that one? */
static bool is_above(const struct session *s, uint32_t above, uint32_t entry)
{
	while (entry != INDEX_NONE && entry > above)
		entry = session_entry(s, entry)->parent;
	return entry == above;
}

/*
 * Does a result beside the way to an entry count: of a call on the way, or of
 * one in the same answer as an entry on the way?
 */
static bool counts_beside(const struct session *s, const struct touch_result *r,
			  uint32_t entry)
{
	const struct dialect_filing *d = s->dialect->filing;
	uint32_t answer = d->answer(s, r->call);
	uint32_t at = r->call;
	if (session_entry(s, r->entry)->parent != r->call)
		return false;
	while (!is_above(s, at, entry)) {
		at = session_entry(s, at)->parent;
		if (answer == 0 || at == INDEX_NONE ||
		    d->answer(s, at) != answer)
			return false;
	}
	return true;
}

/* The results in the entry, and those beside the way since its parent. */
static int add_results(struct step *f, uint32_t parent)
{
	const struct dialect_filing *d = f->s->dialect->filing;
	bool beside =
		d && d->answer && parent != INDEX_NONE && parent < f->entry;
	uint32_t from = beside ? parent + 1 : f->entry;
	const struct touching *t = f->touching;
	int err = 0;
	for (size_t i = array_search_by(t->results, t->n_results, entry, from);
	     !err && i < t->n_results && t->results[i].entry <= f->entry; i++) {
		const struct touch_result *r = &t->results[i];
		if (!beside || r->entry == f->entry ||
		    counts_beside(f->s, r, parent))
			err = result_apply(f->s, r, f);
	}
	return err;
}

/* What the agent has saved since the parent, before the entry was written. */
static int add_saved(struct step *f, uint32_t parent)
{
	const struct dialect_filing *d = f->s->dialect->filing;
	const struct note_place *list = f->s->now.notes.list;
	size_t n = f->s->now.notes.n;
	uint32_t from = parent == INDEX_NONE ? 0 : parent + 1;
	int err = 0;
	if (!d || !d->saved)
		return 0;
	if (d->saved_types & ENTRY_BIT(session_entry(f->s, f->entry)->type))
		return result_apply_saved(f->s, f->entry, NULL, f);
	for (size_t i = array_search_by(list, n, entry, from);
	     !err && i < n && list[i].entry <= f->entry; i++)
		err = result_apply_saved(f->s, f->entry, &list[i], f);
	return err;
}

static int find(struct way *w, const struct session *s,
		const struct touching *t, uint32_t entry)
{
	uint32_t parent = session_entry(s, entry)->parent;
	struct step f = { .w = w, .s = s, .touching = t, .entry = entry };
	if (parent != INDEX_NONE)
		f.at = w->states[parent];
	f.at.depth++;
	f.at.first = w->texts.n;
	f.at.n = 0;
	slots_share(&w->slots);
	int err = add_saved(&f, parent);
	if (!err)
		err = add_results(&f, parent);
	if (!err)
		err = add_calls(&f);
	size_t i = array_search_numbers(t->shells, t->n_shells, entry);
	if (i < t->n_shells && t->shells[i] == entry)
		f.at.shell = f.at.depth;
	f.at.done = true;
	w->states[entry] = f.at;
	return err;
}

int way_at(struct way *w, const struct session *s, uint32_t entry,
	   const struct way_state **at)
{
	static const struct way_state none;
	uint32_t *todo = NULL;
	size_t n = 0;
	size_t cap = 0;
	*at = &none;
	if (entry == INDEX_NONE)
		return 0;
	const struct touching *t;
	int err = touches_now(s, &t);
	if (!err)
		err = array_extend(&w->states, &w->cap, &w->n, s->now.index.n);
	for (uint32_t i = entry; !err && i != INDEX_NONE && !w->states[i].done;
	     i = session_entry(s, i)->parent) {
		err = array_add(&todo, &cap, &n, i);
	}
	while (!err && n > 0)
		err = find(w, s, t, todo[--n]);
	free(todo);
	if (!err)
		*at = &w->states[entry];
	return err;
}

void way_free(void *way)
{
	struct way *w = way;
	slots_free(&w->slots);
	texts_free(&w->texts);
	free(w->states);
}
