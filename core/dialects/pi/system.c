/*
 * Pi's system messages (SystemMessage in pi-ai): a prompt in named sections,
 * and changes of the tools. A later message replaces some sections, or removes
 * them with null. `content` is mostly empty.
 */
#include "core/dialects/pi/pi.h"

#include "core/base/text.h"
#include "core/json/js.h"
#include "core/session/block.h"

bool pi_is_system(struct json message)
{
	JSON_FIELDS(f, message, role, sections, toolsAdded, toolsRemoved);
	return json_is(f.role, SPAN("system")) &&
	       (json_has_members(f.sections) ||
		json_has_elements(f.toolsAdded) ||
		json_has_elements(f.toolsRemoved));
}

static void separate(struct buf *out, size_t from, const char *separator)
{
	if (out->len > from)
		buf_adds(out, separator);
}

/* Add a section, or note that it is removed. */
static void add_section(struct buf *out, size_t from, struct buf *notes,
			const struct js_member *section)
{
	struct json v = section->value;
	enum json_type type = json_type(v);
	if (type == JSON_NULL) {
		buf_adds(notes, "[section removed] ");
		text_add_one_line(notes, section->key);
		buf_addc(notes, '\n');
	} else if (type != JSON_STRING) {
		separate(out, from, "\n\n");
		js_stringify(out, v, 2);
	} else if (json_truthy(v)) {
		separate(out, from, "\n\n");
		json_decode(out, v);
	}
}

static void note_tools(struct buf *notes, const char *title, struct json tools)
{
	if (!json_has_elements(tools))
		return;
	struct buf names BUF_SCOPED = BUF_INTO(notes);
	JSON_EACH(tool, tools) {
		separate(&names, 0, ", ");
		js_to_string(&names, json_get(tool, "name"));
	}
	buf_adds(notes, title);
	text_add_one_line(notes, buf_span(&names));
	buf_addc(notes, '\n');
}

void pi_add_system(struct buf *out, struct json message)
{
	JSON_FIELDS(f, message, content, sections, toolsAdded, toolsRemoved);
	struct js_members sections;
	struct buf notes BUF_SCOPED = BUF_INTO(out);
	size_t from = out->len;
	if (js_members_load(&sections, f.sections) < 0) {
		buf_fail(out);
		return;
	}
	/* Text blocks begin new lines. Others are not expected: as JSON. */
	BLOCK_EACH(b, block_read_pi, f.content) {
		if (b.type == BLOCK_TEXT && !json_truthy(b.text))
			continue;
		separate(out, from, "\n");
		if (b.type == BLOCK_TEXT)
			json_decode(out, b.text);
		else
			js_stringify(out, b.json, 2);
	}
	for (size_t i = 0; i < sections.n; i++)
		add_section(out, from, &notes, &sections.list[i]);
	note_tools(&notes, "[tools added] ", f.toolsAdded);
	note_tools(&notes, "[tools removed] ", f.toolsRemoved);
	if (notes.len > 0)
		separate(out, from, "\n\n");
	buf_add(out, buf_span(&notes));
	js_members_free(&sections);
}
