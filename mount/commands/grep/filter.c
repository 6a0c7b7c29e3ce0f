#include "mount/commands/grep/filter.h"

#include <errno.h>
#include <string.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "fs/tree/head_target.h"

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

/* The entry of an id, or of the start of one; INDEX_NONE: there is none. */
static int find_entry(const struct session *s, const char *name,
		      uint32_t *entry)
{
	struct buf target = { 0 };
	buf_addf(&target, "by-id/%s", name);
	int err = buf_error(&target);
	if (!err)
		err = target_resolve_below(s, buf_span(&target), SPAN(""),
					   entry);
	buf_free(&target);
	if (!err)
		return 0;
	*entry = INDEX_NONE;
	return err == -ENOMEM ? err : 0;
}

/* A session that is split has its subtree found once. */
static int begin(struct grep_filter *f, const struct session *s)
{
	const struct grep_options *how = f->how;
	const struct index *x = &s->now.index;
	struct pieced *of = f->piece->of;
	bool split = f->piece->to != INDEX_NONE;
	f->is_begun = true;
	if (how->tools.n > 0)
		calls_begin(&f->calls, s);
	f->entry = INDEX_NONE;
	int err = 0;
	if (how->entry)
		err = find_entry(s, how->entry, &f->entry);
	if (err)
		return err;
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

/* The tools that are looked for, by names or kinds. */
struct tools {
	const struct tool_row *rows; /* of the dialect */
	const char *const *names;
	size_t n;
};

static bool is_tool(const struct tools *t, struct span tool)
{
	for (size_t i = 0; i < t->n; i++) {
		if (tool_is(t->rows, tool, span_of(t->names[i])))
			return true;
	}
	return false;
}

/* Is the block's name, of a call or a result, that of a tool? */
static bool names(const struct block *b, const struct tools *t,
		  struct buf *scratch)
{
	js_to_string(scratch, b->name);
	text_finish(scratch, 0);
	bool yes = is_tool(t, buf_span(scratch));
	buf_clear(scratch);
	return yes;
}

/* Does the result answer a call of a tool? 0 or -errno. */
static int answers(struct grep_filter *f, uint32_t entry, const struct block *b,
		   const struct tools *t, struct buf *scratch, bool *yes)
{
	struct call call = { 0 };
	int err = 0;
	*yes = names(b, t, scratch);
	json_decode(scratch, b->id);
	if (!*yes && scratch->len > 0)
		err = calls_find(&f->calls, entry, buf_span(scratch), &call);
	if (!err && call.name.n > 0)
		*yes = is_tool(t, call.name);
	buf_clear(scratch);
	return err;
}

/* Has the entry a call of a tool, or a result? */
static int uses_tool(struct grep_filter *f, const struct session *s,
		     uint32_t entry, struct json json, const struct tools *t,
		     bool *yes)
{
	const struct dialect_showing *d = s->dialect->showing;
	struct block_walk w = block_walk(d->read_block, rows_content(d, json));
	struct buf scratch = { 0 };
	struct block b = { 0 };
	struct json raw;
	int err = 0;
	*yes = false;
	if (d->result)
		b = d->result(json);
	if (b.type == BLOCK_RESULT)
		err = answers(f, entry, &b, t, &scratch, yes);
	while (!err && !*yes && block_next(&w, &b, &raw)) {
		if (b.type == BLOCK_CALL)
			*yes = names(&b, t, &scratch);
		else if (b.type == BLOCK_RESULT)
			err = answers(f, entry, &b, t, &scratch, yes);
	}
	return err ? err : buf_end(&scratch);
}

static int has_role(const struct session *s, struct json json,
		    const char *const *roles, size_t n, bool *yes)
{
	struct buf role = { 0 };
	rows_add_role(s->dialect->showing, &role, json);
	text_finish(&role, 0);
	*yes = false;
	for (size_t i = 0; i < n && !*yes; i++)
		*yes = span_eq_any_case(buf_span(&role), span_of(roles[i]));
	return buf_end(&role);
}

/* Has the line of an entry one of the roles, and one of the tools? */
static int has_some(struct grep_filter *f, const struct session *s,
		    uint32_t entry, const struct texts *roles,
		    const struct texts *tools, bool *yes)
{
	const struct tools t = { s->dialect->tools, tools->list, tools->n };
	struct buf line = { 0 };
	struct span text;
	struct json json;
	int err = session_peek(s, entry, &line, &text, &json);
	*yes = true;
	if (!err && roles->n > 0)
		err = has_role(s, json, roles->list, roles->n, yes);
	if (!err && *yes && tools->n > 0)
		err = uses_tool(f, s, entry, json, &t, yes);
	buf_free(&line);
	return err;
}

int grep_filter_has(struct grep_filter *f, const struct session *s,
		    uint32_t entry, const char *role, const char *tool,
		    bool *yes)
{
	const struct texts roles = { .list = &role, .n = role != NULL };
	const struct texts tools = { .list = &tool, .n = tool != NULL };
	int err = f->is_begun ? 0 : begin(f, s);
	return err ? err : has_some(f, s, entry, &roles, &tools, yes);
}

static bool is_of_time(const struct grep_options *how, int64_t time)
{
	const struct select_by *by = &how->by;
	if (!by->since && !by->until)
		return true;
	return time != TIMESTAMP_NONE && time >= by->since &&
	       (!by->until || time < by->until);
}

int grep_filter_entry(struct grep_filter *f, const struct session *s,
		      uint32_t entry, bool *passes)
{
	const struct grep_options *how = f->how;
	int err = f->is_begun ? 0 : begin(f, s);
	if (err)
		return err;
	*passes = (!how->entry || entry == f->entry) &&
		  (!how->subtree || bits_has(f->subtree, entry)) &&
		  is_of_time(how, s->now.index.entries[entry].time);
	if (!*passes || (how->roles.n == 0 && how->tools.n == 0))
		return 0;
	return has_some(f, s, entry, &how->roles, &how->tools, passes);
}
