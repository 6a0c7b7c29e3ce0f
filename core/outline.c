#include "core/outline.h"

#include <errno.h>
#include <stdlib.h>

#include "core/columns.h"
#include "core/dialect.h"
#include "core/js.h"
#include "core/text.h"

#define LINE_COLUMNS 100
#define KIND_COLUMNS 22
#define LABEL_MOST 40
#define LABEL_LEAST 8
#define PREVIEW_LEAST 12
#define SHORT_ID 8
#define DEEPEST 12
#define HEAD_MARK " ← HEAD"

/* What a line is made of, in this order. */
enum part {
	PART_BRANCHES,
	PART_ID,
	PART_KIND,
	PART_PREVIEW,
	PART_LABEL,
	PART_HEAD,
	PART_COUNT
};

/* An entry that waits to be drawn. */
struct visit {
	uint32_t entry;
	uint32_t indent;
	bool branched;	/* it is one of several children */
	bool connector; /* and drawn with a connector, as roots are not */
	bool last;
};

struct outline {
	const struct session *s;
	struct buf *out;
	struct columns columns;
	struct visit *stack;
	size_t n;
	size_t cap;
	uint32_t *children; /* of the entry in hand */
	size_t children_cap;
	bool several_roots;
	bool bars[DEEPEST];	 /* where a branch above goes on below */
	struct buf line;	 /* the entry's */
	size_t ends[PART_COUNT]; /* where its parts end in it */
	struct buf text;
	bool *on_path; /* for colors: is the entry above HEAD? Or NULL */
};

static bool push(struct outline *o, struct visit v)
{
	if (o->n == o->cap) {
		size_t cap = o->cap ? o->cap * 2 : 64;
		struct visit *stack = realloc(o->stack, cap * sizeof(*stack));
		if (!stack)
			return false;
		o->stack = stack;
		o->cap = cap;
	}
	o->stack[o->n++] = v;
	return true;
}

static int by_time(const void *a, const void *b, void *session)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	int64_t tx = session_entry(session, x)->time;
	int64_t ty = session_entry(session, y)->time;
	if (tx != ty)
		return tx < ty ? -1 : 1;
	return x < y ? -1 : 1;
}

/* The children of an entry (INDEX_NONE: the roots) in o->children. */
static int list_children(struct outline *o, uint32_t entry, size_t *n)
{
	const struct index *x = &o->s->now.index;
	*n = 0;
	for (uint32_t i = index_child_from(x, entry, 0); i != INDEX_NONE;
	     i = x->entries[i].next_sibling) {
		if (*n == o->children_cap) {
			size_t cap = o->children_cap ? *n * 2 : 16;
			uint32_t *list =
				realloc(o->children, cap * sizeof(*list));
			if (!list)
				return -ENOMEM;
			o->children = list;
			o->children_cap = cap;
		}
		o->children[(*n)++] = i;
	}
	if (*n > 1)
		qsort_r(o->children, *n, sizeof(*o->children), by_time,
			(void *)o->s);
	return 0;
}

/* Children are one step deeper at a branch, and once more just behind it. */
static int push_children(struct outline *o, const struct visit *parent)
{
	size_t n;
	int err = list_children(o, parent->entry, &n);
	bool deeper = n > 1 || (parent->branched && parent->indent > 0);
	for (size_t i = n; !err && i-- > 0;) {
		struct visit v = { .entry = o->children[i],
				   .indent = parent->indent + deeper,
				   .branched = n > 1,
				   .connector = n > 1,
				   .last = i + 1 == n };
		err = push(o, v) ? 0 : -ENOMEM;
	}
	return err;
}

/* Several roots are drawn at the margin, and what hangs on them indented. */
static int push_roots(struct outline *o)
{
	size_t n;
	int err = list_children(o, INDEX_NONE, &n);
	o->several_roots = n > 1;
	for (size_t i = n; !err && i-- > 0;) {
		struct visit v = { .entry = o->children[i],
				   .indent = n > 1,
				   .branched = n > 1 };
		err = push(o, v) ? 0 : -ENOMEM;
	}
	return err;
}

