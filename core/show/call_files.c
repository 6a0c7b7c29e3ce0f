#include "core/show/call_files.h"

#include "core/base/text.h"
#include "core/session/block.h"
#include "core/show/rows.h"

/* -- patches */

static const struct head {
	struct span word;
	enum file_act act;
	bool quoting; /* the edits below it quote what they replace */
} heads[] = {
	{ SPAN("*** Add File: "), FILE_WRITE, false },
	{ SPAN("*** Delete File: "), FILE_DELETE, false },
	{ SPAN("*** Update File: "), FILE_EDIT, false },
	{ SPAN("*** SM:EDIT "), FILE_EDIT, true },
	{ SPAN("*** Edit File: "), FILE_EDIT, true },
};

static struct span after(struct span s, size_t n)
{
	return text_trim(span_from(s, n));
}

/* PATH or "PATH", perhaps with "all" behind it; empty if there is none. */
static struct span quoting_path(struct span s)
{
	static const struct span all = SPAN("all");
	if (span_eq(s, all) || span_ends(s, SPAN(" all")))
		s = text_trim((struct span){ s.p, s.n - all.n });
	if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
		s = (struct span){ s.p + 1, s.n - 2 };
	return s;
}

/* Is the line the head of a file? */
static bool read_head(struct span line, struct patch_file *f)
{
	f->quoting = false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (!span_starts(line, heads[i].word))
			continue;
		f->act = heads[i].act;
		f->quoting = heads[i].quoting;
		f->path = after(line, heads[i].word.n);
		if (f->quoting)
			f->path = quoting_path(f->path);
		return f->path.n > 0;
	}
	line = text_trim(line);
	const char *tag = line.n > 0 ? memrchr(line.p, '#', line.n) : NULL;
	if (!tag || line.p[0] != '[' || line.p[line.n - 1] != ']')
		return false;
	f->act = FILE_EDIT;
	f->path = (struct span){ line.p + 1, (size_t)(tag - line.p) - 1 };
	return f->path.n > 0;
}

/* What a line after the head says of the file. */
static void read_line(struct span line, bool starred, struct patch_file *f)
{
	static const struct span move = SPAN("*** Move to: ");
	static const struct span short_move = SPAN("MV ");
	struct span word = starred ? move : short_move;
	if (span_starts(line, word)) {
		f->act = FILE_MOVE;
		f->to = after(line, word.n);
	} else if (!starred && span_eq(text_trim(line), SPAN("REM"))) {
		f->act = FILE_DELETE;
	}
}

bool patch_next(struct span *patch, struct patch_file *f)
{
	*f = (struct patch_file){ .act = FILE_NONE };
	bool starred = false;
	while (patch->n > 0 && f->path.n == 0) {
		struct span line = span_next_line(patch);
		starred = line.n > 0 && line.p[0] == '*';
		read_head(line, f);
	}
	if (f->path.n == 0)
		return false;
	f->body = (struct span){ patch->p, 0 };
	while (patch->n > 0) {
		struct span rest = *patch;
		struct span line = span_next_line(&rest);
		struct patch_file next;
		/* A line of a hunk may begin with a bracket. */
		bool may = line.n > 0 && (line.p[0] == '*' || !starred);
		bool other = may && read_head(line, &next) &&
			     !(next.quoting && f->quoting &&
			       span_eq(next.path, f->path));
		if (other || span_starts(line, SPAN("*** End Patch")))
			break;
		read_line(line, starred, f);
		*patch = rest;
	}
	f->body.n = (size_t)(patch->p - f->body.p);
	return true;
}

/* -- calls */

/* What a call is visited with. */
struct visit {
	call_file_fn *fn;
	void *data;
	struct json arguments;
};

static int visit_file(const struct visit *v, enum file_act act,
		      struct json path)
{
	struct buf text BUF_SCOPED = { 0 };
	json_decode(&text, path);
	const struct call_file f = {
		act, buf_span(&text), { 0 }, v->arguments
	};
	int err = buf_error(&text);
	if (!err)
		err = v->fn(v->data, &f);
	return err;
}

