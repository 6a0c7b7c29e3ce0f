#include "mount/commands/grep/filter.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "mount/commands/grep/options.h"

static int add_subtree(struct bits *b, const struct index *x, uint32_t top)
{
	if (top == INDEX_NONE)
		return 0;
	int err = bits_add(b, top);
	for (uint32_t i = x->entries[top].first_child; i != INDEX_NONE && !err;
	     i = index_next_below(x, top, i, true))
		err = bits_add(b, i);
	return err;
}

/* Threads that do it at once add the same entries. */
static int share_subtree(struct chosen *c, const struct index *x, uint32_t top)
{
	if (__atomic_load_n(&c->known, __ATOMIC_ACQUIRE))
		return 0;
	int err = add_subtree(&c->entries, x, top);
	if (!err)
		__atomic_store_n(&c->known, true, __ATOMIC_RELEASE);
	return err;
}

/* A session that is split has its subtree found once. */
static int begin(struct grep_filter *f, const struct session *s)
{
	const struct grep_options *how = f->how;
	const struct index *x = &s->now.index;
	struct pieced *of = f->piece->of;
	bool split = f->piece->to != INDEX_NONE;
	f->is_begun = true;
	if (how->tool)
		calls_begin(&f->calls, s);
	f->passes_agent = !how->dialect || how->dialect == s->dialect;
	f->entry = how->entry ? index_find_name(x, span_of(how->entry))
			      : INDEX_NONE;
	bool has_chosen = f->entry != INDEX_NONE;
	uint32_t top = INDEX_NONE;
	if (how->subtree) {
		top = index_find_name(x, span_of(how->subtree));
		has_chosen = top != INDEX_NONE && (!how->entry || has_chosen);
	}
	f->has_chosen = has_chosen;
	f->subtree = split ? &of->chosen.entries : &f->own;
	return split ? share_subtree(&of->chosen, x, top)
		     : add_subtree(&f->own, x, top);
}

void grep_filter_end(struct grep_filter *f)
{
	bits_free(&f->own);
	calls_end(&f->calls);
	f->is_begun = false;
}

static bool is_text(struct buf *text, const char *wanted)
{
	text_finish(text, 0);
	bool is = span_eq_any_case(buf_span(text), span_of(wanted));
	buf_clear(text);
	return is;
}

/* Is the block's name, of a call or a result, that of the tool? */
static bool names(const struct block *b, const char *tool, struct buf *scratch)
{
	js_to_string(scratch, b->name);
	return is_text(scratch, tool);
}

/* Does the result answer a call of the tool? 0 or -errno. */
static int answers(struct grep_filter *f, uint32_t entry, const struct block *b,
		   struct buf *scratch, bool *yes)
{
	struct call call = { 0 };
	int err = 0;
	*yes = names(b, f->how->tool, scratch);
	json_decode(scratch, b->id);
	if (!*yes && scratch->len > 0)
		err = calls_find(&f->calls, entry, buf_span(scratch), &call);
	if (!err && call.name.n > 0)
		*yes = span_eq_any_case(call.name, span_of(f->how->tool));
	buf_clear(scratch);
	return err;
}

/* Has the entry a call of the tool, or a result? */
static int uses_tool(struct grep_filter *f, const struct session *s,
		     uint32_t entry, struct json json, struct buf *scratch,
		     bool *yes)
{
	const struct dialect_showing *d = s->dialect->showing;
	struct block_walk w = block_walk(d->read_block, rows_content(d, json));
	struct block b = { 0 };
	struct json raw;
	int err = 0;
	*yes = false;
	if (d->result)
		b = d->result(json);
	if (b.type == BLOCK_RESULT)
		err = answers(f, entry, &b, scratch, yes);
	while (!err && !*yes && block_next(&w, &b, &raw)) {
		if (b.type == BLOCK_CALL)
			*yes = names(&b, f->how->tool, scratch);
		else if (b.type == BLOCK_RESULT)
			err = answers(f, entry, &b, scratch, yes);
	}
	return err;
}

int grep_filter_entry(struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes)
{
	const struct grep_options *how = f->how;
	int err = f->is_begun ? 0 : begin(f, s);
	if (err)
		return err;
	*passes = f->passes_agent && (!how->entry || entry == f->entry) &&
		  (!how->subtree || bits_has(f->subtree, entry));
	if (!*passes || (!how->role && !how->tool))
		return 0;
	struct buf line = { 0 };
	struct buf scratch = { 0 };
	struct span text;
	struct json json;
	err = session_peek(s, entry, &line, &text, &json);
	if (!err && how->role) {
		rows_add_role(s->dialect->showing, &scratch, json);
		*passes = is_text(&scratch, how->role);
	}
	if (!err && *passes && how->tool)
		err = uses_tool(f, s, entry, json, &scratch, passes);
	if (!err)
		err = buf_error(&scratch);
	buf_free(&line);
	buf_free(&scratch);
	return err;
}