static void add_prefix(struct outline *o, const struct visit *v)
{
	uint32_t depth = v->indent - (o->several_roots && v->indent > 0);
	const char *turn = !v->connector ? "" : v->last ? "└─ " : "├─ ";
	if (depth == 0)
		memset(o->bars, 0, sizeof(o->bars));
	if (depth > DEEPEST) {
		buf_addf(&o->line, "⋯%u %s", depth, turn);
		return;
	}
	uint32_t bars = v->connector ? depth - 1 : depth;
	for (uint32_t i = 0; i < bars; i++)
		buf_adds(&o->line, o->bars[i] ? "│  " : "   ");
	buf_adds(&o->line, turn);
	if (v->connector) {
		memset(o->bars + bars, 0, sizeof(o->bars) - bars);
		o->bars[bars] = !v->last;
	}
}

/* A control character of C1: U+009B starts an escape, to some terminals. */
static bool is_c1(const char *p, size_t left)
{
	return left >= 2 && (unsigned char)p[0] == 0xC2 &&
	       (unsigned char)p[1] < 0xA0;
}

/* A text on one line: what is no printing character is one space. */
static void add_plain(struct buf *out, struct span text)
{
	bool space = true;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		bool c1 = is_c1(text.p + i, text.n - i);
		if (c > 0x20 && c != 0x7F && !c1) {
			buf_addc(out, (char)c);
			space = false;
		} else if (!space) {
			buf_addc(out, ' ');
			space = true;
		}
		i += c1;
	}
}

static void add_block_preview(struct buf *text, const struct block *b)
{
	if (text->len > 0)
		buf_addc(text, ' ');
	if (b->type == BLOCK_TEXT) {
		json_decode(text, b->text);
	} else if (b->type == BLOCK_CALL) {
		buf_addc(text, '<');
		js_to_string(text, b->name);
		buf_addc(text, '>');
	} else if (b->type == BLOCK_PICTURE) {
		buf_adds(text, "<picture>");
	}
}

/* The start of what an entry says: more than fits on a line, not much more. */
static void add_preview(struct outline *o, struct json entry)
{
	const struct dialect *d = o->s->dialect;
	struct json blocks = d->blocks(entry);
	struct buf *text = &o->text;
	buf_clear(text);
	if (json_type(blocks) != JSON_ABSENT) {
		struct block_walk w = block_walk(d->read_block, blocks);
		struct block b;
		struct json raw;
		while (text->len < 4 * LINE_COLUMNS && block_next(&w, &b, &raw))
			add_block_preview(text, &b);
	} else if (!d->text || !d->text(o->s, text, entry)) {
		d->preview(text, entry);
	}
	text_finish(text, 0);
}

/* How much of a label there is room for, the least of a preview beside it. */
static size_t label_room(const struct outline *o)
{
	size_t used = columns_of(&o->columns, buf_span(&o->line)) +
		      sizeof("  ") + PREVIEW_LEAST + sizeof(" []…") +
		      sizeof(" - HEAD");
	if (used + LABEL_LEAST >= LINE_COLUMNS)
		return LABEL_LEAST;
	size_t room = LINE_COLUMNS - used;
	return room < LABEL_MOST ? room : LABEL_MOST;
}

static void add_label(const struct outline *o, uint32_t entry, struct buf *out)
{
	struct span label = session_label(o->s, entry);
	if (label.n == 0)
		return;
	struct buf text = { 0 };
	add_plain(&text, label);
	text_finish(&text, 0);
	struct span fit =
		columns_fit(&o->columns, buf_span(&text), label_room(o));
	buf_adds(out, " [");
	buf_add(out, fit);
	buf_adds(out, fit.n < text.len ? "…]" : "]");
	out->failed = out->failed || text.failed;
	buf_free(&text);
}

