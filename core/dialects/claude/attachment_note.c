#include "core/dialects/claude/attachment_note.h"

#include <errno.h>

#include "core/base/array.h"
#include "core/json/js.h"
#include "core/session/block.h"

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
		m->err = -ENOMEM;
		return;
	}
	to->list[to->n++] =
		(struct claude_note){ m->from, to->json.len, m->texts };
}

/* Write m->text as a block, in its tags, and empty it. */
void claude_note_write(struct claude_making *m, enum claude_guard guard)
{
	buf_clear(&m->guarded);
	buf_adds(&m->guarded, CLAUDE_OPEN_TAG "\n");
	claude_add_guarded(&m->guarded, buf_span(&m->text), guard);
	buf_adds(&m->guarded, "\n" CLAUDE_CLOSE_TAG);
	if (buf_error(&m->text) || buf_error(&m->guarded))
		m->err = -ENOMEM;
	block_write_text(&m->w, buf_span(&m->guarded));
	buf_clear(&m->text);
}

void claude_note_add(struct claude_making *m, enum claude_guard guard)
{
	claude_note_begin(m);
	claude_note_write(m, guard);
	claude_note_end(m);
}

bool claude_note_is_type(const struct claude_making *m, struct span name)
{
	return json_is(m->type, name);
}

struct json claude_note_get(const struct claude_making *m, const char *name)
{
	return json_get(m->attachment, name);
}

bool claude_note_is_filled(struct json v)
{
	if (json_type(v) == JSON_STRING)
		return json_truthy(v);
	return json_type(v) == JSON_ARRAY && json_has_members(v);
}

bool claude_note_is_block(struct json block, struct span type)
{
	return json_is(json_get(block, "type"), type);
}

/* Append `${v}`, escaped. */
void claude_note_add_safe(struct claude_making *m, struct json v,
			  bool ampersand)
{
	struct buf plain = { 0 };
	if (!js_is_nullish(v))
		js_to_string(&plain, v);
	claude_add_escaped(&m->text, buf_span(&plain), ampersand);
	if (buf_error(&plain))
		m->err = -ENOMEM;
	buf_free(&plain);
}

struct place {
	bool path;
	bool ampersand;
	const char *join; /* NULL: it is not an array */
	struct json value;
};

static void add_one(struct claude_making *m, const struct place *p,
		    struct json v)
{
	if (p->path || p->ampersand)
		claude_note_add_safe(m, v, p->ampersand);
	else
		js_to_string(&m->text, v);
}

static void add_place(struct claude_making *m, const struct place *p)
{
	struct json_walk w = json_walk(p->value);
	struct json v;
	bool first = true;
	if (!p->join) {
		add_one(m, p, p->value);
		return;
	}
	while (json_next_element(&w, &v)) {
		if (!first)
			buf_adds(&m->text, p->join);
		first = false;
		if (!js_is_nullish(v))
			add_one(m, p, v);
	}
}

/* Parse {…} at *p, and leave *p after it. */
static struct place read_place(const struct claude_making *m, const char **p)
{
	struct place place = { .value = m->attachment };
	char name[32];
	for ((*p)++; **p != '}';) {
		size_t n = strcspn(*p, ".}");
		if (**p == '/')
			place.path = true;
		else if (**p == '&')
			place.ampersand = true;
		else if (**p == ',')
			place.join = ", ";
		else if (**p == '|')
			place.join = "\n";
		else if (**p != '.' && n < sizeof(name)) {
			memcpy(name, *p, n);
			name[n] = '\0';
			place.value = json_get(place.value, name);
			*p += n;
			continue;
		}
		(*p)++;
	}
	(*p)++;
	return place;
}

void claude_note_format(struct claude_making *m, const char *p)
{
	while (*p) {
		size_t n = strcspn(p, "{");
		buf_add(&m->text, (struct span){ p, n });
		p += n;
		if (*p == '{') {
			struct place place = read_place(m, &p);
			add_place(m, &place);
		}
	}
}
