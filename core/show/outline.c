#include "core/show/outline.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/columns.h"
#include "core/json/timestamp.h"
#include "core/session/short_ids.h"
#include "core/show/note_runs.h"
#include "core/show/rows.h"
#include "core/show/words.h"

#define KIND_COLUMNS 22
#define LABEL_MOST 40
#define LABEL_LEAST 8
#define WORDS_LEAST 12
/* Labels leave so many, if they can: most names of tools are shorter. */
#define WORDS_WANTED 24
/* The most columns of an id. Longer ones with the same start are rare. */
#define ID_MOST 36
#define TIME_COLUMNS 12
#define DEEPEST 12
#define LEVEL_COLUMNS 3
#define LEVELS_LEAST 2
#define HEAD_MARK " ← HEAD"

/* The parts of a line, in this order. */
enum part {
	PART_BRANCHES,
	PART_ID,
	PART_TIME,
	PART_KIND,
	PART_WORDS,
	PART_LABEL,
	PART_HEAD,
	PART_COUNT
};

struct outline {
	const struct session *s;
	struct buf *out;
	struct words words;
	struct short_ids ids;
	size_t width;		 /* columns of a line */
	uint32_t levels;	 /* that are drawn, at most DEEPEST */
	bool bars[DEEPEST];	 /* levels with a branch that continues below */
	struct buf line;	 /* the entry's */
	size_t ends[PART_COUNT]; /* of its parts, in it */
	struct buf text;
	bool *on_path; /* by entry: on the path to HEAD; NULL without colors */
	bool times;
	bool said; /* the entry */
	bool run;  /* the row is one of notes */
};

static void add_prefix(struct outline *o, const struct tree_step *v)
{
	uint32_t depth = v->depth;
	const char *turn = !v->branch ? "" : v->last ? "└─ " : "├─ ";
	if (depth == 0)
		memset(o->bars, 0, sizeof(o->bars));
	if (depth > o->levels) {
		buf_addf(&o->line, "⋯%u %s", depth, turn);
		return;
	}
	uint32_t bars = v->branch ? depth - 1 : depth;
	for (uint32_t i = 0; i < bars; i++)
		buf_adds(&o->line, o->bars[i] ? "│  " : "   ");
	buf_adds(&o->line, turn);
	if (v->branch) {
		memset(o->bars + bars, 0, sizeof(o->bars) - bars);
		o->bars[bars] = !v->last;
	}
}

static void add_label(const struct outline *o, uint32_t entry, struct buf *out)
{
	struct span label = session_label(o->s, entry);
	if (label.n == 0)
		return;
	/* It leaves at least a few columns to the words next to it. */
	size_t used = columns_of(buf_span(&o->line)) + sizeof("  ") +
		      WORDS_WANTED + sizeof(" []…") + sizeof(" - HEAD");
	size_t room = o->width > used ? o->width - used : 0;
	room = room > LABEL_LEAST ? room : LABEL_LEAST;
	buf_adds(out, " [");
	bool whole = words_add_fit(out, label,
				   room < LABEL_MOST ? room : LABEL_MOST);
	buf_adds(out, whole ? "]" : "…]");
}

/* ECMA-48, Select Graphic Rendition. */
static const char *const part_colors[PART_COUNT] = {
	[PART_BRANCHES] = "2", [PART_ID] = "33",     [PART_TIME] = "2",
	[PART_LABEL] = "1;35", [PART_HEAD] = "1;31",
};
#define ON_PATH_COLOR "1;33"

static const char *part_color(const struct outline *o, enum part i,
			      struct span part, uint32_t entry)
{
	bool words = i == PART_KIND || i == PART_WORDS;
	if (o->run)
		return WORDS_UNSAID_COLOR;
	if (i == PART_ID && o->on_path[entry])
		return ON_PATH_COLOR;
	if (words && o->words.failed)
		return WORDS_FAILED_COLOR;
	if (words && !o->said)
		return WORDS_UNSAID_COLOR;
	return i == PART_KIND ? words_kind_color(part) : part_colors[i];
}

/* Append the line, each part in its color. */
static void paint(struct outline *o, uint32_t entry)
{
	size_t at = 0;
	for (enum part i = 0; i < PART_COUNT; i++) {
		struct span part = { o->line.data + at, o->ends[i] - at };
		const char *color = part_color(o, i, part, entry);
		at = o->ends[i];
		if (part.n == 0)
			continue;
		if (color)
			buf_addf(o->out, "\033[%sm", color);
		buf_add(o->out, part);
		if (color)
			buf_adds(o->out, "\033[m");
	}
}