static void add_cut_preview(struct outline *o, struct span suffix)
{
	struct buf plain = { 0 };
	add_plain(&plain, buf_span(&o->text));
	size_t used = columns_of(&o->columns, buf_span(&o->line)) + 2 +
		      columns_of(&o->columns, suffix);
	size_t room = used + PREVIEW_LEAST < LINE_COLUMNS ? LINE_COLUMNS - used
							  : PREVIEW_LEAST;
	struct span all = text_trim(buf_span(&plain));
	struct span fit = columns_fit(&o->columns, all, room);
	if (all.n > 0)
		buf_adds(&o->line, "  ");
	if (fit.n < all.n) {
		buf_add(&o->line, columns_fit(&o->columns, all, room - 1));
		buf_adds(&o->line, "…");
	} else {
		buf_add(&o->line, fit);
	}
	o->line.failed = o->line.failed || plain.failed;
	buf_free(&plain);
}

/* What these stand for: ECMA-48, Select Graphic Rendition. */
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
		{ "user", "1;32" },	{ "assistant", "36" },
		{ "toolResult", "34" }, { "bashExecution", "34" },
		{ "compaction", "35" }, { "branch_summary", "35" },
	};
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (span_eq(kind, span_of(colors[i].kind)))
			return colors[i].color;
	}
	return "2";
}

/* The line in colors: each part with its own. */
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

/* Up to the kind. */
static void add_start(struct outline *o, const struct visit *v,
		      struct json json)
{
	struct buf name = { 0 };
	buf_clear(&o->line);
	add_prefix(o, v);
	o->ends[PART_BRANCHES] = o->line.len;
	index_add_name(&o->s->now.index, &name, v->entry);
	buf_add(&o->line, columns_fit(&o->columns, buf_span(&name), SHORT_ID));
	buf_addc(&o->line, ' ');
	o->ends[PART_ID] = o->line.len;
	buf_clear(&o->text);
	o->s->dialect->kind(&o->text, json);
	text_finish(&o->text, 0);
	add_plain(&o->line,
		  columns_fit(&o->columns, buf_span(&o->text), KIND_COLUMNS));
	text_finish(&o->line, o->ends[PART_ID]);
	o->ends[PART_KIND] = o->line.len;
	o->line.failed = o->line.failed || name.failed || o->text.failed;
	buf_free(&name);
}

/* The preview fills what the label and HEAD's mark leave of the line. */
static void add_rest(struct outline *o, uint32_t entry, struct json json)
{
	struct buf suffix = { 0 };
	add_label(o, entry, &suffix);
	size_t label = suffix.len;
	if (entry == session_head(o->s))
		buf_adds(&suffix, HEAD_MARK);
	add_preview(o, json);
	add_cut_preview(o, buf_span(&suffix));
	o->ends[PART_PREVIEW] = o->line.len;
	o->ends[PART_LABEL] = o->line.len + label;
	buf_add(&o->line, buf_span(&suffix));
	o->ends[PART_HEAD] = o->line.len;
	o->line.failed = o->line.failed || suffix.failed || o->text.failed;
	buf_free(&suffix);
}

static int draw(struct outline *o, const struct visit *v, struct buf *source)
{
	struct json json;
	int err = session_read(o->s, v->entry, source, &json);
	if (err)
		return err;
	add_start(o, v, json);
	add_rest(o, v->entry, json);
	if (o->line.failed)
		return -ENOMEM;
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
int outline_add(const struct session *s, bool color, struct buf *out)
{
	struct outline o = { .s = s, .out = out };
	struct buf source = { 0 };
	columns_begin(&o.columns);
	int err = color ? find_path(&o) : 0;
	if (!err)
		err = push_roots(&o);
	while (!err && o.n > 0) {
		struct visit v = o.stack[--o.n];
		err = draw(&o, &v, &source);
		if (!err)
			err = push_children(&o, &v);
	}
	columns_end(&o.columns);
	free(o.stack);
	free(o.children);
	free(o.on_path);
	buf_free(&o.line);
	buf_free(&o.text);
	buf_free(&source);
	return err ? err : buf_error(out);
}
