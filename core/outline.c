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
	bool bars[DEEPEST]; /* where a branch above goes on below */
	struct buf line;    /* the entry's */
	struct buf text;
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

/* A text on one line: what is no printing character is one space. */
static void add_plain(struct buf *out, struct span text)
{
	bool space = true;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c > 0x20 && c != 0x7F) {
			buf_addc(out, (char)c);
			space = false;
		} else if (!space) {
			buf_addc(out, ' ');
			space = true;
		}
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

/* What stands behind the preview: the label, and HEAD's mark. */
static void add_suffix(const struct outline *o, uint32_t entry, struct buf *out)
{
	struct span label = session_label(o->s, entry);
	if (label.n > 0) {
		struct buf text = { 0 };
		add_plain(&text, label);
		text_finish(&text, 0);
		struct span fit = columns_fit(&o->columns, buf_span(&text),
					      label_room(o));
		buf_adds(out, " [");
		buf_add(out, fit);
		buf_adds(out, fit.n < text.len ? "…]" : "]");
		out->failed = out->failed || text.failed;
		buf_free(&text);
	}
	if (entry == session_head(o->s))
		buf_adds(out, HEAD_MARK);
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

static int draw(struct outline *o, const struct visit *v, struct buf *source)
{
	struct json json;
	int err = session_read(o->s, v->entry, source, &json);
	if (err)
		return err;
	struct buf suffix = { 0 };
	struct buf name = { 0 };
	buf_clear(&o->line);
	add_prefix(o, v);
	index_add_name(&o->s->now.index, &name, v->entry);
	buf_add(&o->line, columns_fit(&o->columns, buf_span(&name), SHORT_ID));
	buf_addc(&o->line, ' ');
	size_t at = o->line.len;
	buf_clear(&o->text);
	o->s->dialect->kind(&o->text, json);
	text_finish(&o->text, 0);
	add_plain(&o->line,
		  columns_fit(&o->columns, buf_span(&o->text), KIND_COLUMNS));
	text_finish(&o->line, at);
	add_preview(o, json);
	add_suffix(o, v->entry, &suffix);
	add_cut_preview(o, buf_span(&suffix));
	buf_add(&o->line, buf_span(&suffix));
	buf_addc(&o->line, '\n');
	buf_add(o->out, buf_span(&o->line));
	if (suffix.failed || name.failed || o->line.failed || o->text.failed)
		err = -ENOMEM;
	buf_free(&suffix);
	buf_free(&name);
	return err;
}

int outline_add(const struct session *s, struct buf *out)
{
	struct outline o = { .s = s, .out = out };
	struct buf source = { 0 };
	columns_begin(&o.columns);
	int err = push_roots(&o);
	while (!err && o.n > 0) {
		struct visit v = o.stack[--o.n];
		err = draw(&o, &v, &source);
		if (!err)
			err = push_children(&o, &v);
	}
	columns_end(&o.columns);
	free(o.stack);
	free(o.children);
	buf_free(&o.line);
	buf_free(&o.text);
	buf_free(&source);
	return err ? err : buf_error(out);
}
