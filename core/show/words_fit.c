#include "core/show/words_fit.h"

#include <string.h>

/* The fewest columns that an argument is shown in, with ": ". */
#define ARGUMENT_LEAST 6
/* Of " +12". */
#define MORE_COLUMNS 4
/* The fewest columns that a text beside calls is shown in. */
#define TEXT_LEAST 4

/* Append the text, cut to so many columns. */
static void add_cut(const struct columns *w, struct buf *out, struct span text,
		    size_t most)
{
	struct span fit = columns_fit(w, text, most);
	if (fit.n == text.n) {
		buf_add(out, text);
	} else if (most > 0) {
		buf_add(out, columns_fit(w, text, most - 1));
		buf_adds(out, "…");
	}
}

/* The columns of a call without its argument. */
static size_t name_columns(const struct columns *w, const struct call *c)
{
	size_t n = c->failed ? sizeof(" error") - 1 : 0;
	return c->name.n > 0 ? n + columns_of(w, c->name) + 2 : n;
}

static size_t argument_columns(const struct columns *w, const struct call *c)
{
	return c->argument.n > 0 ? columns_of(w, c->argument) + 2 : 0;
}

/* The columns of calls that are not cut. */
static size_t tools_columns(const struct columns *w, struct span calls)
{
	struct call c;
	size_t n = 0;
	while (calls_next(&calls, &c))
		n += name_columns(w, &c) + argument_columns(w, &c) + 1;
	return n > 0 ? n - 1 : 0;
}

/* Append a call in at most so many columns, but at least a bit of its name. */
static void add_tool(const struct columns *w, struct buf *out,
		     const struct call *c, size_t room)
{
	size_t name = name_columns(w, c);
	size_t own = columns_of(w, c->name);
	size_t around = name - own;
	size_t rest = room > name ? room - name : 0;
	if (c->name.n > 0) {
		buf_addc(out, '[');
		own = name <= room ? own : room > around ? room - around : 1;
		add_cut(w, out, c->name, own);
		size_t need = argument_columns(w, c);
		if (need > 0 && (rest >= need || rest >= ARGUMENT_LEAST)) {
			buf_adds(out, ": ");
			add_cut(w, out, c->argument, rest - 2);
		}
		buf_addc(out, ']');
	}
	if (c->failed)
		buf_adds(out, c->name.n > 0 ? " error" : "error");
}

/* How many of the calls have room for their names, and the columns of these. */
static unsigned count_names(const struct columns *w, struct span calls,
			    unsigned n, size_t room, size_t *columns)
{
	struct call c;
	unsigned fit = 0;
	*columns = 0;
	while (calls_next(&calls, &c)) {
		size_t more = name_columns(w, &c) + (fit > 0);
		size_t last = fit + 1 < n ? MORE_COLUMNS : 0;
		if (*columns + more + last > room)
			break;
		*columns += more;
		fit++;
	}
	return fit;
}

/*
 * The most columns of an argument with which all arguments take no more than
 * `spare`: short ones leave theirs to the long ones.
 */
static size_t fair_share(const struct columns *w, struct span calls, unsigned n,
			 size_t spare)
{
	size_t share = 0;
	size_t next = n > 0 ? spare / n : 0;
	while (next > share) {
		struct span rest = calls;
		struct call c;
		size_t left = spare;
		unsigned longer = 0;
		share = next;
		for (unsigned i = 0; i < n && calls_next(&rest, &c); i++) {
			size_t need = argument_columns(w, &c);
			longer += need > share;
			left -= need > share ? 0 : need;
		}
		next = longer > 0 ? left / longer : share;
	}
	return share;
}

/*
 * Append calls: their names as far as these fit, their arguments in the columns
 * that are left, and how many calls are not shown.
 */
static void add_tools(const struct columns *w, struct buf *out,
		      const struct call_list *l, size_t room)
{
	struct span calls = buf_span(&l->bytes);
	size_t names;
	unsigned fit = count_names(w, calls, l->n, room, &names);
	size_t more = fit < l->n ? MORE_COLUMNS : 0;
	size_t spare = room > names + more ? room - names - more : 0;
	size_t share = fair_share(w, calls, fit, spare);
	struct call c;
	if (fit == 0 && l->n > 0)
		fit = 1;
	for (unsigned i = 0; i < fit && calls_next(&calls, &c); i++) {
		size_t name = name_columns(w, &c);
		if (i > 0)
			buf_addc(out, ' ');
		add_tool(w, out, &c, name > room ? room : name + share);
	}
	if (fit < l->n)
		buf_addf(out, " +%u", l->n - fit);
}

/* The columns for calls beside a text. They get at least three fifths. */
static size_t tools_room(const struct columns *w, const struct call_list *l,
			 size_t text, size_t most)
{
	struct span calls = buf_span(&l->bytes);
	size_t need = tools_columns(w, calls);
	size_t name = 0;
	struct call first;
	if (calls_next(&calls, &first))
		name = name_columns(w, &first) + (l->n > 1 ? MORE_COLUMNS : 0);
	size_t room = most - (text < most * 2 / 5 ? text : most * 2 / 5);
	room = name > room ? name : room;
	room = need < room ? need : room;
	return room < most ? room : most;
}

void words_fit(const struct columns *w, struct buf *out,
	       const struct call_list *l, bool answered, struct span text,
	       size_t most)
{
	struct buf tools = { 0 };
	const char *between = " ";
	struct call c;
	struct span calls = buf_span(&l->bytes);
	while (answered && calls_next(&calls, &c))
		between = c.failed ? ": " : between;
	size_t gap = text.n > 0 && l->n > 0 ? strlen(between) : 0;
	size_t wanted = columns_of(w, text) + gap;
	add_tools(w, &tools, l, tools_room(w, l, wanted, most));
	size_t used = columns_of(w, buf_span(&tools)) + gap;
	size_t room = most > used ? most - used : 0;
	if (gap > 0 && room < TEXT_LEAST && room + gap < wanted)
		room = gap = 0;
	if (answered)
		buf_add(out, buf_span(&tools));
	if (gap > 0 && answered)
		buf_adds(out, between);
	add_cut(w, out, text, room);
	if (gap > 0 && !answered)
		buf_adds(out, between);
	if (!answered)
		buf_add(out, buf_span(&tools));
	buf_free_into(&tools, out);
}
