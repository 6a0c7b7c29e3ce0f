#include "core/dialects/claude/attachment_note.h"

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/dialects/kit/line.h"
#include "core/json/js.h"
#include "core/session/block.h"

/* The UTF-16 units of a long text that are sent. */
#define START_UNITS 2000

void claude_note_begin(struct claude_making *m)
{
	m->w = (struct json_writer){ .out = &m->to->json };
	m->from = m->to->json.len;
	m->texts = true;
	json_begin_array(&m->w, NULL);
}

void claude_note_end(struct claude_making *m)
{
	struct claude_notes *to = m->to;
	json_end_array(&m->w);
	if (array_reserve(&to->list, &to->cap, to->n, 1) < 0) {
		to->json.failed = true;
		return;
	}
	to->list[to->n++] =
		(struct claude_note){ m->from, to->json.len, m->texts };
}

void claude_note_write(struct claude_making *m, enum claude_guard guard)
{
	struct buf guarded = { 0 };
	buf_adds(&guarded, CLAUDE_OPEN_TAG "\n");
	claude_add_guarded(&guarded, buf_span(&m->text), guard);
	buf_adds(&guarded, "\n" CLAUDE_CLOSE_TAG);
	block_write_text(&m->w, buf_span(&guarded));
	buf_free_into(&guarded, &m->to->json);
	buf_clear(&m->text);
}

void claude_note_add(struct claude_making *m, enum claude_guard guard)
{
	claude_note_begin(m);
	claude_note_write(m, guard);
	claude_note_end(m);
}

struct json claude_note_get(const struct claude_making *m, const char *name)
{
	return json_get(m->attachment, name);
}

static void add_start(struct buf *out, struct span s)
{
	size_t units = 0;
	size_t n = 0;
	size_t len;
	while (n < s.n && units < START_UNITS) {
		const struct span rest = span_from(s, n);
		units += text_code_point(rest, &len) > 0xFFFF ? 2 : 1;
		n += len;
	}
	buf_add(out, (struct span){ s.p, n });
	if (n < s.n)
		buf_adds(out, "\n... (truncated)");
}

static bool has(struct span marks, char mark)
{
	return memchr(marks.p, mark, marks.n);
}

static void add_value(struct buf *out, struct span marks, struct json v)
{
	struct buf plain = { 0 };
	bool nothing = js_is_nullish(v);
	js_to_string(&plain, v);
	if (has(marks, '"'))
		claude_add_escaped(out, buf_span(&plain), '"');
	else if (has(marks, '&') && !nothing)
		claude_add_escaped(out, buf_span(&plain), '&');
	else if (has(marks, '/') && !nothing)
		claude_add_escaped(out, buf_span(&plain), '<');
	else if (has(marks, '#'))
		add_start(out, buf_span(&plain));
	else if (!has(marks, '&') && !has(marks, '/'))
		buf_add(out, buf_span(&plain));
	buf_free_into(&plain, out);
}

static void add_place(struct buf *out, struct span marks, struct json v)
{
	bool first = true;
	if (!has(marks, ',') && !has(marks, '|')) {
		add_value(out, marks, v);
		return;
	}
	JSON_EACH(element, v) {
		if (!first)
			buf_adds(out, has(marks, ',') ? ", " : "\n");
		first = false;
		if (!js_is_nullish(element))
			add_value(out, marks, element);
	}
}

void claude_note_format(struct claude_making *m, struct json of, const char *p)
{
	struct span place;
	while (line_next_place(&p, &m->text, &place)) {
		const struct span marks = { place.p,
					    strspn(place.p, "/&\",|#?!") };
		struct span name = span_from(place, marks.n);
		struct json v = json_at(of, name);
		bool not = has(marks, '!');
		if (not || has(marks, '?'))
			p = json_truthy(v) != not ? p : strstr(p, "{}");
		else if (name.n > 0)
			add_place(&m->text, marks, v);
	}
}
