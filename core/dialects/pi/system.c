#include "core/dialects/pi/system.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/block.h"

enum { ROLE, CONTENT, SECTIONS, ADDED, REMOVED, FIELDS };

static void read_fields(struct json message, struct json f[FIELDS])
{
	static const char *const names[FIELDS] = { "role", "content",
						   "sections", "toolsAdded",
						   "toolsRemoved" };
	json_get_all(message, FIELDS, names, f);
}

static bool is_list(struct json v)
{
	return json_type(v) == JSON_ARRAY && json_has_members(v);
}

static bool has_more(const struct json f[FIELDS])
{
	return json_is(f[ROLE], SPAN("system")) &&
	       (json_has_members(f[SECTIONS]) || is_list(f[ADDED]) ||
		is_list(f[REMOVED]));
}

bool pi_is_system(struct json message)
{
	struct json f[FIELDS];
	read_fields(message, f);
	return has_more(f);
}

struct json pi_content(struct json message)
{
	struct json f[FIELDS];
	read_fields(message, f);
	if (has_more(f))
		return (struct json){ 0 };
	return f[CONTENT];
}

static void separate(struct buf *out, size_t from, const char *separator)
{
	if (out->len > from)
		buf_adds(out, separator);
}

/* Text blocks begin new lines. Other blocks are not expected: as JSON. */
static void add_content(struct buf *out, struct json content)
{
	struct block_walk w = block_walk(block_read_pi, content);
	struct block b;
	struct json raw;
	size_t from = out->len;
	while (block_next(&w, &b, &raw)) {
		if (b.type == BLOCK_TEXT && !json_truthy(b.text))
			continue;
		separate(out, from, "\n");
		if (b.type == BLOCK_TEXT)
			json_decode(out, b.text);
		else
			js_stringify(out, raw, 2);
	}
}

static void add_sections(struct buf *out, size_t from,
			 const struct js_members *sections)
{
	for (size_t i = 0; i < sections->n; i++) {
		struct json v = sections->list[i].value;
		enum json_type type = json_type(v);
		if (type == JSON_NULL ||
		    (type == JSON_STRING && !json_truthy(v)))
			continue;
		separate(out, from, "\n\n");
		if (type == JSON_STRING)
			json_decode(out, v);
		else
			js_stringify(out, v, 2);
	}
}

static void note_removed(struct buf *notes, const struct js_members *sections)
{
	for (size_t i = 0; i < sections->n; i++) {
		if (json_type(sections->list[i].value) != JSON_NULL)
			continue;
		buf_adds(notes, "[section removed] ");
		text_add_one_line(notes, sections->list[i].key);
		buf_addc(notes, '\n');
	}
}

static void note_tools(struct buf *notes, const char *title, struct json tools)
{
	if (!is_list(tools))
		return;
	struct json_walk w = json_walk(tools);
	struct json tool;
	struct buf names = { 0 };
	while (json_next_element(&w, &tool)) {
		separate(&names, 0, ", ");
		js_to_string(&names, json_get(tool, "name"));
	}
	buf_adds(notes, title);
	text_add_one_line(notes, buf_span(&names));
	buf_addc(notes, '\n');
	buf_free_into(&names, notes);
}

void pi_add_system(struct buf *out, struct json message)
{
	struct json f[FIELDS];
	struct js_members sections;
	struct buf notes = { 0 };
	size_t from = out->len;
	read_fields(message, f);
	if (js_members_load(&sections, f[SECTIONS]) < 0) {
		out->failed = true;
		return;
	}
	add_content(out, f[CONTENT]);
	add_sections(out, from, &sections);
	note_removed(&notes, &sections);
	note_tools(&notes, "[tools added] ", f[ADDED]);
	note_tools(&notes, "[tools removed] ", f[REMOVED]);
	if (notes.len > 0)
		separate(out, from, "\n\n");
	buf_add(out, buf_span(&notes));
	buf_inherit(out, &notes);
	js_members_free(&sections);
	buf_free(&notes);
}
