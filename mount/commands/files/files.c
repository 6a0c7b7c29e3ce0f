/*
 * The command files: the touches of the sessions of several SOURCEs, on all
 * processors (pieces.h).
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "core/json/timestamp.h"
#include "core/places/folder.h"
#include "mount/cli/path_type.h"
#include "mount/cli/status.h"
#include "mount/commands/commands.h"
#include "mount/commands/grep/skip.h"
#include "mount/operands/entries.h"
#include "mount/operands/pieces.h"
#include "mount/operands/target.h"

/* Of files that are mostly passed over. */
#define BATCH_BYTES ((uint64_t)1 << 20)

struct files_options {
	struct select_options select;
	struct entry_options entries;
};

struct run {
	struct touched_path path;
	struct entry_options entries; /* but for --file */
	struct select_by by;
	struct skip *skip; /* NULL: no session is passed over */
	unsigned found;	   /* atomic */
};

struct printing {
	const struct run *run;
	struct entry_filter filter;
	struct span session;
	struct buf *out;
	size_t from; /* where the piece begins */
};

/* TIME SESSION ENTRY WHAT PATH, with tabs between them. */
static int add_line(const struct printing *p, const struct session *s,
		    const struct touch *t)
{
	struct buf *out = p->out;
	timestamp_add(out, session_entry(s, t->entry)->time);
	buf_addc(out, '\t');
	text_add_one_line(out, p->session);
	buf_addc(out, '\t');
	index_add_name(&s->now.index, out, t->entry);
	buf_addc(out, '\t');
	file_act_add(out, t->act, t->failed);
	buf_addc(out, '\t');
	int err = touches_add_line(s, t->folder, out);
	buf_addc(out, '\n');
	return err ? err : buf_error(out);
}

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	struct printing *p = data;
	struct touch t;
	bool passes;
	int err = entry_filter_has(&p->filter, s, entry, &passes);
	if (err || !passes)
		return err;
	for (uint32_t nth = 0; !err; nth++) {
		err = touches_of_entry(s, entry, nth, &t);
		int has = err ? 0 : touched_has(&p->run->path, s, t.folder);
		if (has < 0)
			err = has;
		else if (has)
			err = add_line(p, s, &t);
	}
	return err == -ENOENT ? 0 : err;
}

static void drop(void *data)
{
	struct printing *p = data;
	p->out->len = p->from;
	entry_filter_end(&p->filter);
}

static void add_batch(struct pieces *pieces, struct batch *b, struct buf *out)
{
	struct run *run = pieces->data;
	struct piece_file file = { 0 };
	for (size_t i = 0; i < b->n; i++) {
		struct printing p = { .run = run,
				      .filter = { .o = &run->entries,
						  .by = &run->by },
				      .session = b->list[i].of->name,
				      .out = out,
				      .from = out->len };
		const struct piece_visitor v = { &p, add_entry, drop, &file };
		piece_visit(pieces, &b->list[i], &v);
		entry_filter_end(&p.filter);
	}
	buf_free(&file.bytes);
	if (out->len > 0)
		__atomic_store_n(&run->found, 1, __ATOMIC_RELAXED);
}

static int write_batch(struct pieces *pieces, const struct batch *b,
		       const struct buf *out)
{
	(void)pieces;
	(void)b;
	return whole_write(STDOUT_FILENO, buf_span(out));
}

static bool wants(const struct pieces *p, int fd, struct piece_file *f)
{
	const struct run *run = p->data;
	bool may = skip_may_match_file(run->skip, fd, f);
	/* What an entry did is told also by notes behind it. */
	f->from = 0;
	return may;
}

/*
 * A file that has a part of the PATH nowhere names no file there. The last part
 * that is long enough to be looked for is the rarest.
 */
static int begin_skip(struct run *run)
{
	struct span rest = span_of(run->path.path ? run->path.path : "");
	int err = 0;
	while (!err && !run->skip && rest.n > 0) {
		struct span last = span_last_part(rest);
		const struct pattern_texts part = { .list = &last,
						    .n = 1,
						    .fixed = true };
		rest.n = (size_t)(last.p - rest.p);
		if (!span_eq(last, SPAN("..")))
			err = skip_new(&run->skip, &part, &dialect_registry);
	}
	return err;
}

/* Is it rather a file of a project than a session, or a folder of them? */
static bool is_path(const char *operand)
{
	if (!*operand || target_names_session(operand))
		return false;
	if (!path_type_is(operand, S_IFDIR))
		return true;
	struct target t;
	bool is_mounted = target_look(&t, operand) == 0 &&
			  (t.is_set || strcmp(t.source, operand) != 0);
	target_free(&t);
	char *path = is_mounted ? NULL : realpath(operand, NULL);
	bool is = path && folder_look_for_sessions(NULL, path) <= 0;
	free(path);
	return is;
}

static int print_touches(const struct options *o, struct run *run)
{
	const struct files_options *own = o->own;
	int err = begin_skip(run);
	struct pieces p = { .by = &run->by,
			    .paths = o->names,
			    .n_paths = o->n_names,
			    .bytes = BATCH_BYTES,
			    .data = run,
			    .work = add_batch,
			    .emit = write_batch,
			    .wants = run->skip ? wants : NULL };
	if (!err)
		err = pieces_run(&p);
	int status = err ? status_output(err) : p.status;
	if (!status && !p.has_selected && select_is_given(&own->select))
		status = select_report_none(&own->select, "files");
	else if (!status && run->path.path && !run->found)
		status = status_fail(run->path.path, "no entry touched it");
	skip_free(run->skip);
	return status;
}

static int files_print(const struct options *given)
{
	const struct files_options *own = given->own;
	struct options o = *given;
	struct run run = { .entries = own->entries,
			   .by = { .of_entries = true,
				   .as_mounted = true,
				   .forced = given->dialect } };
	/*
	 * The PATH is --file's, or the first of several operands, or the only
	 * one that is no SOURCE; an empty one is any.
	 */
	const char *path = own->entries.file;
	if (!path &&
	    (o.n_names > 1 || (o.n_names == 1 && is_path(o.names[0])))) {
		path = *o.names++;
		o.n_names--;
	}
	run.path = touched_begin(path && *path ? path : NULL);
	if (!options_have_names(&command_files, &o, 0)) {
		touched_end(&run.path);
		return STATUS_USAGE;
	}
	run.entries.file = NULL;
	int status = select_parse(&run.by, &own->select, "files");
	if (!status)
		status = print_touches(&o, &run);
	select_by_free(&run.by);
	touched_end(&run.path);
	return status;
}

static const struct option_row rows[] = {
	SELECT_ROWS(offsetof(struct files_options, select)),
	ENTRY_ROWS(offsetof(struct files_options, entries), "the same as PATH"),
	OPTION_ROW_SESSION,
	{ 0 },
};

const struct command command_files = {
	.name = "files",
	.usage = "[PATH] [SOURCE...]",
	.help = "Print which entries read, wrote or edited files.\n\n"
		"PATH is a file, or a folder of them. A line has the time, "
		"session, entry,\n"
		"what was done, and path. Without SOURCE, of all sessions of "
		"all your agents.",
	.options = rows,
	.size = sizeof(struct files_options),
	.most = UINT_MAX,
	.texts = 1,
	.run = files_print,
};