/* Append the parts up to the kind. */
static void add_start(struct outline *o, const struct note_row *row)
{
	struct buf name BUF_SCOPED = BUF_INTO(&o->line);
	buf_clear(&o->line);
	add_prefix(o, &row->step);
	o->ends[PART_BRANCHES] = o->line.len;
	short_ids_add(&o->ids, &name, row->last);
	words_add_plain(&o->line, columns_fit(buf_span(&name), ID_MOST));
	buf_addc(&o->line, ' ');
	o->ends[PART_ID] = o->line.len;
	/* Cheap to read, and no wider than a clock: the year is in `meta`. */
	if (o->times)
		timestamp_add_local(&o->line,
				    session_entry(o->s, row->last)->time,
				    TIMESTAMP_SHORT);
	if (o->line.len > o->ends[PART_ID])
		buf_addc(&o->line, ' ');
	o->ends[PART_TIME] = o->line.len;
	if (o->run)
		note_run_add_kind(&o->line, row->n);
	else
		words_add_kind(&o->words, &o->line, row->line, KIND_COLUMNS);
	o->ends[PART_KIND] = o->line.len;
}

/* Append the words, in the columns that the label and HEAD's mark leave. */
static int add_rest(struct outline *o, uint32_t entry, struct json json)
{
	struct buf suffix BUF_SCOPED = BUF_INTO(&o->line);
	add_label(o, entry, &suffix);
	size_t label = suffix.len;
	if (entry == session_head(o->s))
		buf_adds(&suffix, HEAD_MARK);
	size_t used = columns_of(buf_span(&o->line)) + 2 +
		      columns_of(buf_span(&suffix));
	size_t room =
		used + WORDS_LEAST < o->width ? o->width - used : WORDS_LEAST;
	int err = words_add(&o->words, &o->text, entry, json, room);
	buf_adds(&o->line, o->text.len > 0 ? "  " : "");
	buf_add(&o->line, buf_span(&o->text));
	buf_clear(&o->text);
	o->ends[PART_WORDS] = o->line.len;
	o->ends[PART_LABEL] = o->line.len + label;
	buf_add(&o->line, buf_span(&suffix));
	o->ends[PART_HEAD] = o->line.len;
	buf_inherit(&o->line, &o->text);
	return err;
}

static int draw(struct outline *o, const struct note_row *row)
{
	uint32_t entry = row->step.entry;
	o->run = row->n > 1;
	add_start(o, row);
	int err = 0;
	if (o->run)
		o->ends[PART_WORDS] = o->ends[PART_LABEL] = o->ends[PART_HEAD] =
			o->line.len;
	else
		err = add_rest(o, entry, row->line);
	if (err || o->line.failed)
		return err ? err : -ENOMEM;
	o->said =
		!o->on_path || rows_is_said(o->s->dialect->showing, row->line);
	if (o->on_path)
		paint(o, entry);
	else
		buf_add(o->out, buf_span(&o->line));
	buf_addc(o->out, '\n');
	return 0;
}

/* How many levels are drawn: those that ids and times leave room for. */
static void divide(struct outline *o, bool color)
{
	size_t spare = DEEPEST - LEVELS_LEAST;
	size_t id = o->ids.longest < ID_MOST ? o->ids.longest : ID_MOST;
	size_t wanted = id - SHORT_ID_LEAST;
	o->levels = DEEPEST;
	/* At 100 columns all levels have room, at 40 only two. */
	if (o->width < OUTLINE_COLUMNS) {
		spare = (o->width - OUTLINE_COLUMNS_LEAST) / 6;
		o->levels = LEVELS_LEAST + (uint32_t)spare;
	} else {
		size_t room =
			spare * LEVEL_COLUMNS + o->width - OUTLINE_COLUMNS;
		o->times = color && wanted + TIME_COLUMNS <= room;
		wanted += o->times ? TIME_COLUMNS : 0;
		size_t free = o->width - OUTLINE_COLUMNS;
		wanted -= free < wanted ? free : wanted;
	}
	size_t lost = (wanted + LEVEL_COLUMNS - 1) / LEVEL_COLUMNS;
	o->levels -= (uint32_t)(lost < spare ? lost : spare);
}

int outline_add(const struct session *s, bool color, unsigned columns,
		struct buf *out)
{
	struct outline o = { .s = s,
			     .out = out,
			     .width = columns > 0 ? columns : OUTLINE_COLUMNS };
	const struct index *x = &s->now.index;
	struct note_walk w = { 0 };
	struct note_row row;
	words_begin(&o.words, s);
	int err = short_ids_begin(&o.ids, x);
	if (color)
		o.on_path = calloc(x->n + 1, sizeof(*o.on_path));
	if (color && !o.on_path)
		err = -ENOMEM;
	for (uint32_t i = o.on_path ? session_at_leaf(s) : INDEX_NONE;
	     i != INDEX_NONE; i = x->entries[i].parent)
		o.on_path[i] = true;
	divide(&o, color);
	if (!err)
		err = note_walk_begin(&w, s);
	while (!err && (err = note_walk_next(&w, &row)) > 0)
		err = draw(&o, &row);
	note_walk_end(&w);
	short_ids_end(&o.ids);
	words_end(&o.words);
	free(o.on_path);
	buf_free(&o.line);
	buf_free(&o.text);
	return err ? err : buf_error(out);
}
