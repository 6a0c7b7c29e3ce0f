#include "mount/commands/grep/filter.h"

#include <errno.h>

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/dialect.h"

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

int grep_filter_begin(struct grep_filter *f, const struct grep_options *how,
		      const struct session *s, struct chosen *shared)
{
	const struct index *x = &s->now.index;
	*f = (struct grep_filter){ .how = how, .entry = INDEX_NONE };
	if (how->tool)
		calls_begin(&f->calls, s);
	f->passes_agent = !how->agent || how->agent == s->dialect;
	if (how->entry)
		f->entry = index_find_name(x, span_of(how->entry));
	f->has_chosen = f->entry != INDEX_NONE;
	if (!how->subtree)
		return 0;
	uint32_t top = index_find_name(x, span_of(how->subtree));
	f->has_chosen = top != INDEX_NONE && (!how->entry || f->has_chosen);
	f->subtree = shared ? &shared->entries : &f->own;
	return shared ? share_subtree(shared, x, top)
		      : add_subtree(&f->own, x, top);
}

void grep_filter_end(struct grep_filter *f)
{
	bits_free(&f->own);
	if (f->how && f->how->tool)
		calls_end(&f->calls);
	*f = (struct grep_filter){ 0 };
}

static bool is_text(struct buf *text, const char *wanted)
{
	text_finish(text, 0);
	bool is = span_eq_any_case(buf_span(text), span_of(wanted));
	buf_clear(text);
	return is;
}

static bool has_role(const struct session *s, struct json json,
		     const char *role, struct buf *scratch)
{
	s->dialect->showing->role_or_type(scratch, json);
	return is_text(scratch, role);
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
	struct block_walk w = block_walk(d->read_block, d->blocks(json));
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

static int check_line(struct grep_filter *f, const struct session *s,
		      uint32_t entry, struct json json, struct buf *scratch,
		      bool *passes)
{
	const struct grep_options *how = f->how;
	*passes = !how->role || has_role(s, json, how->role, scratch);
	if (!*passes || !how->tool)
		return 0;
	return uses_tool(f, s, entry, json, scratch, passes);
}

int grep_filter_entry(struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes)
{
	const struct grep_options *how = f->how;
	*passes = f->passes_agent && (!how->entry || entry == f->entry) &&
		  (!how->subtree || bits_has(f->subtree, entry));
	if (!*passes || (!how->role && !how->tool))
		return 0;
	struct buf line = { 0 };
	struct buf scratch = { 0 };
	struct span text;
	struct json json;
	int err = session_peek(s, entry, &line, &text, &json);
	if (!err)
		err = check_line(f, s, entry, json, &scratch, passes);
	if (!err)
		err = buf_error(&scratch);
	buf_free(&line);
	buf_free(&scratch);
	return err;
}
