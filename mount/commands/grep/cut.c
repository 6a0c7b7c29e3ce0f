#include "mount/commands/grep/cut.h"

#include <string.h>

/* The hits of one content after the other. */
struct cutter {
	struct grep_printer *to;
	const struct grep_args *args;
	const struct grep_mark *mark; /* NULL before the first content */
	uint64_t selected;	      /* its last selected line, or 0 */
	uint64_t count;		      /* of its selected lines */
	struct span waiting;	      /* context that one may follow */
};

/*
 * Parse the next line, "N:TEXT" or, of context, "N-TEXT", and step over it.
 * Returns false at the end.
 */
static bool next_hit(struct span *rest, struct grep_hit *h)
{
	size_t i = 0;
	*h = (struct grep_hit){ 0 };
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

/* Is the line context after the last selected one? */
static bool is_after(const struct cutter *c, uint64_t line)
{
	return c->selected > 0 && line - c->selected <= c->args->after;
}

/*
 * Print the context that was held back, now that the next selected line of the
 * content is known; 0: there is none.
 */
static void print_waiting(struct cutter *c, uint64_t next)
{
	struct span rest = c->waiting;
	struct grep_hit h;
	while (c->mark && next_hit(&rest, &h)) {
		h.line -= c->mark->first - 1;
		if (is_after(c, h.line) ||
		    (next > 0 && next - h.line <= c->args->before))
			grep_print_hit(c->to, c->mark, &h);
	}
	c->waiting = (struct span){ 0 };
}

/*
 * A selected line. With -o it comes once for each match in it. After as many as
 * -m allows, others are context.
 */
static void print_selected(struct cutter *c, struct grep_hit *h)
{
	bool again = h->line == c->selected;
	bool full = !again && c->count == c->args->most;
	print_waiting(c, full ? 0 : h->line);
	h->selected = !full;
	if (!full || is_after(c, h->line))
		grep_print_hit(c->to, c->mark, h);
	if (full)
		return;
	c->selected = h->line;
	c->count += !again;
}

bool grep_cut_print(struct grep_printer *to, struct span found)
{
	const struct grep_args *a = to->args;
	struct cutter c = { .to = to, .args = a };
	const char *from = found.p;
	struct grep_hit h;
	bool any = false;
	for (; !(any && a->quiet) && next_hit(&found, &h); from = found.p) {
		const struct grep_mark *m =
			grep_text_mark(to->text, c.mark, h.line);
		if (!c.mark || m != c.mark) {
			print_waiting(&c, 0);
			c = (struct cutter){ .to = to, .args = a, .mark = m };
		}
		h.line -= m->first - 1;
		if (m->is_rest) {
			to->rest += h.selected;
			continue;
		}
		any = any || h.selected;
		if (h.selected && a->list) {
			grep_print_session(to, m->of);
		} else if (h.selected && !a->quiet) {
			print_selected(&c, &h);
		} else if (!a->list && !a->quiet) {
			/* Hold context back. */
			c.waiting.p = c.waiting.n > 0 ? c.waiting.p : from;
			c.waiting.n += (size_t)(found.p - from);
		}
	}
	print_waiting(&c, 0);
	return any;
}
