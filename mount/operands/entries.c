#include "mount/operands/entries.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"

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
static int answers(struct entry_filter *f, uint32_t entry,
		   const struct block *b, const struct tools *t,
		   struct buf *scratch, bool *yes)
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
static int uses_tool(struct entry_filter *f, const struct session *s,
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
static int has_some(struct entry_filter *f, const struct session *s,
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

static void begin(struct entry_filter *f, const struct session *s)
{
	if (!f->is_begun)
		calls_begin(&f->calls, s);
	f->is_begun = true;
}

void entry_filter_end(struct entry_filter *f)
{
	if (f->is_begun)
		calls_end(&f->calls);
	f->is_begun = false;
}

int entry_filter_has_one(struct entry_filter *f, const struct session *s,
			 uint32_t entry, const char *role, const char *tool,
			 bool *yes)
{
	const struct texts roles = { .list = &role, .n = role != NULL };
	const struct texts tools = { .list = &tool, .n = tool != NULL };
	begin(f, s);
	return has_some(f, s, entry, &roles, &tools, yes);
}

static bool is_of_time(const struct select_by *by, int64_t time)
{
	if (!by || (!by->since && !by->until))
		return true;
	return time != TIMESTAMP_NONE && time >= by->since &&
	       (!by->until || time < by->until);
}

int entry_filter_has(struct entry_filter *f, const struct session *s,
		     uint32_t entry, bool *yes)
{
	const struct entry_options *o = f->o;
	*yes = is_of_time(f->by, session_entry(s, entry)->time);
	if (!*yes)
		return 0;
	if (o->file) {
		int has = touched_by(f->file, s, entry);
		if (has <= 0) {
			*yes = false;
			return has;
		}
	}
	if (o->roles.n == 0 && o->tools.n == 0)
		return 0;
	begin(f, s);
	return has_some(f, s, entry, &o->roles, &o->tools, yes);
}
