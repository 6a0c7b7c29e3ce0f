#include "commands/grep/grep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/file/whole.h"
#include "core/session/name.h"
#include "core/show/content.h"
#include "commands/grep/args.h"
#include "commands/grep/child.h"
#include "commands/grep/filter.h"
#include "commands/grep/heading.h"
#include "commands/output.h"
#include "commands/pieces.h"
#include "commands/status.h"
#include "commands/sweep.h"

/* Starting a grep takes a tenth of the time of searching this. */
#define BATCH_BYTES ((uint64_t)1 << 20)
#define TRIES 3

/* SGR of what is beside the path: faint. */
#define HEADING_COLOR "2"

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
	unsigned
		chosen; /* the entry of --entry or --subtree is there; atomic */
	bool printed;	/* something was, by emit() */
};

/* A content in a batch. */
struct mark {
	uint64_t first; /* its first line in the batch, from 1 */
	uint64_t name;	/* where its file name is, in grepped.names */
	size_t piece;
	uint32_t name_size;
};

/* A batch that is searched. */
struct grepped {
	struct search *search;
	const struct batch *batch;
	size_t piece;	  /* that is being rendered */
	struct buf text;  /* the contents */
	struct buf names; /* of their entries */
	struct mark *marks;
	size_t n;
	size_t cap;
	uint64_t lines; /* in text */
	struct grep_filter filter;
	bool filtering; /* the filter has begun with the session */
};

static int add_mark(struct grepped *g, const struct session *s, uint32_t entry)
{
	if (array_reserve(&g->marks, &g->cap, g->n, 1) < 0)
		return -ENOMEM;
	struct mark *m = &g->marks[g->n++];
	*m = (struct mark){ .first = g->lines + 1,
			    .name = g->names.len,
			    .piece = g->piece };
	index_add_name(&s->now.index, &g->names, entry);
	m->name_size = (uint32_t)(g->names.len - m->name);
	return buf_error(&g->names);
}

static int add_content(struct grepped *g, const struct session *s,
		       uint32_t entry)
{
	size_t from = g->text.len;
	uint32_t lines;
	int err = content_add(s, entry, &g->text);
	if (err || g->text.len == from)
		return err;
	if (!content_knows_lines(s, entry, &lines))
		return -EFBIG;
	err = add_mark(g, s, entry);
	g->lines += lines;
	return err;
}

static int add_entry(void *data, const struct session *s, uint32_t entry)
{
	struct grepped *g = data;
	const struct piece *piece = &g->batch->list[g->piece];
	bool split = piece->to != INDEX_NONE;
	bool passes = false;
	int err = 0;
	if (!g->filtering)
		err = grep_filter_begin(&g->filter, &g->search->o->grepping, s,
					split ? &piece->of->chosen : NULL);
	g->filtering = true;
	if (g->filter.has_chosen)
		__atomic_store_n(&g->search->chosen, 1, __ATOMIC_RELAXED);
	if (!err)
		err = grep_filter_entry(&g->filter, s, entry, &passes);
	return err || !passes ? err : add_content(g, s, entry);
}

/* Render a piece. A session that is rewritten is tried again. */
static void add_piece(struct grepped *g, size_t i)
{
	const struct piece *piece = &g->batch->list[i];
	const struct grepped was = *g;
	int err = -ESTALE;
	g->piece = i;
	for (int tries = 0; err == -ESTALE && tries < TRIES; tries++) {
		g->text.len = was.text.len;
		g->names.len = was.names.len;
		g->n = was.n;
		g->lines = was.lines;
		err = piece_visit(piece, add_entry, g);
		grep_filter_end(&g->filter);
		g->filtering = false;
	}
	if (err)
		piece_fail(&g->search->pieces, piece, err);
}

/* A line that grep printed. */
struct hit {
	uint64_t line;	  /* of the content, from 1 */
	bool selected;	  /* else it is context */
	struct span text; /* with its newline */
};

