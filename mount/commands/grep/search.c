#include "mount/commands/grep/search.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/dialects/registry.h"
#include "core/file/whole.h"
#include "core/places/agents.h"
#include "mount/cli/status.h"
#include "mount/commands/grep/args.h"
#include "mount/commands/grep/child.h"
#include "mount/commands/grep/cut.h"
#include "mount/commands/grep/options.h"
#include "mount/commands/grep/print.h"
#include "mount/commands/grep/text.h"
#include "mount/operands/pieces.h"

/* Starting a grep takes a tenth of the time of searching this. */
#define BATCH_BYTES ((uint64_t)1 << 20)

/* The most of session files that have little to be searched. */
#define BATCH_MOST ((uint64_t)16 << 20)

static struct grep_printer printer(const struct grep_search *s,
				   const struct grep_text *text,
				   struct buf *out)
{
	return (struct grep_printer){ .how = s->how,
				      .args = s->args,
				      .colors = s->colors,
				      .text = text,
				      .out = out };
}

static void search(struct grep_search *s, const struct grep_text *text,
		   struct buf *out)
{
	struct grep_printer p = printer(s, text, out);
	struct buf found = { 0 };
	int err = grep_child_run(s->args, &text->text, &found);
	if (err) {
		status_fail("grep", err > 0 ? "failed" : strerror(-err));
		__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	}
	if (s->args->most > 0 && grep_cut_print(&p, buf_span(&found)))
		__atomic_store_n(&s->found, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&s->rest, p.rest, __ATOMIC_RELAXED);
	grep_print_end(&p);
	buf_free(&found);
}

/* If lines are passed over, let a grep have as much text as without that. */
static void adapt_bytes(struct pieces *p, size_t text)
{
	uint64_t bytes = __atomic_load_n(&p->bytes, __ATOMIC_RELAXED);
	if (text > BATCH_BYTES && bytes > BATCH_BYTES)
		bytes /= 2;
	else if (text < BATCH_BYTES / 8 && bytes < BATCH_MOST)
		bytes *= 2;
	__atomic_store_n(&p->bytes, bytes, __ATOMIC_RELAXED);
}

static void do_batch(struct pieces *p, const struct batch *b, struct buf *out)
{
	struct grep_search *s = p->data;
	struct grep_text text = { 0 };
	grep_text_add(&text, p, b, s->skip);
	if (text.has_chosen)
		__atomic_store_n(&s->chosen, 1, __ATOMIC_RELAXED);
	if (text.n > 0)
		search(s, &text, out);
	if (s->skip)
		adapt_bytes(p, text.text.len);
	grep_text_free(&text);
}

static bool wants(const struct pieces *p, int fd)
{
	const struct grep_search *s = p->data;
	return skip_may_match_file(s->skip, fd);
}

/*
 * Whether an entry is there shows only in a session that is read. What is
 * searched without escape sequences may have other words than its line.
 */
static int begin_skip(struct grep_search *s, struct pieces *p)
{
	const struct grep_options *how = s->how;
	s->skip = NULL;
	int err =
		how->plain ? 0 : skip_new(&s->skip, s->args, &dialect_registry);
	if (s->skip && !how->entry && !how->subtree)
		p->wants = wants;
	return err;
}

/* Between the hits of two batches. */
static int write_separator(const struct grep_search *s)
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
	struct grep_search *s = p->data;
	const struct grep_options *how = s->how;
	bool hits = !s->args->list && !how->table;
	bool headings = how->heading && hits;
	bool groups = headings || (s->args->contexts && hits);
	struct span text = buf_span(out);
	int err = 0;
	if (s->args->quiet && __atomic_load_n(&s->found, __ATOMIC_RELAXED))
		return -ECANCELED;
	if (out->len == 0)
		return 0;
	if (how->table) {
		buf_add(s->rows, text);
		return buf_error(s->rows);
	}
	if (groups && s->printed)
		err = write_separator(s);
	if (headings)
		text = grep_print_join(text, &s->session);
	s->printed = true;
	return err ? err : whole_write(STDOUT_FILENO, text);
}

static bool is_folder(const char *name)
{
	struct stat st;
	return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

static enum grep_status report_no_folders(const struct select_by *by)
{
	struct buf line = { 0 };
	buf_adds(&line, "there are no sessions of ");
	for (size_t i = 0; i < by->n_agents; i++)
		buf_addf(&line, "%s%s", i > 0 ? " or " : "",
			 by->agents[i]->name);
	if (by->n_agents == 0)
		agent_add_titles(&dialect_registry, "or", &line);
	const char *text = buf_cstr(&line);
	fprintf(stderr, "sessfs: %s\n", text ? text : strerror(ENOMEM));
	buf_free(&line);
	return GREP_FAILED;
}

/* What is wrong with the search as a whole is reported. */
static enum grep_status status_of(const struct grep_search *s,
				  const struct pieces *p, int err)
{
	const struct grep_options *how = s->how;
	const char *chosen = how->entry ? how->entry : how->subtree;
	/* Who quits a pager has seen enough. */
	if (err == -ECANCELED || err == -EPIPE || (s->args->quiet && s->found))
		return GREP_FOUND;
	if (err)
		status_output(err);
	if (err || p->status || s->failed)
		return GREP_FAILED;
	if (chosen && !s->chosen)
		return (enum grep_status)status_trouble(chosen,
							"no such entry");
	if (p->n_paths == 0 && !p->has_folders)
		return report_no_folders(p->by);
	if (how->shows_path && !p->has_sessions && is_folder(p->paths[0]))
		return (enum grep_status)status_trouble(
			p->paths[0], "no sessions in this folder (--here "
				     "searches those of a directory)");
	return s->found ? GREP_FOUND : GREP_NOT_FOUND;
}

enum grep_status grep_search_run(struct grep_search *s, const struct options *o,
				 const struct select_by *by, char *const *paths,
				 size_t n)
{
	const struct grep_options *how = s->how;
	struct pieces p = { .o = o,
			    .by = by,
			    .paths = paths,
			    .n_paths = n,
			    .bytes = BATCH_BYTES,
			    .again = how->heading || how->table,
			    .data = s,
			    .work = do_batch,
			    .emit = emit };
	s->found = 0;
	s->failed = 0;
	s->chosen = 0;
	s->session = 0;
	int err = begin_skip(s, &p);
	if (!err)
		err = pieces_run(&p);
	skip_free(s->skip);
	return status_of(s, &p, err);
}
