/*
 * A thread takes a batch of entries (mount/commands/pieces.h), and
 *
 *     text    makes one text of the contents that pass the filter,
 *     child   has a grep search it,
 *     cut     parses what that prints, and maps lines back to contents, where
 *             contexts and counts end,
 *     print   prints them.
 *
 * The output is in the order of the batches.
 */
#include "mount/commands/commands.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "mount/commands/grep/args.h"
#include "mount/commands/grep/child.h"
#include "mount/commands/grep/cut.h"
#include "mount/commands/grep/options.h"
#include "mount/commands/grep/print.h"
#include "mount/commands/grep/skip.h"
#include "mount/commands/grep/text.h"
#include "mount/commands/pieces.h"
#include "mount/commands/status.h"

/* Starting a grep takes a tenth of the time of searching this. */
#define BATCH_BYTES ((uint64_t)1 << 20)

/* The most of session files that have little to be searched. */
#define BATCH_MOST ((uint64_t)16 << 20)

/* Exit statuses of grep. */
enum {
	FOUND = 0,
	NOT_FOUND = 1,
	FAILED = 2,
};

struct search {
	const struct options *o;
	struct grep_args args;
	struct grep_colors colors;
	struct skip *skip; /* NULL: nothing is passed over */
	struct pieces pieces;
	unsigned found;	 /* atomic */
	unsigned failed; /* a grep has; atomic */
	/* The entry of --entry or --subtree is there; atomic. */
	unsigned chosen;
	bool printed;	  /* something was, by emit() */
	uint64_t session; /* whose hits emit() printed last, with headings */
};

static struct grep_printer
printer(const struct search *s, const struct grep_text *text, struct buf *out)
{
	return (struct grep_printer){ .how = s->o->own,
				      .args = &s->args,
				      .colors = &s->colors,
				      .text = text,
				      .out = out };
}

static void search(struct search *s, const struct grep_text *text,
		   struct buf *out)
{
	struct grep_printer p = printer(s, text, out);
	struct buf found = { 0 };
	int err = grep_child_run(&s->args, &text->text, &found);
	if (err) {
		status_fail("grep", err > 0 ? "failed" : strerror(-err));
		__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	}
	if (s->args.most > 0 && grep_cut_print(&p, buf_span(&found)))
		__atomic_store_n(&s->found, 1, __ATOMIC_RELAXED);
	grep_print_end(&p);
	buf_free(&found);
}

/* If lines are passed over, let a grep have as much text as without that. */
static void adapt_bytes(struct search *s, size_t text)
{
	uint64_t *to = &s->pieces.bytes;
	uint64_t bytes = __atomic_load_n(to, __ATOMIC_RELAXED);
	if (text > BATCH_BYTES && bytes > BATCH_BYTES)
		bytes /= 2;
	else if (text < BATCH_BYTES / 8 && bytes < BATCH_MOST)
		bytes *= 2;
	__atomic_store_n(to, bytes, __ATOMIC_RELAXED);
}

static void do_batch(struct pieces *p, const struct batch *b, struct buf *out)
{
	struct search *s = p->data;
	struct grep_text text = { 0 };
	grep_text_add(&text, p, b, s->skip);
	if (text.has_chosen)
		__atomic_store_n(&s->chosen, 1, __ATOMIC_RELAXED);
	if (text.n > 0)
		search(s, &text, out);
	if (s->skip)
		adapt_bytes(s, text.text.len);
	grep_text_free(&text);
}

static bool wants(const struct pieces *p, int fd)
{
	const struct search *s = p->data;
	return skip_may_match_file(s->skip, fd);
}

/* Whether an entry is there shows only in a session that is read. */
static int begin_skip(struct search *s)
{
	const struct grep_options *how = s->o->own;
	int err = skip_new(&s->skip, &s->args, &dialect_registry);
	if (err)
		status_error("grep", err);
	if (s->skip && !how->entry && !how->subtree)
		s->pieces.wants = wants;
	return err;
}

