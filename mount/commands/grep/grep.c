/*
 * A thread (core/base/parallel.h) takes a batch of entries
 * (mount/commands/pieces.h), and
 *
 *     text    makes one text of the contents that pass the filter,
 *     child   has a grep search it,
 *     hit     parses what that prints,
 *     cut     maps lines back to contents, where contexts and counts end,
 *     print   prints them.
 *
 * The output is in the order of the batches.
 */
#include "mount/commands/commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/parallel.h"
#include "core/file/whole.h"
#include "mount/commands/grep/args.h"
#include "mount/commands/grep/child.h"
#include "mount/commands/grep/cut.h"
#include "mount/commands/grep/print.h"
#include "mount/commands/grep/text.h"
#include "mount/commands/output.h"
#include "mount/commands/pieces.h"
#include "mount/commands/status.h"

/* Starting a grep takes a tenth of the time of searching this. */
#define BATCH_BYTES ((uint64_t)1 << 20)

/* Exit statuses of grep. */
enum {
	FOUND = 0,
	NOT_FOUND = 1,
	FAILED = 2,
};

struct search {
	const struct options *o;
	struct grep_args args;
	struct grep_child child;
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
	return (struct grep_printer){ .how = &s->o->grepping,
				      .args = &s->args,
				      .colors = &s->child.colors,
				      .text = text,
				      .out = out };
}

/* Print the names of the sessions that have a hit, each once. */
static void print_sessions(const struct grep_printer *p, struct span found)
{
	const struct grep_mark *m = NULL;
	struct grep_hit h;
	while (grep_hit_next(&found, &h)) {
		m = grep_text_mark(p->text, m, h.line);
		if (h.selected &&
		    !__atomic_exchange_n(&m->of->marked, 1, __ATOMIC_RELAXED))
			grep_print_session(p, m->of);
	}
}

static void print(const struct search *s, const struct grep_text *text,
		  struct span found, struct buf *out)
{
	struct grep_printer p = printer(s, text, out);
	if (s->args.list)
		print_sessions(&p, found);
	else
		grep_cut_print(&p, found);
	grep_print_end(&p);
}

static void search(struct search *s, const struct grep_text *text,
		   struct buf *out)
{
	struct buf found = { 0 };
	int err = grep_child_run(&s->child, &s->args, &text->text, &found);
	if (err) {
		status_fail("grep", err > 0 ? "failed" : strerror(-err));
		__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	}
	if (s->args.most > 0 && grep_hit_any(buf_span(&found))) {
		__atomic_store_n(&s->found, 1, __ATOMIC_RELAXED);
		if (!s->args.quiet)
			print(s, text, buf_span(&found), out);
	}
	buf_free(&found);
}

static bool next_batch(void *data, void **task)
{
	struct search *s = data;
	*task = pieces_next(&s->pieces);
	return *task != NULL;
}

static void do_batch(void *data, void *task, struct buf *out)
{
	struct search *s = data;
	struct batch *b = task;
	struct grep_text text = { 0 };
	grep_text_add(&text, &s->pieces, b);
	if (text.has_chosen)
		__atomic_store_n(&s->chosen, 1, __ATOMIC_RELAXED);
	if (text.n > 0)
		search(s, &text, out);
	grep_text_free(&text);
	batch_free(b);
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

static int emit(void *data, const struct buf *out)
{
	struct search *s = data;
	const struct grep_options *how = &s->o->grepping;
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

/* Report that no session has the entry that alone was to be searched. */
static bool is_entry_missing(const struct search *s)
{
	const struct grep_options *how = &s->o->grepping;
	const char *name = how->entry ? how->entry : how->subtree;
	if (!name || s->chosen || s->pieces.status)
		return false;
	status_fail(name, "no such entry");
	return true;
}

static int status_of(const struct search *s, int err)
{
	if (err == -ECANCELED || (s->args.quiet && s->found))
		return FOUND;
	if (err)
		output_fail(err);
	else if (is_entry_missing(s))
		return FAILED;
	if (err || s->pieces.status || s->failed)
		return FAILED;
	return s->found ? FOUND : NOT_FOUND;
}

int grep_search(const struct options *o)
{
	const struct grep_options *how = &o->grepping;
	struct search s = {
		.o = o,
		.pieces = { .o = o,
			    .bytes = BATCH_BYTES,
			    .name = how->name,
			    .again = how->heading || how->table },
	};
	const struct sweep sweep = {
		.data = &s, .next = next_batch, .work = do_batch, .emit = emit
	};
	int status = FAILED;
	output_begin();
	if (grep_args_parse(&s.args, how->n_args, how->args,
			    how->color && !how->table) &&
	    grep_child_begin(&s.child, &s.args) == 0) {
		int err = sweep_run(&sweep);
		pieces_end(&s.pieces);
		status = status_of(&s, err);
	}
	grep_child_end(&s.child);
	grep_args_free(&s.args);
	return status;
}
