#include "core/files/way.h"

#include <errno.h>

#include "core/files/edits.h"
#include "core/session/dialect.h"
#include "core/session/path.h"
#include "core/show/call_files.h"
#include "core/show/rows.h"

/* A call, as its files are visited. */
struct applying {
	const struct session *s;
	const struct touch_result *r;
	struct step *to;
	struct filed filed;
	uint32_t n; /* of its files */
	/* The file that is moved, after its first path. */
	struct file_text moved;
	uint32_t moved_from;
	bool is_moved;
};

static void fail(const struct applying *a, struct file_text *t)
{
	const struct dialect_filing *d = a->s->dialect->filing;
	if (d->half_done && d->half_done(&a->filed))
		file_text_lose(t, FILE_IS_UNKNOWN);
	else if (t->state == FILE_IS_PENDING || t->state == FILE_IS_UNTOUCHED ||
		 t->state == FILE_IS_NAMED)
		file_text_lose(t, FILE_IS_FAILED);
}

static int change(const struct applying *a, struct file_text *t)
{
	int err = a->s->dialect->filing->apply(&a->filed, t);
	if (t->state == FILE_IS_UNTOUCHED || t->state == FILE_IS_PENDING)
		file_text_lose(t, FILE_IS_UNKNOWN);
	return err ? err : buf_error(&t->text);
}

/* The first path of a file that is moved loses its text to the second. */
static int move(struct applying *a, uint32_t folder, struct file_text *t)
{
	int err = 0;
	/* Codex writes such a file, and deletes it then. */
	if (a->is_moved && a->moved_from == folder)
		file_text_lose(t, FILE_IS_DELETED);
	else if (a->is_moved && a->moved.state == FILE_IS_KNOWN)
		file_text_write(t, buf_span(&a->moved.text));
	else if (a->is_moved)
		file_text_lose(t, a->moved.state);
	else
		err = change(a, t);
	if (!a->is_moved) {
		a->moved = *t;
		a->moved_from = folder;
		t->text = (struct buf){ 0 };
		t->before = (struct buf){ 0 };
		file_text_lose(t, FILE_IS_MOVED);
	} else {
		file_text_free(&a->moved);
	}
	a->is_moved = !a->is_moved;
	return err;
}

/* Is a file written by another call of the same answer, if that succeeds? */
static bool is_written_beside(const struct applying *a, uint32_t folder)
{
	struct touch t;
	for (uint32_t nth = 0; touches_of_entry(a->s, a->r->call, nth, &t) == 0;
	     nth++) {
		if (t.folder == folder && t.act >= FILE_WRITE)
			return true;
	}
	return false;
}

static int apply(struct applying *a, uint32_t folder, struct file_text *t)
{
	if (a->r->failed) {
		fail(a, t);
		return 0;
	}
	if (a->filed.act == FILE_READ && a->s->dialect->filing->at_once &&
	    is_written_beside(a, folder)) {
		if (t->state == FILE_IS_UNTOUCHED ||
		    t->state == FILE_IS_PENDING)
			file_text_lose(t, FILE_IS_PART);
		return 0;
	}
	switch (a->filed.act) {
	case FILE_DELETE:
		file_text_lose(t, FILE_IS_DELETED);
		return 0;
	case FILE_MOVE:
		return move(a, folder, t);
	case FILE_READ:
	case FILE_WRITE:
	case FILE_EDIT:
		return change(a, t);
	default:
		if (t->state == FILE_IS_UNTOUCHED ||
		    t->state == FILE_IS_PENDING)
			file_text_lose(t, FILE_IS_NAMED);
		return 0;
	}
}

/* The folder of a path as calls spell it: 0 or -errno; -ENOENT if it has none.
 */
static int find_folder(const struct session *s, struct span path,
		       uint32_t *folder)
{
	struct buf real BUF_SCOPED = { 0 };
	int got = touches_spell(s, (struct span){ 0 }, path, &real);
	return got < 0	  ? got
	       : got == 0 ? -ENOENT
			  : touches_find_path(s, buf_span(&real), folder);
}

/* The folder of the file that the result tells of, if that is another one. */
static int find_other(const struct applying *a, uint32_t *folder)
{
	const struct dialect_filing *d = a->s->dialect->filing;
	struct json path = { 0 };
	struct buf text = { 0 };
	if (d->path && !a->r->failed && a->filed.act != FILE_MOVE)
		path = d->path(&a->filed);
	json_decode(&text, path);
	uint32_t found;
	int err = find_folder(a->s, buf_span(&text), &found);
	if (!err)
		*folder = found;
	int lacks = buf_end(&text);
	return lacks ? lacks : err == -ENOENT ? 0 : err;
}

/* As core/show/touching.h has added them: what names no file is no touch. */
static int visit(struct applying *a, struct span path)
{
	struct buf real BUF_SCOPED = { 0 };
	struct touch touch;
	int got = touches_spell(a->s, (struct span){ 0 }, path, &real);
	if (got <= 0 || a->n >= a->r->touches)
		return got < 0 ? got : 0;
	int err =
		touches_of_entry(a->s, a->r->call, a->r->nth + a->n++, &touch);
	buf_clear(&real);
	a->filed.act = touch.act;
	if (!err)
		err = touches_add_path(a->s, touch.folder, &real);
	a->filed.path = buf_span(&real);
	if (!err)
		err = find_other(a, &touch.folder);
	struct file_text t;
	if (!err)
		err = step_load(a->to, touch.folder, &t);
	if (!err) {
		uint32_t note = a->r->note;
		/* Notes are in the order of what was done; results need not be.
		 */
		if (note == 0 || note >= t.note)
			err = apply(a, touch.folder, &t);
		if (note > t.note && t.told)
			t.note = note;
		if (!err)
			err = step_keep(a->to, touch.folder, a->r->call, &t);
		else
			file_text_free(&t);
	}
	return err;
}

