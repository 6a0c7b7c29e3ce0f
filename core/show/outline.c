#include "core/show/outline.h"

#include <errno.h>
#include <stdlib.h>

#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/session/tree_walk.h"
#include "core/show/words.h"

#define KIND_COLUMNS 22
#define LABEL_MOST 40
#define LABEL_LEAST 8
#define WORDS_LEAST 12
/* Labels leave so many, if they can: most names of tools are shorter. */
#define WORDS_WANTED 24
#define SHORT_ID 8
#define DEEPEST 12
#define HEAD_MARK " ← HEAD"

/* The parts of a line, in this order. */
enum part {
	PART_BRANCHES,
	PART_ID,
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
	size_t width;		 /* columns of a line */
	uint32_t levels;	 /* that are drawn, at most DEEPEST */
	bool bars[DEEPEST];	 /* levels with a branch that continues below */
	struct buf line;	 /* the entry's */
	size_t ends[PART_COUNT]; /* of its parts, in it */
	struct buf text;
	bool *on_path; /* by entry: on the path to HEAD; NULL without colors */
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

/* The most columns of a label, and the fewest of the words next to it. */
static size_t label_room(const struct outline *o)
{
	size_t used = columns_of(&o->words.columns, buf_span(&o->line)) +
		      sizeof("  ") + WORDS_WANTED + sizeof(" []…") +
		      sizeof(" - HEAD");
	if (used + LABEL_LEAST >= o->width)
		return LABEL_LEAST;
	size_t room = o->width - used;
	return room < LABEL_MOST ? room : LABEL_MOST;
}

static void add_label(const struct outline *o, uint32_t entry, struct buf *out)
{
	struct span label = session_label(o->s, entry);
	if (label.n == 0)
		return;
	buf_adds(out, " [");
	bool whole =
		words_add_fit(&o->words.columns, out, label, label_room(o));
	buf_adds(out, whole ? "]" : "…]");
}

/* ECMA-48, Select Graphic Rendition. */
static const char *const part_colors[PART_COUNT] = {
	[PART_BRANCHES] = "2",
	[PART_ID] = "33",
	[PART_LABEL] = "1;35",
	[PART_HEAD] = "1;31",
};
#define ON_PATH_COLOR "1;33"

static const char *kind_color(struct span kind)
{
	static const struct {
		const char *kind;
		const char *color;
	} colors[] = {
		{ "user", "1;32" },	   { "turn.user", "1;32" },
		{ "assistant", "36" },	   { "turn.assistant", "36" },
		{ "toolResult", "34" },	   { "turn.tool_result", "34" },
		{ "bashExecution", "34" }, { "pythonExecution", "34" },
		{ "compaction", "35" },	   { "branch_summary", "35" },
	};
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (span_eq(kind, span_of(colors[i].kind)))
			return colors[i].color;
	}
	return "2";
}

/* Append the line, each part in its color. */
static void paint(struct outline *o, uint32_t entry)
{
	size_t at = 0;
	for (int i = 0; i < PART_COUNT; i++) {
		struct span part = { o->line.data + at, o->ends[i] - at };
		const char *color = part_colors[i];
		at = o->ends[i];
		if (part.n == 0)
			continue;
		if (i == PART_ID && o->on_path[entry])
			color = ON_PATH_COLOR;
		if (i == PART_KIND)
			color = kind_color(part);
		if (color)
			buf_addf(o->out, "\033[%sm", color);
		buf_add(o->out, part);
		if (color)
			buf_adds(o->out, "\033[m");
	}
}

/* Append the parts up to the kind. */
static void add_start(struct outline *o, const struct tree_step *v,
		      struct json json)
{
	struct buf name = { 0 };
	buf_clear(&o->line);
	add_prefix(o, v);
	o->ends[PART_BRANCHES] = o->line.len;
	index_add_name(&o->s->now.index, &name, v->entry);
	words_add_plain(&o->line, columns_fit(&o->words.columns,
					      buf_span(&name), SHORT_ID));
	buf_addc(&o->line, ' ');
	o->ends[PART_ID] = o->line.len;
	words_add_kind(&o->words, &o->line, json, KIND_COLUMNS);
	o->ends[PART_KIND] = o->line.len;
	buf_free_into(&name, &o->line);
}

/* Append the words, in the columns that the label and HEAD's mark leave. */
static int add_rest(struct outline *o, uint32_t entry, struct json json)
{
	struct buf suffix = { 0 };
	add_label(o, entry, &suffix);
	size_t label = suffix.len;
	if (entry == session_head(o->s))
		buf_adds(&suffix, HEAD_MARK);
	size_t used = columns_of(&o->words.columns, buf_span(&o->line)) + 2 +
		      columns_of(&o->words.columns, buf_span(&suffix));
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
	buf_free_into(&suffix, &o->line);
	return err;
}

static int draw(struct outline *o, const struct tree_step *v,
		struct buf *source)
{
	struct json json;
	int err = session_read(o->s, v->entry, source, &json);
	if (err)
		return err;
	add_start(o, v, json);
	err = add_rest(o, v->entry, json);
	if (err || o->line.failed)
		return err ? err : -ENOMEM;
	if (o->on_path)
		paint(o, v->entry);
	else
		buf_add(o->out, buf_span(&o->line));
	buf_addc(o->out, '\n');
	return 0;
}

static int find_path(struct outline *o)
{
	const struct index *x = &o->s->now.index;
	o->on_path = calloc(x->n + 1, sizeof(*o->on_path));
	if (!o->on_path)
		return -ENOMEM;
	for (uint32_t i = session_head(o->s); i != INDEX_NONE;
	     i = x->entries[i].parent)
		o->on_path[i] = true;
	return 0;
}

int outline_add(const struct session *s, bool color, unsigned columns,
		struct buf *out)
{
	unsigned width = columns > 0 ? columns : OUTLINE_COLUMNS;
	struct outline o = {
		.s = s, .out = out, .width = width, .levels = DEEPEST
	};
	struct buf source = { 0 };
	struct tree_walk w = { 0 };
	struct tree_step step;
	/* At 100 columns all levels have room, at 40 only two. */
	if (width < OUTLINE_COLUMNS)
		o.levels = 2 + (width - OUTLINE_COLUMNS_LEAST) / 6;
	words_begin(&o.words, s);
	int err = color ? find_path(&o) : 0;
	if (!err)
		err = tree_walk_begin(&w, s, false);
	while (!err && (err = tree_walk_next(&w, &step)) > 0)
		err = draw(&o, &step, &source);
	tree_walk_end(&w);
	words_end(&o.words);
	free(o.on_path);
	buf_free(&source);
	buf_free(&o.line);
	buf_free(&o.text);
	return err ? err : buf_error(out);
}
