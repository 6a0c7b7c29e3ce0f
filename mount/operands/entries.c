#include "mount/operands/entries.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/pathname.h"
#include "core/base/text.h"
#include "core/json/js.h"
#include "core/json/timestamp.h"
#include "core/session/dialect.h"
#include "core/show/rows.h"
#include "core/show/touch_path.h"
#include "mount/cli/status.h"

struct touched_path touched_begin(const char *path)
{
	return (struct touched_path){ path, path ? realpath(".", NULL) : NULL };
}

void touched_end(struct touched_path *p)
{
	free(p->here);
	p->here = NULL;
}

/* Is a file the one at a path, or below it? Both are in one spelling. */
static bool is_at(struct span file, struct span path)
{
	if (path.n == 0)
		return touch_path_split(&file) == TOUCH_BELOW;
	return pathname_is_in(file, path);
}

/* As seen from a directory. */
static int is_seen_from(const struct touched_path *p, const struct session *s,
			const char *dir, struct span file)
{
	struct buf path BUF_SCOPED = { 0 };
	int got = touches_spell(s, span_of(dir), span_of(p->path), &path);
	if (got <= 0 || is_at(file, buf_span(&path)))
		return got;
	/* All of a project is in a folder around it. */
	return touch_path_split(&file) == TOUCH_BELOW
		       ? touches_is_around(s, buf_span(&path))
		       : 0;
}

static bool is_dotted(const char *path)
{
	size_t n = strspn(path, ".");
	return (n == 1 || n == 2) && (!path[n] || path[n] == '/');
}

/* Is a directory in the project of a session? 1, 0 or -errno. */
static int is_in_project(const struct session *s, const char *dir)
{
	struct buf path BUF_SCOPED = { 0 };
	int got = touches_spell(s, span_of(dir), SPAN("."), &path);
	struct span at = buf_span(&path);
	if (got > 0)
		got = touch_path_split(&at) == TOUCH_BELOW;
	return got;
}

int touched_has(const struct touched_path *p, const struct session *s,
		uint32_t folder)
{
	struct buf file BUF_SCOPED = { 0 };
	if (!p->path)
		return 1;
	/* Is it only what it is from the user's directory? */
	bool dotted = p->here && is_dotted(p->path);
	int alone = dotted ? is_in_project(s, p->here) : 0;
	int err = alone < 0 ? alone : touches_add_path(s, folder, &file);
	int got = err ? err : 0;
	if (!err && !alone)
		got = is_seen_from(p, s, "", buf_span(&file));
	if (got == 0 && p->here)
		got = is_seen_from(p, s, p->here, buf_span(&file));
	return got;
}

/* Did an entry do anything with one of a PATH? 1, 0 or -errno. */
static int touched_by(const struct touched_path *p, const struct session *s,
		      uint32_t entry)
{
	struct touch t;
	int got = 0;
	int err = 0;
	for (uint32_t nth = 0; got == 0 && err == 0; nth++) {
		err = touches_of_entry(s, entry, nth, &t);
		if (!err)
			got = touched_has(p, s, t.folder);
	}
	return err && err != -ENOENT ? err : got;
}

/* Is it one of the tools that are looked for, by names or kinds? */
static bool is_tool(const struct texts *t, struct span tool)
{
	for (size_t i = 0; i < t->n; i++) {
		if (tool_is(tool, span_of(t->list[i])))
			return true;
	}
	return false;
}

/* Is the block's name, of a call or a result, that of a tool? */
static bool names(const struct block *b, const struct texts *t,
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
		   const struct block *b, const struct texts *t,
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
		     uint32_t entry, struct json json, const struct texts *t,
		     bool *yes)
{
	const struct dialect_showing *d = s->dialect->showing;
	struct buf scratch = { 0 };
	struct block whole = { 0 };
	int err = 0;
	*yes = false;
	if (d->result)
		whole = d->result(json);
	if (whole.type == BLOCK_RESULT)
		err = answers(f, entry, &whole, t, &scratch, yes);
	BLOCK_EACH_WHILE(!err && !*yes, b, d->read_block,
			 rows_content(d, json)) {
		if (b.type == BLOCK_CALL)
			*yes = names(&b, t, &scratch);
		else if (b.type == BLOCK_RESULT)
			err = answers(f, entry, &b, t, &scratch, yes);
	}
	return err ? err : buf_end(&scratch);
}

/* Has the line of an entry one of the roles, and one of the tools? */
static int has_some(struct entry_filter *f, const struct session *s,
		    uint32_t entry, bool *yes)
{
	const struct texts *roles = &f->o->roles;
	const struct texts *tools = &f->o->tools;
	struct buf line BUF_SCOPED = { 0 };
	struct buf role BUF_SCOPED = { 0 };
	struct json json;
	int err = session_peek(s, entry, &line, NULL, &json);
	*yes = roles->n == 0;
	if (!err && roles->n > 0) {
		rows_add_role(s->dialect->showing, &role, json);
		text_finish(&role, 0);
		err = buf_error(&role);
	}
	for (size_t i = 0; i < roles->n && !*yes; i++)
		*yes = span_eq_any_case(buf_span(&role),
					span_of(roles->list[i]));
	if (!err && *yes && tools->n > 0)
		err = uses_tool(f, s, entry, json, tools, yes);
	return err;
}

void entry_filter_end(struct entry_filter *f)
{
	if (f->is_begun)
		calls_end(&f->calls);
	f->is_begun = false;
}

int entry_filter_has(struct entry_filter *f, const struct session *s,
		     uint32_t entry, bool *yes)
{
	const struct entry_options *o = f->o;
	const struct select_by *by = f->by;
	int64_t time = session_entry(s, entry)->time;
	bool any_time = !by || (!by->since && !by->until);
	*yes = any_time || (time != TIMESTAMP_NONE && time >= by->since &&
			    (!by->until || time < by->until));
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
	if (!f->is_begun)
		calls_begin(&f->calls, s);
	f->is_begun = true;
	return has_some(f, s, entry, yes);
}

/* -- what agents are known to have */

static bool is_known_role(const char *role)
{
	size_t i = 0;
	while (rows_roles[i] &&
	       !span_eq_any_case(span_of(rows_roles[i]), span_of(role)))
		i++;
	return rows_roles[i] != NULL;
}

/* Is it the name or the kind of a tool? */
static bool is_known_tool(const char *tool)
{
	bool is = false;
	for (int kind = 0; kind < TOOL_KINDS && !is; kind++)
		is = span_eq_any_case(span_of(tool_kind_name(kind)),
				      span_of(tool));
	return is || tool_find(span_of(tool));
}

/* Report the first value of an option that is not known, if any. */
static bool report(const char *option, const struct texts *t,
		   bool (*is_known)(const char *), const char *known)
{
	size_t i = 0;
	struct buf name BUF_SCOPED = { 0 };
	while (i < t->n && is_known(t->list[i]))
		i++;
	if (i == t->n)
		return false;
	buf_addf(&name, "%s=%s", option, t->list[i]);
	const char *text = buf_cstr(&name);
	status_report(text ? text : option, known);
	return true;
}

void entries_report_unknown(const struct entry_options *o)
{
	if (!report("--role", &o->roles, is_known_role,
		    "no agent's role; most have user, assistant or toolResult"))
		report("--tool", &o->tools, is_known_tool,
		       "no agent's tool; kinds are shell, edit, read, search "
		       "and web");
}
