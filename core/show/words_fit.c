#include "core/show/words.h"

/* The fewest columns that an argument is shown in, with ": ". */
#define ARGUMENT_LEAST 6
/* Of " +12". */
#define MORE_COLUMNS 4
/* The fewest columns that a text beside calls is shown in. */
#define TEXT_LEAST 4

/* A call, and the columns that it takes if it is not cut. */
struct tool {
	struct call call;
	size_t name;	 /* without the argument */
	size_t argument; /* with ": "; 0: there is none */
};

struct tools {
	struct tool list[CALLS_OF_ENTRY];
	unsigned n;
	bool failed;  /* one of them */
	size_t whole; /* the columns of all */
};

static struct tools measure(const struct call_list *l)
{
	struct tools t = { 0 };
	struct span calls = buf_span(&l->bytes);
	struct tool *i = t.list;
	for (; t.n < CALLS_OF_ENTRY && calls_next(&calls, &i->call); i++) {
		const struct call *c = &i->call;
		i->name = c->failed ? sizeof(" error") - 1 : 0;
		if (c->name.n > 0)
			i->name += columns_of(c->name) + 2;
		if (c->argument.n > 0)
			i->argument = columns_of(c->argument) + 2;
		t.failed = t.failed || c->failed;
		t.whole += i->name + i->argument + (t.n > 0);
		t.n++;
	}
	return t;
}

/* Append a call in at most so many columns, but at least a bit of its name. */
static void add_tool(struct buf *out, const struct tool *t, size_t room)
{
	const struct call *c = &t->call;
	size_t own = columns_of(c->name);
	size_t around = t->name - own;
	size_t rest = room > t->name ? room - t->name : 0;
	if (c->name.n > 0) {
		buf_addc(out, '[');
		own = t->name <= room ? own : room > around ? room - around : 1;
		columns_add_cut(out, c->name, own);
		if (t->argument > 0 &&
		    (rest >= t->argument || rest >= ARGUMENT_LEAST)) {
			buf_adds(out, ": ");
			columns_add_cut(out, c->argument, rest - 2);
		}
		buf_addc(out, ']');
	}
	if (c->failed)
		buf_adds(out, c->name.n > 0 ? " error" : "error");
}

/*
 * The most columns of an argument with which those of the first n calls take no
 * more than `spare`: short ones leave theirs to the long ones.
 */
static size_t fair_share(const struct tools *t, unsigned n, size_t spare)
{
	size_t share = 0;
	size_t next = n > 0 ? spare / n : 0;
	while (next > share) {
		size_t left = spare;
		unsigned longer = 0;
		share = next;
		for (unsigned i = 0; i < n; i++) {
			size_t need = t->list[i].argument;
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
static void add_tools(const struct tools *t, struct buf *out, size_t room)
{
	size_t names = 0;
	unsigned fit = 0;
	for (; fit < t->n; fit++) {
		size_t need = names + t->list[fit].name + (fit > 0);
		if (need + (fit + 1 < t->n ? MORE_COLUMNS : 0) > room)
			break;
		names = need;
	}
	names += fit < t->n ? MORE_COLUMNS : 0;
	size_t spare = room > names ? room - names : 0;
	size_t share = fair_share(t, fit, spare);
	if (fit == 0 && t->n > 0)
		fit = 1;
	for (unsigned i = 0; i < fit; i++) {
		size_t name = t->list[i].name;
		if (i > 0)
			buf_addc(out, ' ');
		add_tool(out, &t->list[i], name > room ? room : name + share);
	}
	if (fit < t->n)
		buf_addf(out, " +%u", t->n - fit);
}

/* The columns for calls beside a text. They get at least three fifths. */
static size_t tools_room(const struct tools *t, size_t text, size_t most)
{
	size_t room = most - (text < most * 2 / 5 ? text : most * 2 / 5);
	size_t name = t->n > 0 ? t->list[0].name : 0;
	name += t->n > 1 ? MORE_COLUMNS : 0;
	room = name > room ? name : room;
	room = t->whole < room ? t->whole : room;
	return room < most ? room : most;
}

void words_fit(struct buf *out, const struct call_list *l, bool answered,
	       struct span text, size_t most)
{
	const struct tools t = measure(l);
	const char *between = answered && t.failed ? ": " : " ";
	struct buf tools BUF_SCOPED = BUF_INTO(out);
	size_t gap = text.n > 0 && t.n > 0 ? strlen(between) : 0;
	size_t wanted = columns_of(text) + gap;
	add_tools(&t, &tools, tools_room(&t, wanted, most));
	size_t used = columns_of(buf_span(&tools)) + gap;
	size_t room = most > used ? most - used : 0;
	if (gap > 0 && room < TEXT_LEAST && room + gap < wanted)
		room = gap = 0;
	if (gap == 0)
		between = "";
	if (answered) {
		buf_add(out, buf_span(&tools));
		buf_adds(out, between);
	}
	columns_add_cut(out, text, room);
	if (!answered) {
		buf_adds(out, between);
		buf_add(out, buf_span(&tools));
	}
}