static int visit_call(void *data, const struct call_file *f)
{
	struct applying *a = data;
	a->filed.body = f->body;
	return visit(a, f->path);
}

static int visit_note(struct call_note *note, enum file_act act,
		      struct json path)
{
	struct applying *a = note->data;
	struct buf text BUF_SCOPED = { 0 };
	(void)act;
	json_decode(&text, path);
	a->filed.change = note->change;
	int err = buf_error(&text);
	if (!err)
		err = visit(a, buf_span(&text));
	return err;
}

/* The block at a place among those of a line; of no type if there is none. */
static struct block block_at(const struct dialect_showing *d, struct json line,
			     uint32_t at)
{
	BLOCK_EACH(b, d->read_block, rows_content(d, line)) {
		if (at-- == 0)
			return b.type == BLOCK_OTHER ? d->read_block(b.json)
						     : b;
	}
	return (struct block){ 0 };
}

/* The lines of a call. */
struct lines {
	struct buf call;
	struct buf result;
	struct buf note;
	struct buf arguments;
};

static int read_lines(struct applying *a, struct lines *l)
{
	const struct dialect *d = a->s->dialect;
	struct filed *f = &a->filed;
	struct span text;
	int err = session_peek(a->s, a->r->call, &l->call, NULL, &f->caller);
	if (!err)
		err = session_peek(a->s, a->r->line, &l->result, &text,
				   &f->line);
	if (!err && a->r->note > 0) {
		const struct note_place *at =
			&a->s->now.notes.list[a->r->note - 1];
		err = session_read_line(a->s, at->offset, at->length, &l->note,
					&f->note);
	}
	if (err)
		return err;
	struct block b = block_at(d->showing, f->caller, a->r->call_block);
	f->name = b.name;
	f->arguments = block_arguments(&b, &l->arguments);
	f->output =
		a->r->block == TOUCH_WHOLE_LINE
			? rows_content(d->showing, f->line)
			: block_at(d->showing, f->line, a->r->block).content;
	return buf_error(&l->arguments);
}

int result_apply(const struct session *s, const struct touch_result *r,
		 struct step *to)
{
	struct applying a = { .s = s, .r = r, .to = to, .filed.s = s };
	struct lines l = { 0 };
	if (!s->dialect->filing)
		return 0;
	int err = read_lines(&a, &l);
	if (!err && r->noted) {
		struct call_note note = { .add = visit_note, .data = &a };
		err = s->dialect->touching->read_note(a.filed.note, &note);
	} else if (!err) {
		err = call_files(a.filed.name, a.filed.arguments, visit_call,
				 &a);
	}
	file_text_free(&a.moved);
	buf_free(&l.call);
	buf_free(&l.result);
	buf_free(&l.note);
	buf_free(&l.arguments);
	return err;
}

/* A text that the calls before had made, but for ends of lines, is no other. */
static int take_saved(struct file_text *t, const struct file_text *saved)
{
	struct span text = buf_span(&saved->text);
	int same = 0;
	if (saved->state != FILE_IS_KNOWN) {
		file_text_lose(t, saved->state);
		/* It was not there before it was made. */
		t->created = saved->state == FILE_IS_DELETED;
		return 0;
	}
	if (t->state == FILE_IS_KNOWN)
		same = edits_same_lf(text, buf_span(&t->text));
	bool outside = t->outside;
	if (same > 0) {
		file_text_write(t, text);
		t->outside = outside;
	} else if (same == 0) {
		file_text_see(t, text);
	}
	return same < 0 ? same : buf_error(&t->text);
}

static int apply_saved(const struct session *s, uint32_t entry,
		       struct span path, const struct file_text *saved,
		       struct step *to)
{
	struct file_text t;
	uint32_t folder;
	int err = find_folder(s, path, &folder);
	if (!err)
		err = step_load(to, folder, &t);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = take_saved(&t, saved);
	if (!err)
		return step_keep(to, folder, entry, &t);
	file_text_free(&t);
	return err;
}

/* A line that is read. */
struct saving {
	const struct session *s;
	uint32_t entry;
	struct step *step;
};

static int add_saved(struct saved_files *to, struct json path,
		     const struct file_text *text)
{
	const struct saving *a = to->data;
	struct buf name BUF_SCOPED = { 0 };
	json_decode(&name, to->about);
	uint32_t about = index_find(&a->s->now.index, buf_span(&name));
	if (json_type(to->about) != JSON_ABSENT &&
	    (about == INDEX_NONE || !path_has(a->s, a->entry, about)))
		return buf_end(&name);
	buf_clear(&name);
	json_decode(&name, path);
	int err = buf_error(&name);
	if (!err)
		err = apply_saved(a->s, a->entry, buf_span(&name), text,
				  a->step);
	return err;
}

int result_apply_saved(const struct session *s, uint32_t entry,
		       const struct note_place *at, struct step *step)
{
	struct saving a = { s, entry, step };
	struct saved_files to = { .entry = entry,
				  .add = add_saved,
				  .data = &a };
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	int err =
		at ? session_read_line(s, at->offset, at->length, &line, &json)
		   : session_peek(s, entry, &line, NULL, &json);
	if (!err)
		err = s->dialect->filing->saved(s, json, &to);
	return err;
}
