#include "core/show/touching.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/show/call_files.h"
#include "core/show/rows.h"

static struct span call_key(const void *owner, uint32_t value,
			    struct idtable_scratch *scratch)
{
	const struct touching *t = owner;
	(void)scratch;
	return buf_kept(&t->table.texts, t->calls[value].id);
}

/* -- files of a call */

/* One file of a call; text that names none is left out. */
static int add_touch(struct touching *t, const struct session *s,
		     const struct touching_call *call, enum file_act act,
		     struct span text)
{
	const struct dialect_touching *d = s->dialect->touching;
	const struct touch_view view = { buf_span(&t->cwd), buf_span(&t->dir),
					 d ? d->spelling : 0 };
	const struct touch new = { .entry = call->entry,
				   .act = act,
				   .failed = call->failed,
				   .noted = call->noted };
	struct buf path BUF_SCOPED = { 0 };
	int err = 0;
	if (touch_table_has_room(&t->table) &&
	    touch_path_add(&path, &view, act, text))
		err = touch_table_add(&t->table, buf_span(&path), &new);
	if (!err)
		err = buf_error(&path);
	return err;
}

/* A call whose files are added. */
struct adding {
	struct touching *t;
	const struct session *s;
	const struct touching_call *call;
};

static int add_file(void *data, const struct call_file *f)
{
	const struct adding *a = data;
	return add_touch(a->t, a->s, a->call, f->act, f->path);
}

/* -- calls */

/* The newest call with an id, or NULL. */
static struct touching_call *call_with(struct touching *t, struct span id)
{
	uint32_t i = id.n > 0 ? idtable_find(&t->by_call, t, id) : IDTABLE_NONE;
	return i == IDTABLE_NONE ? NULL : &t->calls[i];
}

static struct touching_call *find_call(struct touching *t, struct json id)
{
	struct buf text BUF_SCOPED = BUF_INTO(&t->dir);
	json_decode(&text, id);
	return call_with(t, buf_span(&text));
}

/*
 * Some agents give many calls one id: results are those of the newest, even if
 * that one is `idle`, which is kept for nothing else.
 */
static int keep_call(struct touching *t, struct touching_call call,
		     struct json id, bool idle)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, id);
	int err = buf_error(&text);
	struct touching_call *known =
		err ? NULL : call_with(t, buf_span(&text));
	if (known) {
		call.id = known->id;
		*known = call;
	} else if (!err && !idle && text.len > 0) {
		err = buf_keep(&t->table.texts, buf_span(&text), &call.id);
		if (!err)
			err = idtable_add(&t->by_call, buf_span(&text),
					  (uint32_t)t->n_calls);
		if (!err)
			err = array_add(&t->calls, &t->calls_cap, &t->n_calls,
					call);
	}
	return err;
}

static int add_shell(struct touching *t, uint32_t entry)
{
	if (t->n_shells > 0 && t->shells[t->n_shells - 1] == entry)
		return 0;
	return array_add(&t->shells, &t->shells_cap, &t->n_shells, entry);
}

static int add_call(struct touching *t, const struct session *s, uint32_t entry,
		    uint32_t block, const struct block *b)
{
	const struct dialect_touching *d = s->dialect->touching;
	struct touching_call call = { .entry = entry,
				      .block = block,
				      .from = t->table.n };
	struct adding a = { t, s, &call };
	struct buf scratch BUF_SCOPED = { 0 };
	struct json arguments = block_arguments(b, &scratch);
	int err = buf_error(&scratch);
	const struct tool_row *row = NULL;
	if (!err)
		row = call_files_row(b->name, &err);
	call.shell = row && row->kind == TOOL_SHELL;
	if (!err)
		err = call_files(b->name, arguments, add_file, &a);
	call.to = t->table.n;
	bool idle = call.to == call.from && !(d && d->read_note) && !call.shell;
	if (!err)
		err = keep_call(t, call, b->id, idle);
	if (!err && call.shell)
		err = add_shell(t, entry);
	return err;
}

static void fail_call(struct touching *t, struct touching_call *call)
{
	call->failed = true;
	for (uint32_t i = call->from; i < call->to; i++)
		t->table.list[i].failed = true;
}

static int put_result(struct touching *t, uint32_t entry,
		      const struct touching_call *call)
{
	struct touch_result r = { .entry = entry,
				  .line = call->line,
				  .block = call->result_block,
				  .call = call->entry,
				  .call_block = call->block,
				  .nth = t->table.list[call->from].nth,
				  .touches = call->to - call->from,
				  .note = call->note,
				  .noted = call->noted,
				  .failed = call->failed };
	return array_add(&t->results, &t->results_cap, &t->n_results, r);
}

static int add_result(struct touching *t, uint32_t entry, uint32_t block,
		      const struct block *b)
{
	struct touching_call *call = find_call(t, b->id);
	if (!call)
		return 0;
	if (json_truthy(b->error))
		fail_call(t, call);
	int err = call->shell ? add_shell(t, entry) : 0;
	call->answered = true;
	call->line = entry;
	call->result_block = block;
	if (err || call->from == call->to)
		return err;
	return put_result(t, entry, call);
}

/* -- lines */