/* Prints the hits of one content after the other. */
struct printer {
	const struct grepped *g;
	struct buf *out;
	const struct mark *mark; /* of the content; NULL before the first */
	struct grep_heading heading;
	bool any;	     /* something was printed */
	uint64_t last;	     /* line of the content that was printed; 0: none */
	uint64_t selected;   /* the last one, or 0 */
	uint64_t count;	     /* of selected lines */
	bool full;	     /* all that -m allows were printed */
	struct span waiting; /* context that a selected line may follow */
};

/* Parse a line "N:TEXT" or "N-TEXT" of grep's output. */
static bool next_hit(struct span *rest, struct hit *h)
{
	size_t i = 0;
	*h = (struct hit){ 0 };
	while (i < rest->n && rest->p[i] >= '0' && rest->p[i] <= '9')
		h->line = 10 * h->line + (uint64_t)(rest->p[i++] - '0');
	if (i == 0 || i == rest->n)
		return false;
	h->selected = rest->p[i] == ':';
	i++;
	const char *end = memchr(rest->p + i, '\n', rest->n - i);
	if (!end)
		return false;
	h->text =
		(struct span){ rest->p + i, (size_t)(end - (rest->p + i)) + 1 };
	rest->n -= (size_t)(end + 1 - rest->p);
	rest->p = end + 1;
	return true;
}

/* Append a text in a color, if there are any. */
static void add_painted(const struct search *s, struct buf *out,
			const char *sgr, struct span text)
{
	bool paint = s->o->grepping.color && sgr[0];
	if (paint)
		buf_addf(out, "\033[%sm\033[K", sgr);
	buf_add(out, text);
	if (paint)
		buf_adds(out, "\033[m\033[K");
}

static void add_separator(const struct search *s, struct buf *out)
{
	add_painted(s, out, s->child.colors.separator, SPAN("--"));
	buf_addc(out, '\n');
}

static void add_number(const struct printer *p, uint64_t number)
{
	const struct search *s = p->g->search;
	struct buf digits = { 0 };
	buf_addf(&digits, "%llu", (unsigned long long)number);
	add_painted(s, p->out, s->child.colors.line, buf_span(&digits));
	p->out->failed = p->out->failed || digits.failed;
	buf_free(&digits);
}

/*
 * Does the line begin a group? With -o no context is printed, but it joins
 * groups all the same.
 */
static bool is_apart(const struct printer *p, uint64_t line)
{
	const struct grep_args *a = &p->g->search->args;
	if (p->last == 0)
		return true;
	uint64_t between = line - p->last;
	if (!a->only_matching || between <= 1)
		return between > 1;
	return between - 1 > a->before && between - 1 - a->before > a->after;
}

static struct span entry_name(const struct printer *p)
{
	return (struct span){ p->g->names.data + p->mark->name,
			      p->mark->name_size };
}

static void add_path(const struct printer *p, struct buf *path)
{
	const struct piece *piece = &p->g->batch->list[p->mark->piece];
	buf_add(path, buf_span(&piece->of->prefix));
	buf_adds(path, "by-id/");
	buf_add(path, entry_name(p));
	buf_adds(path, "/" NAME_CONTENT);
	p->out->failed = p->out->failed || path->failed;
}

/* The path before a line, with a ":" or "-". */
static void print_path(const struct printer *p, struct span mark)
{
	const struct search *s = p->g->search;
	struct buf path = { 0 };
	add_path(p, &path);
	add_painted(s, p->out, s->child.colors.path, buf_span(&path));
	add_painted(s, p->out, s->child.colors.separator, mark);
	buf_free(&path);
}