static int visit_patch(const struct visit *v, struct json patch)
{
	struct buf text BUF_SCOPED = { 0 };
	struct patch_file p;
	json_decode(&text, patch);
	struct span rest = buf_span(&text);
	int err = buf_error(&text);
	while (!err && patch_next(&rest, &p)) {
		struct call_file f = { p.act, p.path, p.body, v->arguments };
		err = v->fn(v->data, &f);
		f.path = p.to;
		if (!err && p.act == FILE_MOVE)
			err = v->fn(v->data, &f);
	}
	return err;
}

/*
 * oh-my-pi's edits may say what else is done with the file: {op: "create" or
 * "delete", rename: PATH}.
 */
static int visit_edit(const struct visit *v, struct json path,
		      struct json edits)
{
	struct json to = { 0 };
	enum file_act act = FILE_EDIT;
	JSON_EACH(edit, edits) {
		JSON_FIELDS(f, edit, op, rename);
		if (json_is(f.op, SPAN("create")))
			act = FILE_WRITE;
		else if (json_is(f.op, SPAN("delete")))
			act = FILE_DELETE;
		if (json_is_string(f.rename)) {
			act = FILE_MOVE;
			to = f.rename;
		}
	}
	int err = visit_file(v, act, path);
	return !err && act == FILE_MOVE ? visit_file(v, act, to) : err;
}

static struct json first_string(const struct json *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (json_is_string(list[i]))
			return list[i];
	}
	return (struct json){ 0 };
}

const struct tool_row *call_files_row(struct json name, int *err)
{
	struct buf text = { 0 };
	json_decode(&text, name);
	const struct tool_row *row = tool_find(buf_span(&text));
	*err = buf_end(&text);
	return row;
}

int call_files(struct json name, struct json arguments, call_file_fn *visit,
	       void *data)
{
	const char *names[] = { TOOL_FILE_MEMBERS, "input", "patch", "edits",
				NULL };
	enum { PATHS = 3, PATCHES = 2, EDITS = PATHS + PATCHES, OWN };
	struct json f[OWN + 1] = { { .raw = { 0 } } };
	const struct visit v = { visit, data, arguments };
	int err;
	const struct tool_row *row = call_files_row(name, &err);
	enum file_act act = row ? row->act : FILE_TOUCH;
	if (err || act == FILE_NONE)
		return err;
	names[OWN] = row && row->file ? row->file : names[0];
	json_get_all(arguments, OWN + 1, names, f);
	struct json path = row && row->file ? first_string(&f[OWN], 1)
					    : first_string(f, PATHS);
	struct json patch = json_is_string(arguments)
				    ? arguments
				    : first_string(f + PATHS, PATCHES);
	if (json_is_string(path))
		return act == FILE_EDIT ? visit_edit(&v, path, f[EDITS])
					: visit_file(&v, act, path);
	return act == FILE_EDIT ? visit_patch(&v, patch) : 0;
}

/* A command is a text, or words of which the last one is a shell's. */
static int call_patches(struct json name, struct json arguments,
			call_file_fn *visit, void *data)
{
	const struct visit v = { visit, data, arguments };
	JSON_FIELDS(f, arguments, cmd, command);
	struct json command =
		json_type(f.cmd) != JSON_ABSENT ? f.cmd : f.command;
	struct json script = command;
	int err;
	const struct tool_row *row = call_files_row(name, &err);
	if (!row || row->kind != TOOL_SHELL)
		return err;
	JSON_EACH(word, command)
		script = word;
	return json_is_string(script) ? visit_patch(&v, script) : 0;
}

typedef int of_call(struct json name, struct json arguments,
		    call_file_fn *visit, void *data);

static int of_line(const struct dialect *d, struct json line, of_call *of,
		   call_file_fn *visit, void *data)
{
	struct json blocks = rows_content(d->showing, line);
	int err = 0;
	BLOCK_EACH_WHILE(!err, b, d->showing->read_block, blocks) {
		struct buf scratch BUF_SCOPED = { 0 };
		if (b.type != BLOCK_CALL)
			continue;
		struct json arguments = block_arguments(&b, &scratch);
		err = buf_error(&scratch);
		if (!err)
			err = of(b.name, arguments, visit, data);
	}
	return err;
}

int call_files_of_line(const struct dialect *d, struct json line,
		       call_file_fn *visit, void *data)
{
	return of_line(d, line, call_files, visit, data);
}

int call_files_of_commands(const struct dialect *d, struct json line,
			   call_file_fn *visit, void *data)
{
	return of_line(d, line, call_patches, visit, data);
}
