#include "core/dialects/claude/attachment_note.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/dialects/kit/line.h"
#include "core/json/js.h"
#include "core/session/block.h"

/* -- making notes */

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
		buf_fail(&to->json);
		return;
	}
	to->list[to->n++] =
		(struct claude_note){ m->from, to->json.len, m->texts };
}

void claude_note_write(struct claude_making *m, enum claude_guard guard)
{
	struct buf guarded BUF_SCOPED = BUF_INTO(&m->to->json);
	buf_adds(&guarded, CLAUDE_OPEN_TAG "\n");
	claude_add_guarded(&guarded, buf_span(&m->text), guard);
	buf_adds(&guarded, "\n" CLAUDE_CLOSE_TAG);
	block_write_text(&m->w, buf_span(&guarded));
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
	struct buf plain BUF_SCOPED = BUF_INTO(out);
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
	while (template_next_place(&p, &m->text, &place)) {
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

/* -- the notes of an attachment */

/* Is it what the agent has sent: a string or text blocks, and not empty? */
static bool is_rendered(struct json content)
{
	if (json_type(content) != JSON_ARRAY)
		return json_has_text(content);
	JSON_EACH(block, content) {
		if (!BLOCK_IS(block, "text") ||
		    !json_has_text(json_get(block, "text")))
			return false;
	}
	return json_has_members(content);
}

static bool all_rendered(struct json rendered)
{
	JSON_EACH(element, rendered) {
		if (!is_rendered(json_get(element, "content")))
			return false;
	}
	return json_has_elements(rendered);
}

static void set_role(struct claude_making *m, struct json role)
{
	bool user = json_is(role, SPAN("user"));
	if (user || json_is(role, SPAN("system")))
		m->to->as_system = !user;
	else
		m->to->as_system = !json_is(m->type, SPAN("plugin_note"));
	if (json_is(m->type, SPAN("hook_additional_context")))
		m->to->as_block =
			user && JSON_IS(claude_note_get(m, "hookName"),
					"prompt.submit", "prompt.mention");
	else
		m->to->as_block = user && JSON_IS(m->type, "file", "directory",
						  "nested_memory");
}

static struct claude_making begin(struct json line, struct claude_notes *to)
{
	struct claude_making m = { .to = to };
	m.attachment = json_get(line, "attachment");
	m.type = json_get(m.attachment, "type");
	return m;
}

int claude_attachment(struct json line, struct claude_notes *to)
{
	struct claude_making m = begin(line, to);
	struct json rendered = json_get(line, "rendered");
	to->n = 0;
	to->own_words = false;
	buf_clear(&to->json);
	if (!json_is_string(m.type))
		return 0;
	set_role(&m, json_get(line, "renderedRole"));
	if (all_rendered(rendered)) {
		JSON_EACH(element, rendered) {
			struct json content = json_get(element, "content");
			claude_note_begin(&m);
			if (json_is_string(content))
				block_write_text_value(&m.w, content);
			JSON_EACH(block, content)
				block_write_text_value(&m.w,
						       json_get(block, "text"));
			claude_note_end(&m);
		}
	} else {
		claude_note_by_type(&m);
	}
	/* It is answered in a turn of its own, as what a user says. */
	to->own_words =
		json_is(m.type, SPAN("queued_command")) &&
		json_type(claude_note_get(&m, "hostsOwnTurn")) == JSON_TRUE &&
		!json_truthy(claude_note_get(&m, "isMeta")) &&
		json_type(claude_note_get(&m, "origin")) == JSON_ABSENT &&
		to->n == 1;
	buf_free_into(&m.text, &to->json);
	return buf_error(&to->json);
}

void claude_notes_take(struct claude_notes *notes)
{
	struct buf taken BUF_SCOPED = BUF_INTO(&notes->json);
	for (size_t i = 0; i < notes->n; i++) {
		size_t from = taken.len;
		claude_take_bare(claude_note_blocks(notes, i), &taken);
		notes->list[i].from = from;
		notes->list[i].to = taken.len;
	}
	buf_clear(&notes->json);
	buf_add(&notes->json, buf_span(&taken));
}

bool claude_attachment_is_sent(struct json line)
{
	struct claude_notes none = { 0 };
	const struct claude_making m = begin(line, &none);
	return all_rendered(json_get(line, "rendered"))
		       ? json_is_string(m.type)
		       : claude_note_is_sent(&m);
}

void claude_notes_free(struct claude_notes *notes)
{
	free(notes->list);
	buf_free(&notes->json);
	*notes = (struct claude_notes){ 0 };
}

struct json claude_note_blocks(const struct claude_notes *notes, size_t i)
{
	const struct claude_note *note = &notes->list[i];
	return (struct json){ .raw = { notes->json.data + note->from,
				       note->to - note->from } };
}

bool claude_notes_add_bare(const struct claude_notes *notes, struct buf *out)
{
	struct buf text BUF_SCOPED = BUF_INTO(out);
	bool first = true;
	for (size_t i = 0; i < notes->n; i++) {
		if (!notes->list[i].texts)
			return false;
	}
	for (size_t i = 0; i < notes->n; i++) {
		JSON_EACH(block, claude_note_blocks(notes, i)) {
			buf_clear(&text);
			json_decode(&text, json_get(block, "text"));
			if (!first)
				buf_addc(out, '\n');
			first = false;
			claude_add_bare(out, buf_span(&text));
		}
	}
	return true;
}

bool claude_attachment_text(struct json line, struct buf *out)
{
	struct claude_notes notes = { 0 };
	bool failed = claude_attachment(line, &notes) < 0;
	bool any = !failed && notes.n > 0 && claude_notes_add_bare(&notes, out);
	if (failed)
		buf_fail(out);
	claude_notes_free(&notes);
	return any || failed;
}