/* The path above the lines of a content, and where its entry is. */
static void print_heading(struct printer *p)
{
	const struct search *s = p->g->search;
	const struct pieced *of = p->g->batch->list[p->mark->piece].of;
	struct buf path = { 0 };
	struct buf line = { 0 };
	add_path(p, &path);
	text_add_one_line(&line, buf_span(&path));
	add_painted(s, p->out, s->child.colors.path, buf_span(&line));
	buf_clear(&line);
	int err = grep_heading_add(&p->heading, of, entry_name(p), &line);
	add_painted(s, p->out, HEADING_COLOR, buf_span(&line));
	buf_addc(p->out, '\n');
	p->out->failed = p->out->failed || err || line.failed;
	buf_free(&path);
	buf_free(&line);
}

/* What comes between this line and the one that was printed before. */
static void print_between(struct printer *p, const struct hit *h)
{
	const struct search *s = p->g->search;
	if (s->o->grepping.heading && p->last == 0) {
		if (p->any)
			buf_addc(p->out, '\n');
		print_heading(p);
	} else if (p->any && s->args.contexts && is_apart(p, h->line)) {
		add_separator(s, p->out);
	}
}

static void print(struct printer *p, const struct hit *h)
{
	struct span mark = h->selected ? SPAN(":") : SPAN("-");
	const struct search *s = p->g->search;
	bool heading = s->o->grepping.heading;
	print_between(p, h);
	if (!heading)
		print_path(p, mark);
	add_number(p, h->line);
	add_painted(s, p->out, s->child.colors.separator, mark);
	if (heading)
		grep_heading_add_text(p->out, h->text, s->o->grepping.color);
	else
		buf_add(p->out, h->text);
	p->any = true;
	p->last = h->line;
}

/* Is the line context after the last selected one? */
static bool is_after(const struct printer *p, uint64_t line)
{
	return p->selected > 0 &&
	       line - p->selected <= p->g->search->args.after;
}

/*
 * Print the context that was held back, now that the next selected line of the
 * content is known; 0: there is none.
 */
static void print_waiting(struct printer *p, uint64_t next)
{
	struct span rest = p->waiting;
	struct hit h;
	while (next_hit(&rest, &h)) {
		h.line -= p->mark->first - 1;
		if (is_after(p, h.line) ||
		    (next > 0 && next - h.line <= p->g->search->args.before))
			print(p, &h);
	}
	p->waiting = (struct span){ 0 };
}

static void begin_content(struct printer *p, const struct mark *m)
{
	if (p->mark)
		print_waiting(p, 0);
	p->mark = m;
	p->last = 0;
	p->selected = 0;
	p->count = 0;
	p->full = p->g->search->args.most == 0;
}

/*
 * A selected line. With -o it comes once for each match in it. After as many as
 * -m allows, others are context.
 */
static void print_selected(struct printer *p, struct hit *h)
{
	bool again = h->line == p->selected;
	p->full = p->full || (!again && p->count == p->g->search->args.most);
	print_waiting(p, p->full ? 0 : h->line);
	if (p->full) {
		h->selected = false;
		if (is_after(p, h->line))
			print(p, h);
		return;
	}
	print(p, h);
	p->selected = h->line;
	p->count += !again;
}

/* The content that a line of the batch is in, which is not before `from`. */
static const struct mark *mark_of(const struct grepped *g,
				  const struct mark *from, uint64_t line)
{
	const struct mark *end = g->marks + g->n;
	const struct mark *m = from ? from : g->marks;
	while (m + 1 < end && m[1].first <= line)
		m++;
	return m;
}

/* Print what grep has found. */
static void print_hits(const struct grepped *g, struct span found,
		       struct buf *out)
{
	struct printer p = { .g = g, .out = out };
	struct span rest = found;
	struct hit h;
	for (;;) {
		const char *from = rest.p;
		if (!next_hit(&rest, &h))
			break;
		const struct mark *m = mark_of(g, p.mark, h.line);
		if (!m)
			break;
		if (m != p.mark)
			begin_content(&p, m);
		h.line -= m->first - 1;
		if (h.selected)
			print_selected(&p, &h);
		else if (p.waiting.n == 0)
			p.waiting =
				(struct span){ from, (size_t)(rest.p - from) };
		else
			p.waiting.n += (size_t)(rest.p - from);
	}
	if (p.mark)
		print_waiting(&p, 0);
	grep_heading_free(&p.heading);
}