/* Between the hits of two batches. */
static int write_separator(const struct search *s)
{
	struct buf out = { 0 };
	const struct grep_printer p = printer(s, NULL, &out);
	grep_print_separator(&p);
	int err = buf_error(&out);
	if (!err)
		err = whole_write(STDOUT_FILENO, buf_span(&out));
	buf_free(&out);
	return err;
}

static int emit(struct pieces *p, const struct buf *out)
{
	struct search *s = p->data;
	const struct grep_options *how = s->o->own;
	bool hits = !s->args.list && !how->table;
	bool headings = how->heading && hits;
	bool groups = headings || (s->args.contexts && hits);
	struct span text = buf_span(out);
	int err = 0;
	if (s->args.quiet && __atomic_load_n(&s->found, __ATOMIC_RELAXED))
		return -ECANCELED;
	if (out->len == 0)
		return 0;
	if (groups && (s->printed || how->more))
		err = write_separator(s);
	if (headings)
		text = grep_print_join(text, &s->session);
	s->printed = true;
	return err ? err : whole_write(STDOUT_FILENO, text);
}

static int status_of(const struct search *s, int err)
{
	const struct grep_options *how = s->o->own;
	const char *name = how->entry ? how->entry : how->subtree;
	if (err == -ECANCELED || (s->args.quiet && s->found))
		return FOUND;
	if (err)
		status_output(err);
	if (err || s->pieces.status)
		return FAILED;
	if (name && !s->chosen)
		status_fail(name, "no such entry");
	if (s->failed || (name && !s->chosen))
		return FAILED;
	return s->found ? FOUND : NOT_FOUND;
}

static int grep_search(const struct options *o)
{
	struct grep_options *how = o->own;
	struct search s = {
		.o = o,
		.pieces = { .o = o,
			    .bytes = BATCH_BYTES,
			    .name = how->name,
			    .again = how->heading || how->table,
			    .data = &s,
			    .work = do_batch,
			    .emit = emit },
	};
	int status = FAILED;
	if (options_dialect(how->agent, &how->dialect) &&
	    grep_args_parse(&s.args, o->n_rest, o->rest,
			    how->color && !how->table) &&
	    grep_child_begin(&s.colors, &s.args) == 0 && begin_skip(&s) == 0)
		status = status_of(&s, pieces_run(&s.pieces));
	skip_free(s.skip);
	grep_args_free(&s.args);
	return status;
}

#define AT(member) offsetof(struct grep_options, member)

static const struct option_row rows[] = {
	{ 0, "files", OPTION_FLAG, AT(files), NULL, WORD_NONE, NULL },
	{ 0, "more", OPTION_FLAG, AT(more), NULL, WORD_NONE, NULL },
	{ 0, "color", OPTION_FLAG, AT(color), NULL, WORD_NONE, NULL },
	{ 0, "heading", OPTION_FLAG, AT(heading), NULL, WORD_NONE, NULL },
	{ 0, "table", OPTION_FLAG, AT(table), NULL, WORD_NONE, NULL },
	{ 0, "name", OPTION_TEXT, AT(name), "NAME", WORD_ANY, NULL },
	{ 0, "entry", OPTION_TEXT, AT(entry), "ENTRY", WORD_ANY, NULL },
	{ 0, "subtree", OPTION_TEXT, AT(subtree), "ENTRY", WORD_ANY, NULL },
	{ 0, "role", OPTION_TEXT, AT(role), "ROLE", WORD_ROLE, NULL },
	{ 0, "tool", OPTION_TEXT, AT(tool), "TOOL", WORD_TOOL, NULL },
	{ 0, "agent", OPTION_TEXT, AT(agent), "AGENT", WORD_AGENT, NULL },
	OPTION_ROW_SESSION,
	OPTION_ROW_END,
};

const struct command command_grep = {
	.name = "grep",
	.usage = "SOURCE... -- ARGUMENTS",
	.help = "Search the lines of all entries.",
	.options = rows,
	.size = sizeof(struct grep_options),
	.least = 1,
	.most = UINT_MAX,
	.operands = WORD_SESSION,
	.once = true,
	.rest = true,
	.run = grep_search,
};
