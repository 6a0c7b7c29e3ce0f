#include "mount/commands/grep/cut.h"

/* The hits of one content after the other. */
struct cutter {
	struct grep_printer *to;
	const struct grep_args *args;
	const struct grep_mark *mark; /* NULL before the first content */
	uint64_t selected;	      /* its last selected line, or 0 */
	uint64_t count;		      /* of its selected lines */
	bool full;		      /* all that -m allows were printed */
	struct span waiting;	      /* context that one may follow */
};

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
	while (grep_hit_next(&rest, &h)) {
		h.line -= c->mark->first - 1;
		if (is_after(c, h.line) ||
		    (next > 0 && next - h.line <= c->args->before))
			grep_print_hit(c->to, c->mark, &h);
	}
	c->waiting = (struct span){ 0 };
}

static void begin_content(struct cutter *c, const struct grep_mark *m)
{
	if (c->mark)
		print_waiting(c, 0);
	c->mark = m;
	c->selected = 0;
	c->count = 0;
	c->full = c->args->most == 0;
}

/*
 * A selected line. With -o it comes once for each match in it. After as many as
 * -m allows, others are context.
 */
static void print_selected(struct cutter *c, struct grep_hit *h)
{
	bool again = h->line == c->selected;
	c->full = c->full || (!again && c->count == c->args->most);
	print_waiting(c, c->full ? 0 : h->line);
	if (c->full) {
		h->selected = false;
		if (is_after(c, h->line))
			grep_print_hit(c->to, c->mark, h);
		return;
	}
	grep_print_hit(c->to, c->mark, h);
	c->selected = h->line;
	c->count += !again;
}

/* Hold context back: the lines of grep's output from `from` to `to`. */
static void hold(struct cutter *c, const char *from, const char *to)
{
	if (c->waiting.n == 0)
		c->waiting.p = from;
	c->waiting.n += (size_t)(to - from);
}

void grep_cut_print(struct grep_printer *to, struct span found)
{
	struct cutter c = { .to = to, .args = to->args };
	const char *from = found.p;
	struct grep_hit h;
	for (; grep_hit_next(&found, &h); from = found.p) {
		const struct grep_mark *m =
			grep_text_mark(to->text, c.mark, h.line);
		if (!c.mark || m != c.mark)
			begin_content(&c, m);
		h.line -= m->first - 1;
		if (h.selected)
			print_selected(&c, &h);
		else
			hold(&c, from, found.p);
	}
	if (c.mark)
		print_waiting(&c, 0);
}
