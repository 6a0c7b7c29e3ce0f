#include "commands/grep/print.h"

#include <string.h>

#include "core/base/text.h"
#include "core/session/name.h"

/* SGR of what is beside the path: faint. */
#define HEADING_COLOR "2"

/* Append a text in a color, if there are any. */
static void add_painted(const struct grep_printer *p, struct buf *out,
			const char *sgr, struct span text)
{
	bool paint = p->how->color && sgr[0];
	if (paint)
		buf_addf(out, "\033[%sm\033[K", sgr);
	buf_add(out, text);
	if (paint)
		buf_adds(out, "\033[m\033[K");
}

static void add_separator(const struct grep_printer *p)
{
	add_painted(p, p->out, p->colors->separator, SPAN("--"));
	buf_addc(p->out, '\n');
}

void grep_print_separator(const struct grep_printer *p)
{
	if (p->how->heading)
		buf_addc(p->out, '\n');
	else
		add_separator(p);
}

static void add_number(const struct grep_printer *p, uint64_t number)
{
	struct buf digits = { 0 };
	buf_addf(&digits, "%llu", (unsigned long long)number);
	add_painted(p, p->out, p->colors->line, buf_span(&digits));
	p->out->failed = p->out->failed || digits.failed;
	buf_free(&digits);
}

/*
 * Does the line of the same content begin a group? With -o no context is
 * printed, but it joins groups all the same.
 */
static bool is_apart(const struct grep_printer *p, uint64_t line)
{
	const struct grep_args *a = p->args;
	uint64_t between = line - p->last;
	if (!a->only_matching || between <= 1)
		return between > 1;
	return between - 1 > a->before && between - 1 - a->before > a->after;
}

static void add_path(const struct grep_printer *p, struct buf *path)
{
	buf_add(path, buf_span(&p->mark->of->prefix));
	buf_adds(path, "by-id/");
	buf_add(path, grep_text_name(p->text, p->mark));
	buf_adds(path, "/" NAME_CONTENT);
	p->out->failed = p->out->failed || path->failed;
}

/* The path before a line, with a ":" or "-". */
static void print_path(const struct grep_printer *p, struct span mark)
{
	struct buf path = { 0 };
	add_path(p, &path);
	add_painted(p, p->out, p->colors->path, buf_span(&path));
	add_painted(p, p->out, p->colors->separator, mark);
	buf_free(&path);
}

/* The path above the lines of a content, and where its entry is. */
static void print_heading(struct grep_printer *p)
{
	const struct pieced *of = p->mark->of;
	struct buf path = { 0 };
	struct buf line = { 0 };
	add_path(p, &path);
	text_add_one_line(&line, buf_span(&path));
	add_painted(p, p->out, p->colors->path, buf_span(&line));
	buf_clear(&line);
	int err = grep_heading_add(&p->heading, of,
				   grep_text_name(p->text, p->mark), &line);
	add_painted(p, p->out, HEADING_COLOR, buf_span(&line));
	buf_addc(p->out, '\n');
	p->out->failed = p->out->failed || err || line.failed;
	buf_free(&path);
	buf_free(&line);
}

/* Print what comes between a hit of the content and the last one of any. */
static void print_between(const struct grep_printer *p,
			  const struct grep_mark *mark, uint64_t line)
{
	bool other = p->mark != mark;
	if (!p->mark)
		return;
	if (other && p->how->heading)
		grep_print_separator(p);
	else if (p->args->contexts && (other || is_apart(p, line)))
		add_separator(p);
}

static void begin_content(struct grep_printer *p, const struct grep_mark *mark)
{
	p->mark = mark;
	if (p->how->heading)
		print_heading(p);
}

void grep_print_hit(struct grep_printer *p, const struct grep_mark *mark,
		    const struct grep_hit *h)
{
	struct span sign = h->selected ? SPAN(":") : SPAN("-");
	print_between(p, mark, h->line);
	if (p->mark != mark)
		begin_content(p, mark);
	if (!p->how->heading)
		print_path(p, sign);
	add_number(p, h->line);
	add_painted(p, p->out, p->colors->separator, sign);
	if (p->how->heading)
		grep_heading_add_text(p->out, h->text, p->how->color);
	else
		buf_add(p->out, h->text);
	p->last = h->line;
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

void grep_print_session(const struct grep_printer *p, const struct pieced *d)
{
	struct buf name = { 0 };
	add_session(d, p->how->files, &name);
	if (p->how->heading) /* for a terminal */
		text_add_one_line(p->out, buf_span(&name));
	else
		buf_add(p->out, buf_span(&name));
	buf_addc(p->out, p->how->null ? '\0' : '\n');
	p->out->failed = p->out->failed || name.failed;
	buf_free(&name);
}

void grep_printer_free(struct grep_printer *p)
{
	grep_heading_free(&p->heading);
}