/* A session's name, or in its place the path of its file. */
static void add_session(const struct pieced *d, bool file, struct buf *out)
{
	struct span name = buf_span(&d->name);
	const struct place *source = d->at->places->source;
	if (file && d->at != source) {
		name.n -= strlen(d->at->mount_path);
		buf_add(out, name);
		buf_adds(out, d->at->path + strlen(source->path) + 1);
	} else {
		buf_add(out, name);
	}
}

/* Print the names of the sessions that have a hit, each once. */
static void print_sessions(const struct grepped *g, struct span found,
			   struct buf *out)
{
	const struct grep_options *how = &g->search->o->grepping;
	const struct mark *m = NULL;
	struct hit h;
	while (next_hit(&found, &h)) {
		m = mark_of(g, m, h.line);
		struct pieced *d = g->batch->list[m->piece].of;
		if (!h.selected ||
		    __atomic_exchange_n(&d->marked, 1, __ATOMIC_RELAXED))
			continue;
		struct buf name = { 0 };
		add_session(d, how->files, &name);
		if (how->heading) /* for a terminal */
			text_add_one_line(out, buf_span(&name));
		else
			buf_add(out, buf_span(&name));
		out->failed = out->failed || name.failed;
		buf_addc(out, how->null ? '\0' : '\n');
		buf_free(&name);
	}
}

/* Does grep print a selected line? */
static bool is_found(struct span found)
{
	struct hit h;
	while (next_hit(&found, &h)) {
		if (h.selected)
			return true;
	}
	return false;
}

static void search_batch(struct grepped *g, struct buf *out)
{
	struct search *s = g->search;
	struct buf found = { 0 };
	int err = grep_child_run(&s->child, &s->args, &g->text, &found);
	if (err) {
		status_fail("grep", err > 0 ? "failed" : strerror(-err));
		__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	}
	if (s->args.most > 0 && is_found(buf_span(&found))) {
		__atomic_store_n(&s->found, 1, __ATOMIC_RELAXED);
		if (s->args.quiet)
			;
		else if (s->args.list || s->o->grepping.list)
			print_sessions(g, buf_span(&found), out);
		else
			print_hits(g, buf_span(&found), out);
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
	struct batch *b = task;
	struct grepped g = { .search = data, .batch = b };
	for (size_t i = 0; i < b->n; i++)
		add_piece(&g, i);
	if (g.n > 0)
		search_batch(&g, out);
	buf_free(&g.text);
	buf_free(&g.names);
	free(g.marks);
	batch_free(b);
}

/* Between the groups, or the headings, of two batches. */
static int write_separator(const struct search *s)
{
	struct buf out = { 0 };
	if (s->o->grepping.heading)
		buf_addc(&out, '\n');
	else
		add_separator(s, &out);
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
	bool groups = (s->args.contexts || how->heading) && !how->list &&
		      !s->args.list;
	int err = 0;
	if (s->args.quiet && __atomic_load_n(&s->found, __ATOMIC_RELAXED))
		return -ECANCELED;
	if (out->len == 0)
		return 0;
	if (groups && (s->printed || how->more))
		err = write_separator(s);
	s->printed = true;
	return err ? err : whole_write(STDOUT_FILENO, buf_span(out));
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
			    .again = how->heading },
	};
	const struct sweep sweep = { &s, next_batch, do_batch, emit };
	int status = FAILED;
	output_begin();
	if (grep_args_parse(&s.args, how->n_args, how->args, how->color) &&
	    grep_child_begin(&s.child, &s.args) == 0) {
		int err = sweep_run(&sweep);
		pieces_end(&s.pieces);
		status = status_of(&s, err);
	}
	grep_child_end(&s.child);
	grep_args_free(&s.args);
	return status;
}
