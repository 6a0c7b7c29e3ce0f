#include "core/files/way.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/files/files_at.h"
#include "core/files/result.h"
#include "core/session/dialect.h"
#include "core/show/touches.h"

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
	uint32_t entry;
	struct way_state at;
};

static bool is_known(const struct way *w, uint32_t version)
{
	return version > 0 &&
	       texts_get(&w->texts, version)->state == FILE_IS_KNOWN;
}

/* One known file more, or less, below the folders around one. */
static int count(struct step *f, uint32_t folder, bool more)
{
	uint32_t around = folder;
	uint32_t depth;
	int err = 0;
	do {
		folder = around;
		err = touches_folder(f->s, folder, &around, &depth);
		if (err || folder == around)
			break;
		uint32_t n = way_count(f->w, &f->at, around);
		err = slots_put(&f->w->slots, &f->at.files, 2 * around + 1,
				more ? n + 1 : n - 1);
	} while (!err);
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

/* A text that was seen, and changed by the same call, is a version, too. */
static int add_seen(struct step *f, uint32_t folder, uint32_t call,
		    struct file_text *t, uint32_t *number)
{
	struct file_text seen = { .state = FILE_IS_KNOWN,
				  .text = t->before,
				  .seen = true };
	int err = buf_error(&t->before);
	if (err || t->before.len == 0)
		return err;
	t->before = (struct buf){ 0 };
	return add(f, folder, call, &seen, number);
}

static int keep(struct step *f, uint32_t folder, uint32_t call,
		struct file_text *t)
{
	struct way *w = f->w;
	uint32_t old = way_version(w, &f->at, folder);
	uint32_t new = old;
	int err = add_seen(f, folder, call, t, &new);
	if (!err)
		err = add(f, folder, call, t, &new);
	if (err || new == old)
		return err;
	err = slots_put(&w->slots, &f->at.files, 2 * folder, new);
	if (!err && is_known(w, old) != is_known(w, new))
		err = count(f, folder, is_known(w, new));
	return err;
}

static int load(struct step *f, uint32_t folder, struct file_text *t)
{
	return texts_load(&f->w->texts, way_version(f->w, &f->at, folder), t);
}

/* A file that was known is a folder now, since there is one in it. */
static int make_folders(struct step *f, uint32_t folder, uint32_t call)
{
	uint32_t around;
	uint32_t depth;
	int err = touches_folder(f->s, folder, &around, &depth);
	while (!err && around != folder) {
		folder = around;
		if (is_known(f->w, way_version(f->w, &f->at, folder))) {
			struct file_text t;
			err = load(f, folder, &t);
			file_text_lose(&t, FILE_IS_FOLDER);
			err = err ? err : keep(f, folder, call, &t);
		}
		if (!err)
			err = touches_folder(f->s, folder, &around, &depth);
	}
	return err;
}

static int load_file(void *data, uint32_t folder, struct file_text *t)
{
	return load(data, folder, t);
}

static int keep_file(void *data, uint32_t folder, uint32_t call,
		     struct file_text *t)
{
	struct step *f = data;
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
	const struct file_store store = { load_file, keep_file, f };
	bool beside =
		d && d->answer && parent != INDEX_NONE && parent < f->entry;
	uint32_t from = beside ? parent + 1 : f->entry;
	struct touch_result r;
	for (uint32_t nth = 0;; nth++) {
		int got = touches_result(f->s, from, nth, &r);
		if (got <= 0 || r.entry > f->entry)
			return got < 0 ? got : 0;
		if (beside && r.entry != f->entry &&
		    !counts_beside(f->s, &r, parent))
			continue;
		int err = result_apply(f->s, &r, &store);
		if (err)
			return err;
	}
}

/* What the agent has saved since the parent, before the entry was written. */
static int add_saved(struct step *f, uint32_t parent)
{
	const struct file_store store = { load_file, keep_file, f };
	const struct dialect_filing *d = f->s->dialect->filing;
	const struct note_place *list = f->s->now.notes.list;
	size_t n = f->s->now.notes.n;
	uint32_t from = parent == INDEX_NONE ? 0 : parent + 1;
	int err = 0;
	if (!d || !d->saved)
		return 0;
	if (d->saved_types & ENTRY_BIT(session_entry(f->s, f->entry)->type))
		return result_apply_saved(f->s, f->entry, NULL, &store);
	for (size_t i = array_search_by(list, n, entry, from);
	     !err && i < n && list[i].entry <= f->entry; i++)
		err = result_apply_saved(f->s, f->entry, &list[i], &store);
	return err;
}

static int find(struct way *w, const struct session *s, uint32_t entry)
{
	uint32_t parent = session_entry(s, entry)->parent;
	struct step f = { .w = w, .s = s, .entry = entry };
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
	int shell = err ? 0 : touches_has_shell(s, entry);
	if (shell > 0)
		f.at.shell = f.at.depth;
	f.at.done = true;
	w->states[entry] = f.at;
	return err ? err : shell < 0 ? shell : 0;
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
	int err = array_extend(&w->states, &w->cap, &w->n, s->now.index.n);
	for (uint32_t i = entry; !err && i != INDEX_NONE && !w->states[i].done;
	     i = session_entry(s, i)->parent) {
		err = array_reserve(&todo, &cap, n, 1);
		if (!err)
			todo[n++] = i;
	}
	while (!err && n > 0)
		err = find(w, s, todo[--n]);
	free(todo);
	if (!err)
		*at = &w->states[entry];
	return err;
}

void way_free(struct way *w)
{
	slots_free(&w->slots);
	texts_free(&w->texts);
	free(w->states);
}