static void set_dir(struct touching *t, const struct session *s,
		    struct json line)
{
	const struct dialect_touching *d = s->dialect->touching;
	struct json v = { 0 };
	struct buf text BUF_SCOPED = BUF_INTO(&t->dir);
	if (d && d->dir)
		v = json_at(line, span_of(d->dir));
	if (!json_is_string(v))
		return;
	json_decode(&text, v);
	buf_clear(&t->dir);
	touch_path_add_dir(&t->dir, buf_span(&text));
}

static int add_entry(struct touching *t, const struct session *s,
		     uint32_t entry)
{
	const struct dialect_showing *d = s->dialect->showing;
	struct buf line BUF_SCOPED = { 0 };
	struct json json;
	struct block whole = { 0 };
	uint32_t i = 0;
	int err = session_peek(s, entry, &line, NULL, &json);
	if (err)
		return err;
	set_dir(t, s, json);
	if (d->result && session_entry(s, entry)->type == ENTRY_MESSAGE)
		whole = d->result(json);
	if (whole.type == BLOCK_RESULT)
		err = add_result(t, entry, TOUCH_WHOLE_LINE, &whole);
	BLOCK_EACH_WHILE(!err, b, d->read_block, rows_content(d, json)) {
		/* A result without a content, which block_next() hides. */
		if (b.type == BLOCK_OTHER)
			b = d->read_block(b.json);
		if (b.type == BLOCK_CALL)
			err = add_call(t, s, entry, i, &b);
		else if (b.type == BLOCK_RESULT)
			err = add_result(t, entry, i, &b);
		i++;
	}
	return err ? err : buf_error(&t->dir);
}

/* A note that is read. */
struct noting {
	struct touching *t;
	const struct session *s;
	struct touching_call *call; /* NULL: none was looked for, or found */
	uint32_t number;
	bool has_begun;
	bool is_new; /* the call has no other touches */
};

static void begin_note(struct noting *n, const struct call_note *note)
{
	struct touching *t = n->t;
	struct buf text BUF_SCOPED = BUF_INTO(&t->dir);
	n->has_begun = true;
	n->call = find_call(t, note->call);
	n->is_new = n->call && n->call->from == n->call->to;
	if (n->call)
		n->call->note = n->number + 1;
	if (n->is_new) {
		n->call->from = t->table.n;
		n->call->noted = true;
	}
	buf_clear(&t->dir);
	json_decode(&text, note->dir);
	touch_path_add_dir(&t->dir, buf_span(&text));
}

static int add_noted(struct call_note *note, enum file_act act,
		     struct json path)
{
	struct noting *n = note->data;
	if (!n->has_begun)
		begin_note(n, note);
	if (!n->is_new)
		return 0;
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, path);
	int err = buf_error(&text);
	if (!err)
		err = add_touch(n->t, n->s, n->call, act, buf_span(&text));
	n->call->to = n->t->table.n;
	return err;
}

static int add_note(struct touching *t, const struct session *s,
		    uint32_t number, const struct note_place *at)
{
	struct buf line BUF_SCOPED = { 0 };
	struct buf dir = t->dir;
	struct json json;
	struct noting n = { .t = t, .s = s, .number = number };
	struct call_note note = { .add = add_noted, .data = &n };
	t->dir = (struct buf){ 0 };
	int err = session_read_line(s, at->offset, at->length, &line, &json);
	if (!err)
		err = s->dialect->touching->read_note(json, &note);
	if (!err && note.failed && !n.has_begun)
		begin_note(&n, &note);
	if (!err && note.failed && n.call)
		fail_call(t, n.call);
	/* It came after the result: that counts from the next entry on. */
	if (!err && n.call && n.is_new && n.call->answered &&
	    n.call->from < n.call->to)
		err = put_result(t, at->entry, n.call);
	buf_free_into(&t->dir, &dir);
	t->dir = dir;
	return err ? err : buf_error(&t->dir);
}

static int begin(struct touching *t, const struct session *s)
{
	struct buf cwd BUF_SCOPED = BUF_INTO(&t->cwd);
	idtable_init(&t->by_call, call_key);
	json_decode(&cwd, session_header(s, "cwd"));
	touch_path_add_dir(&t->cwd, buf_span(&cwd));
	/* Anything else is known no better than none. */
	if (!span_starts(buf_span(&t->cwd), SPAN("/")))
		buf_clear(&t->cwd);
	int err = buf_error(&t->cwd);
	return err ? err : touch_table_begin(&t->table);
}

/* The next note, if it precedes the next entry. */
static const struct note_place *next_note(const struct touching *t,
					  const struct session *s)
{
	const struct dialect_touching *d = s->dialect->touching;
	if (!d || !d->read_note || t->notes >= s->now.notes.n)
		return NULL;
	const struct note_place *at = &s->now.notes.list[t->notes];
	return at->entry <= t->entries ? at : NULL;
}

int touching_grow(struct touching *t, const struct session *s)
{
	int err = t->has_begun ? 0 : begin(t, s);
	t->has_begun = true;
	while (!err) {
		const struct note_place *note = next_note(t, s);
		if (note)
			err = add_note(t, s, t->notes++, note);
		else if (t->entries < s->now.index.n)
			err = add_entry(t, s, t->entries++);
		else
			break;
	}
	return err;
}

void touching_free(void *touching)
{
	struct touching *t = touching;
	touch_table_free(&t->table);
	buf_free(&t->cwd);
	buf_free(&t->dir);
	free(t->calls);
	free(t->results);
	free(t->shells);
	idtable_free(&t->by_call);
}
